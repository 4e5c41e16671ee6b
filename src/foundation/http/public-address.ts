import type { Config } from '../settings/config.ts'
import { badRequest } from '../errors.ts'
import { isLoopbackName } from '../web/hosts.ts'

/** As much of a request as an address is made of. No proxy's word: X-Forwarded-Host and X-Forwarded-Proto are not read. */
export type Addressed = { headers: { host?: string | undefined } }

/**
 * The public address of this service without a slash at the end: the setting, or the Host of the request, which is a name
 * of loopback there (hosts.ts) and is reached without TLS.
 */
export function publicAddress(setting: string | undefined) {
  return ({ headers: { host } }: Addressed): string => {
    if (setting !== undefined) return setting
    if (host === undefined) throw badRequest('bad_host', 'The request names no Host')
    return `http://${host}`
  }
}

/** Whether this installation is a developer's machine: it listens on loopback and is known by no other address. */
export const isOwnMachine = ({ HOST, SSO_URL }: Pick<Config, 'HOST' | 'SSO_URL'>): boolean =>
  isLoopbackName(HOST) && (SSO_URL === undefined || isLoopbackName(new URL(SSO_URL).hostname))
