import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { readJson } from './bounded.ts'
import { unreachable } from './error.ts'

/** Lyceum publishes a key ten minutes before it signs, so that a set may be kept this long. */
const KEPT_MS = 300_000
/** Where they cannot be read, the keys of before are good for so long. */
const KEPT_AT_MOST_MS = 3_600_000
/** A token of a stranger can name any key; it makes us ask so often at most. */
const PAUSE_MS = 5_000
/** While there are no keys at all. */
const PAUSE_WITHOUT_MS = 1_000
const TIMEOUT_MS = 5_000

type Kept = { find: JWTVerifyGetKey; kids: ReadonlySet<string>; at: number }

/** The published keys of the issuer, read when they are needed, and never once for each token. */
export function publishedKeys(address: string): JWTVerifyGetKey {
  let kept: Kept | undefined
  let reading: Promise<void> | undefined
  let askedAt = -Infinity
  let fault: unknown

  return async (header, token) => {
    const now = performance.now()
    const isKnown = kept !== undefined && kept.kids.has(header.kid ?? '')
    const isOld = kept === undefined || now - kept.at > KEPT_MS
    const mayAsk = now - askedAt > (kept === undefined ? PAUSE_WITHOUT_MS : PAUSE_MS)
    if ((isOld || !isKnown) && (reading !== undefined || mayAsk)) {
      reading ??= read().finally(() => (reading = undefined))
      // Who has a key need not wait for newer ones.
      if (!isKnown || now - (kept?.at ?? 0) > KEPT_AT_MOST_MS) await reading
    }
    if (kept === undefined || performance.now() - kept.at > KEPT_AT_MOST_MS) throw unreachable(fault)
    return kept.find(header, token)
  }

  async function read(): Promise<void> {
    askedAt = performance.now()
    try {
      const reply = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (!reply.ok) throw new Error(`${address} answered ${reply.status}`)
      const set = (await readJson(reply)) as JSONWebKeySet
      kept = {
        find: createLocalJWKSet(set),
        kids: new Set(set.keys.map(({ kid }) => kid ?? '')),
        at: performance.now(),
      }
    } catch (error) {
      fault = error
    }
  }
}
