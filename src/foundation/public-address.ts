import type { FastifyRequest } from 'fastify'
import { isLoopback } from './addresses.ts'
import type { Config } from './config.ts'
import { isSecure } from './csrf.ts'
import { badRequest } from './errors.ts'

const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** The public address of this service without a slash at the end: the setting, or scheme and host of the request. */
export function publicAddress(setting: string | undefined) {
  // Nearly every request names the same host, so one remembered answer is enough.
  let last = { protocol: '', host: '', address: '' }
  return ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string => {
    if (setting !== undefined) return setting
    if (last.host === host && last.protocol === protocol) return last.address
    const address = `${protocol}://${host}`
    if (!HOST.test(host) || !URL.canParse(address))
      throw badRequest('bad_host', 'The Host header is not a host')
    last = { protocol, host, address }
    return last.address
  }
}

/** Whether this installation is a developer's machine: it listens on loopback and is known by no other address. */
export const isOwnMachine = ({ HOST, SSO_URL }: Pick<Config, 'HOST' | 'SSO_URL'>): boolean =>
  (HOST === 'localhost' || isLoopback(HOST)) && (SSO_URL === undefined || !isSecure(SSO_URL))
