/** Where the services listen: http://HOST:PORT. */
export type Addresses = { sso: string; learning: string; collections: string }

export type Ports = Record<keyof Addresses, number>

export function portsOf({ sso, learning, collections }: Addresses): Ports {
  const portOf = (address: string) => Number(new URL(address).port)
  return { sso: portOf(sso), learning: portOf(learning), collections: portOf(collections) }
}
