import { isIP } from 'node:net'
import { canonical } from '#foundation/outbound/addresses.ts'
import { hostOf } from '#foundation/outbound/vetting.ts'

/** Were there more, the ones that were seen first are judged by their names again. */
const MAX_KNOWN = 10_000

/**
 * Whose server a URL leads to, as far as counting goes. By https that is the host: its certificate proves the name. By http
 * anybody can give a server a thousand names, so it is the address that the name led to last.
 */
export function createDestinations() {
  const addresses = new Map<string, string>()
  return {
    of: (url: string): string => {
      const { protocol } = new URL(url)
      const host = hostOf(new URL(url)).replace(/\.$/, '')
      if (isIP(host) > 0) return canonical(host)
      return (protocol === 'http:' && addresses.get(host)) || host
    },

    /** A connection to `host` was made, to this address. */
    note: (host: string, address: string): void => {
      const name = host.replace(/\.$/, '')
      addresses.delete(name)
      addresses.set(name, address)
      const [first] = addresses.size > MAX_KNOWN ? addresses.keys() : []
      if (first !== undefined) addresses.delete(first)
    },
  }
}
