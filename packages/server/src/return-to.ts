/** It travels in a cookie, of which browsers take 4,096 bytes. */
const LONGEST = 2_000

/**
 * The address on the site's own origin that `wanted` names, else its front page. Complete, because a path that begins with
 * two slashes would lead elsewhere.
 */
export function returnAddress(wanted: string | null | undefined, origin: string): string {
  if (wanted?.startsWith('/') && URL.canParse(wanted, origin)) {
    const url = new URL(wanted, origin)
    if (url.origin === origin && url.href.length <= LONGEST) return url.href
  }
  return `${origin}/`
}
