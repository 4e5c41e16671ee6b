import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '#foundation/settings/config.ts'
import { StartError } from '#foundation/start-error.ts'
import { type Part, SERVICES } from './addresses.ts'

const settingOf = { sso: 'SSO_PORT', learning: 'LEARNING_PORT', collections: 'COLLECTIONS_PORT' } as const

/**
 * Opens and closes the ports of the parts, so that a start that cannot listen has made nothing. Workers need this for another
 * reason too: sockets that share a port would share it with another program of this user.
 */
export async function tryPorts(config: Config, parts: readonly Part[]): Promise<void> {
  const settings = SERVICES.filter((name) => parts.includes(name)).map((name) => settingOf[name])
  for (const [index, name] of settings.entries()) {
    const port = config[name]
    const twin = settings.slice(index + 1).find((other) => port !== 0 && config[other] === port)
    if (twin)
      throw new StartError(`${name} and ${twin} are both ${port}: choose another port for one of them`)
    await tryPort(config.HOST, port)
  }
}

async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening').catch((fault: unknown) => {
    throw portFault(fault, host, port)
  })
  server.close()
  await once(server, 'close')
}

/** The sentence for a port that cannot be opened. */
export function portFault(fault: unknown, host: string, port: number): StartError {
  const { code = '' } = fault as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new StartError(
      `Port ${port} of ${host} is in use: stop what listens there, or choose another port`,
    )
  const remedy =
    code === 'EACCES'
      ? 'choose a port from 1024 on, or let the program open this one'
      : 'set HOST to an address of this machine'
  return new StartError(`Port ${port} of ${host} cannot be opened (${code}): ${remedy}`)
}
