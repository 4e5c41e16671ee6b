import type { Config } from '../settings/config.ts'
import { badRequest } from '../errors.ts'
import { isLoopbackName } from '../web/hosts.ts'

/** The part of a request that an address is built from. X-Forwarded-Host and X-Forwarded-Proto are not read. */
export type Addressed = { headers: { host?: string | undefined } }

/**
 * The public address of this service without a trailing slash: the setting, or else the Host of the request. Without
 * the setting the Host is a loopback name (hosts.ts), which is reached without TLS.
 */
export function publicAddress(setting: string | undefined) {
  return ({ headers: { host } }: Addressed): string => {
    if (setting !== undefined) return setting
    if (host === undefined) throw badRequest('bad_host', 'The request names no Host')
    return `http://${host}`
  }
}

/** Whether this installation is a developer's machine: it listens on loopback and has no other public address. */
export const isOwnMachine = ({ HOST, SSO_URL }: Pick<Config, 'HOST' | 'SSO_URL'>): boolean =>
  isLoopbackName(HOST) && (SSO_URL === undefined || isLoopbackName(new URL(SSO_URL).hostname))
