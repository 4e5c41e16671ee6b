import { isIPv4, isIPv6 } from 'node:net'
import { canonical } from '../outbound/addresses.ts'

/** IPv6 addresses whose keys are kept: to work one out costs 2 µs, and a connection sends many requests. */
const MAX_KNOWN = 1_000
const MAX_LENGTH = 45
const known = new Map<string, string>()

/**
 * The key that one client's requests are counted under (ARCHITECTURE.md): IPv6 by /64, because a subscriber has a whole
 * one, and an IPv4-mapped IPv6 address as its IPv4 address.
 */
export function limitKey(address: string): string {
  if (isIPv4(address)) return address
  if (address.length > MAX_LENGTH) return keyOf(canonical(address))
  const found = known.get(address)
  if (found !== undefined) return found
  const key = keyOf(canonical(address))
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(address, key)
  return key
}

function keyOf(plain: string): string {
  if (!isIPv6(plain)) return plain
  const [head = '', tail = ''] = plain.split('::')
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))
  const [left, right] = [groupsOf(head), groupsOf(tail)]
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
