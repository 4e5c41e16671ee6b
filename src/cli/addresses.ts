export const SERVICES = ['sso', 'learning', 'collections'] as const

/** What a process can run: services, and the work that happens after answers. */
export const PARTS = [...SERVICES, 'jobs'] as const
export type Part = (typeof PARTS)[number]

/** Where the services listen: http://HOST:PORT. Only those that this process runs. */
export type Addresses = Partial<Record<(typeof SERVICES)[number], string>>
export type Ports = Partial<Record<(typeof SERVICES)[number], number>>

export const portsOf = (addresses: Addresses): Ports =>
  Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [name, Number(new URL(address).port)]),
  )
