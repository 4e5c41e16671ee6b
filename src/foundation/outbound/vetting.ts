import { isIP } from 'node:net'
import { isLoopback, isPublic, isWithin, ranges } from './addresses.ts'

/** What one caller may reach. The composition root fills `allow` and `ownPorts`, the site decides the flags. */
export type OutboundPolicy = {
  /** Sandbox sites and hosts the operator named; production is https only. */
  mayUseHttp: boolean
  /** Sandbox sites on a developer's machine: 127.0.0.0/8, ::1 and `localhost`. */
  mayUseLoopback: boolean
  /** OUTBOUND_ALLOW: host names, addresses and ranges of in-house partners, exempt from the address rule. */
  allow: readonly string[]
  /** Ports of Lyceum, its database and its limiter store: nobody gets us to talk to ourselves. */
  ownPorts: readonly number[]
}

/** Why a URL is refused, with the sentence for the person who typed it. */
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

/** The ports browsers refuse (Fetch standard, "port blocking"): services that could take HTTP for their own protocol. */
const BLOCKED_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Where databases, queues, caches and the control planes of containers listen by default: refused whatever OUTBOUND_ALLOW
 * says, because a request there is never meant for a web server.
 */
const INTERNAL_PORTS = new Set([
  1433, 1521, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 4243, 4646, 5432, 5433, 5672, 5984, 6379, 6380, 6432,
  6443, 7199, 7687, 8200, 8300, 8301, 8500, 9042, 9092, 9200, 9300, 10_249, 10_250, 10_255, 10_256, 10_257,
  10_259, 11_211, 15_672, 16_379, 26_257, 26_379, 27_017, 27_018, 27_019, 28_015, 61_616,
])

/**
 * Judges a URL without asking a resolver: at registration and again at every send. The WHATWG parser is the only
 * one, so a host written in octal, hexadecimal or with full-width digits is judged as the address it means.
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

/** Whether a connection to this address may be made on behalf of this host name. */
export function mayReach(host: string, address: string, policy: OutboundPolicy): boolean {
  if (isPublic(address) || (policy.mayUseLoopback && isLoopback(address))) return true
  return (
    isNamed(host, policy) ||
    policy.allow.some((entry) => isRange(entry) && isWithin(address, ranges([entry])))
  )
}

/** `localhost` is never asked of a resolver (RFC 6761 section 6.3): it is loopback, and judged as such. */
export const fixedAddresses = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined

/** The host without the brackets of an IPv6 literal. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

const isRange = (entry: string) => isIP(entry.split('/')[0] ?? '') > 0

const isNamed = (host: string, policy: OutboundPolicy) =>
  policy.allow.some((entry) => !isRange(entry) && entry.toLowerCase() === host)

/** At least two labels, none empty: a trailing dot or a single label is completed by search lists we do not know. */
const isDomain = (host: string) => {
  const labels = host.split('.')
  return (
    labels.length > 1 && host.length <= 253 && labels.every((label) => label.length > 0 && label.length <= 63)
  )
}
