import { isIP } from 'node:net'
import { canonical } from '#foundation/outbound/addresses.ts'
import { hostOf } from '#foundation/outbound/vetting.ts'

/** Cache size; the oldest entries are evicted and then counted by host name again. */
const MAX_KNOWN = 10_000

/**
 * The server that a URL counts against for rate limits. For https it is the host, whose name the certificate proves.
 * For http, one server can have a thousand names, so it is the last address the name resolved to.
 */
export function createDestinations() {
  const addresses = new Map<string, string>()
  return {
    of: (url: string): string => {
      const parsed = new URL(url)
      const host = hostOf(parsed).replace(/\.$/, '')
      if (isIP(host) > 0) return canonical(host)
      return (parsed.protocol === 'http:' && addresses.get(host)) || host
    },

    /** Records the address of a new connection to `host`. */
    note: (host: string, address: string): void => {
      const name = host.replace(/\.$/, '')
      addresses.delete(name)
      addresses.set(name, address)
      const [first] = addresses.size > MAX_KNOWN ? addresses.keys() : []
      if (first !== undefined) addresses.delete(first)
    },
  }
}
