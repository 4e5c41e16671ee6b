import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../outbound/addresses.ts'
import { ApiError, badRequest } from '../errors.ts'

/** Whether a service answers under this Host header. Throws 400 if the header is not a valid host. */
export type IsOwnHost = (host: string) => boolean

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * A service answers under the hosts of its public addresses, and under loopback names while the program listens on
 * loopback. The port is ignored: proxies drop or change it, and no answer depends on it there.
 */
export function hostRule(listensOn: string, addresses: readonly (string | undefined)[]): IsOwnHost {
  const names = new Set(addresses.flatMap((address) => (address ? [new URL(address).hostname] : [])))
  const isLocal = isLoopbackName(listensOn)
  // Nearly all requests name the same host, so caching one answer is enough.
  let last: string | undefined
  return (host) => {
    if (host === last) return true
    const name = hostnameOf(host)
    const isOwn = names.has(name) || (isLocal && isLoopbackName(name))
    if (isOwn) last = host
    return isOwn
  }
}

/** `localhost`, its subdomains, and every loopback address, with or without brackets. */
export function isLoopbackName(name: string): boolean {
  const bare = name.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare.endsWith('.localhost') || (isIP(bare) !== 0 && isLoopback(bare))
}

function hostnameOf(host: string): string {
  const address = `http://${host}`
  if (!HOST.test(host) || !URL.canParse(address))
    throw badRequest('bad_host', 'The Host header is not a host')
  return new URL(address).hostname
}

/**
 * Checks the request head before anything else: exactly one Host (RFC 9112, section 3.2), only the transfer coding
 * chunked (section 6.1), a host of ours (RFC 9110, section 7.4).
 */
export function judgeHead(raw: IncomingMessage, isOwnHost: IsOwnHost, mayHaveAnyHost: boolean) {
  const { headers, rawHeaders, httpVersion } = raw
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw unknownCoding()
  const hosts = countOf(rawHeaders, 'host')
  if (hosts === 0 && httpVersion === '1.1') throw badHead('The request names no Host')
  if (hosts > 1) throw badHead('The request names more than one Host')
  if (mayHaveAnyHost) return
  if (headers.host === undefined || !isOwnHost(headers.host))
    throw new ApiError(421, 'misdirected', 'This service does not answer under this host name')
}

const CLOSE = { headers: { Connection: 'close' } }
const badHead = (detail: string) => badRequest('bad_request', detail, CLOSE)
const unknownCoding = () =>
  new ApiError(501, 'not_implemented', 'The only transfer coding that is read is chunked', CLOSE)

/**
 * If the request target is an absolute URL, returns its path and sets the Host header to its host (RFC 9112, section
 * 3.2.2). Any other target is returned unchanged.
 */
export function readTarget(raw: IncomingMessage): string {
  const { url = '/' } = raw
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return url
  const { host, username, password } = new URL(url)
  // A URL with a user name or password gets an invalid host, which is refused.
  raw.headers.host = username === '' && password === '' ? host : '@'
  const rest = url.slice(url.indexOf('//') + 2)
  const start = rest.search(/[/?#]/)
  const path = start === -1 ? '' : rest.slice(start)
  return path.startsWith('/') ? path : `/${path}`
}

function countOf(rawHeaders: string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isNamed(rawHeaders[at], name)) count += 1
  return count
}

const isNamed = (sent: string | undefined, name: string) =>
  sent !== undefined && sent.length === name.length && sent.toLowerCase() === name
