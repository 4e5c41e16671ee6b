import { isIP } from 'node:net'
import { isLoopback, isPublic, isWithin, ranges } from './addresses.ts'

/** What one caller may reach. `allow` and `ownPorts` come from the installation, the flags from the site. */
export type OutboundPolicy = {
  /** For sandbox sites and hosts named by the operator; production is https only. */
  mayUseHttp: boolean
  /** For sandbox sites on a developer's machine: 127.0.0.0/8, ::1 and `localhost`. */
  mayUseLoopback: boolean
  /** OUTBOUND_ALLOW: host names, addresses and ranges of in-house partners, exempt from the address rule. */
  allow: readonly string[]
  /** Ports of Lyceum, its database and its limiter store, which are never called. */
  ownPorts: readonly number[]
}

/** Reasons to refuse a URL, with the message for its author. */
export const REFUSALS = {
  url: 'must be an absolute URL',
  scheme: 'must begin with https://',
  credentials: 'must not contain a user name or password',
  fragment: 'must not contain a fragment',
  host: 'must name a host with a domain',
  address: 'must not lead to a private, local or reserved address',
  port: 'must not use this port',
} as const
export type Refusal = keyof typeof REFUSALS

/**
 * Ports that browsers block (Fetch standard, "port blocking"): their services could read HTTP as their own protocol.
 */
const BLOCKED_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Default ports of databases, queues, caches and container control planes. Refused regardless of OUTBOUND_ALLOW,
 * because no web server listens there.
 */
const INTERNAL_PORTS = new Set([
  1433, 1521, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 4243, 4646, 5432, 5433, 5672, 5984, 6379, 6380, 6432,
  6443, 7199, 7687, 8200, 8300, 8301, 8500, 9042, 9092, 9200, 9300, 10_249, 10_250, 10_255, 10_256, 10_257,
  10_259, 11_211, 15_672, 16_379, 26_257, 26_379, 27_017, 27_018, 27_019, 28_015, 61_616,
])

/**
 * Vets a URL without DNS, at registration and at every send. Only the WHATWG parser is used, so a host in octal,
 * hexadecimal or full-width digits is vetted as the address it means.
 */
export function vetUrl(text: string, policy: OutboundPolicy): { url: URL } | { refused: Refusal } {
  const url = URL.parse(text)
  if (!url) return { refused: 'url' }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.mayUseHttp))
    return { refused: 'scheme' }
  if (url.username !== '' || url.password !== '') return { refused: 'credentials' }
  if (text.includes('#')) return { refused: 'fragment' } // an empty fragment is one, too, and leaves url.hash empty
  const host = hostOf(url)
  const address = isIP(host) > 0 ? [host] : fixedAddresses(host)
  if (address?.some((each) => !mayReach(host, each, policy))) return { refused: 'address' }
  if (!address && !isNamed(host, policy) && !isDomain(host)) return { refused: 'host' }
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (BLOCKED_PORTS.has(port) || INTERNAL_PORTS.has(port) || policy.ownPorts.includes(port))
    return { refused: 'port' }
  return { url }
}

/** Whether a connection to this address is allowed for this host name. */
export function mayReach(host: string, address: string, policy: OutboundPolicy): boolean {
  if (isPublic(address) || (policy.mayUseLoopback && isLoopback(address))) return true
  return (
    isNamed(host, policy) ||
    policy.allow.some((entry) => isRange(entry) && isWithin(address, ranges([entry])))
  )
}

/** `localhost` is never resolved by DNS (RFC 6761 section 6.3): it is loopback and vetted as such. */
export const fixedAddresses = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined

/** The host of a URL, without the brackets of an IPv6 literal. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

const isRange = (entry: string) => isIP(entry.split('/')[0] ?? '') > 0

const isNamed = (host: string, policy: OutboundPolicy) =>
  policy.allow.some((entry) => !isRange(entry) && entry.toLowerCase() === host)

/**
 * At least two non-empty labels: a resolver would complete a single label from unknown search lists; no trailing dot.
 */
const isDomain = (host: string) => {
  const labels = host.split('.')
  return (
    labels.length > 1 && host.length <= 253 && labels.every((label) => label.length > 0 && label.length <= 63)
  )
}
