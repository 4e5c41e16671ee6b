import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * Special-purpose IPv4 ranges (IANA registry), multicast, reserved ranges, and the host agent of Azure, which every
 * machine there can reach. None of them can be a partner's server.
 */
const SPECIAL_V4 = ranges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

/** 2001::/23 includes Teredo (2001::/32) and 2002::/16 is 6to4: their embedded IPv4 address would not be vetted. */
const SPECIAL_V6 = ranges([
  '::/8',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
])

/** The only IPv6 range allocated for global unicast; other addresses cannot be a public server. */
const GLOBAL_V6 = ranges(['2000::/3'])

const LOOPBACK = ranges(['127.0.0.0/8', '::1/128'])

/**
 * IPv6 forms of an IPv4 host: mapped (RFC 4291) and NAT64 (RFC 6052). They are vetted as that host. NAT64 of 0.0.0.0/16
 * has one group less and stays IPv6; ::/8 refuses it, as 0.0.0.0/8 would.
 */
const CARRIES_V4 = /^(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** Whether the address is on the public internet. False for anything that is not a plain IP address. */
export function isPublic(address: string): boolean {
  const plain = canonical(address)
  if (isIPv4(plain)) return !SPECIAL_V4.check(plain, 'ipv4')
  return isIPv6(plain) && GLOBAL_V6.check(plain, 'ipv6') && !SPECIAL_V6.check(plain, 'ipv6')
}

/** 127.0.0.0/8 and ::1, in any notation. */
export const isLoopback = (address: string) => isWithin(address, LOOPBACK)

export function isWithin(address: string, list: BlockList): boolean {
  const plain = canonical(address)
  if (isIPv4(plain)) return list.check(plain, 'ipv4')
  return isIPv6(plain) && list.check(plain, 'ipv6')
}

/**
 * The canonical form of an address: dotted IPv4, compressed lower-case IPv6, dotted IPv4 for an IPv6 form that embeds
 * one. An address with a zone ("fe80::1%eth0") or anything else gives '', which no list contains.
 */
export function canonical(address: string): string {
  if (isIPv4(address)) return address
  if (!isIPv6(address) || address.includes('%')) return ''
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = CARRIES_V4.exec(plain) ?? []
  if (high === undefined || low === undefined) return plain
  const [h, l] = [parseInt(high, 16), parseInt(low, 16)]
  return `${h >> 8}.${h & 255}.${l >> 8}.${l & 255}`
}

/** A list of "192.0.2.0/24", "2001:db8::/32" or single addresses. Throws for any other text. */
export function ranges(texts: string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', bits, ...rest] = text.split('/')
    const family = isIP(address)
    const longest = family === 4 ? 32 : 128
    const length = bits === undefined ? longest : Number(bits)
    if (
      family === 0 ||
      rest.length > 0 ||
      bits === '' ||
      !Number.isInteger(length) ||
      length < 0 ||
      length > longest
    ) {
      throw new Error(`"${text}" is not an IP address or range`)
    }
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
