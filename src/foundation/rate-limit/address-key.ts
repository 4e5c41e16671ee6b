import { isIPv6 } from 'node:net'
import { canonical } from '../outbound/addresses.ts'

/**
 * The key that one client's requests are counted under (ARCHITECTURE.md): IPv6 by /64, because a subscriber has a whole
 * one, and an IPv4-mapped IPv6 address as its IPv4 address.
 */
export function limitKey(address: string): string {
  const plain = canonical(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail = ''] = plain.split('::')
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ]
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
