import { badRequest } from './errors.ts'

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
