import { createHash } from 'node:crypto'
import { readJson } from './bounded.ts'
import { unreachable } from './error.ts'
import type { Parts } from './options.ts'

/** An answer stands so long: with it a revoked token is refused within a second. */
const KEPT_MS = 500
const MOST_KEPT = 10_000
const TIMEOUT_MS = 5_000

/** Asks Lyceum whether a token is good now, about each token once at a time. 503 where nobody answers. */
export function createIntrospection({ sso, siteKey }: Parts) {
  const asked = new Map<string, { until: number; answer: Promise<boolean> }>()

  return async (token: string): Promise<boolean> => {
    const key = createHash('sha256').update(token).digest('base64')
    const known = asked.get(key)
    if (known && known.until > performance.now()) return known.answer
    const entry = { until: performance.now() + KEPT_MS, answer: ask(token) }
    asked.delete(key)
    asked.set(key, entry)
    for (const eldest of asked.keys()) {
      if (asked.size <= MOST_KEPT) break
      asked.delete(eldest)
    }
    entry.answer.catch(() => asked.get(key) === entry && asked.delete(key))
    return entry.answer
  }

  async function ask(token: string): Promise<boolean> {
    try {
      const reply = await fetch(`${sso}/api/v1/auth/introspect`, {
        method: 'POST',
        headers: { 'X-SSO-Site-Key': siteKey },
        body: new URLSearchParams({ token }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (!reply.ok) throw new Error(`Introspection answered ${reply.status}`)
      return ((await readJson(reply)) as { active?: unknown }).active === true
    } catch (error) {
      throw unreachable(error)
    }
  }
}
