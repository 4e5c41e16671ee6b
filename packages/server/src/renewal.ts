import { createHash, createHmac } from 'node:crypto'
import { readJson } from './bounded.ts'
import { unreachable } from './error.ts'
import type { Parts } from './options.ts'

/** What the sso answers again for the same token and key; so long a browser may still send the cookie of before. */
const KEPT_MS = 60_000
const TIMEOUT_MS = 10_000

/** What the cookie holds. */
export type Session = { access_token: string; refresh_token: string }
/** Undefined: the session is over. */
export type Renew = (session: Session, ip?: string) => Promise<Session | undefined>

/** Whose limits count: those of the visitor, where the site has `trust_client_ip` switched on. */
export const visitorOf = (ip: string | undefined) => (ip === undefined ? {} : { 'X-SSO-Client-IP': ip })

/**
 * Renews a session once, however many requests of a browser bring the cookie of before at the same moment. Other processes
 * present the same token with the same key and get the same answer. 503 where nobody answers.
 */
export function createRenewal({ sso, siteKey }: Parts): Renew {
  const renewed = new Map<string, { until: number; answer: Promise<Session | undefined> }>()

  return (session, ip) => {
    for (const [key, { until }] of renewed) {
      if (until > performance.now()) break
      renewed.delete(key)
    }
    const key = createHash('sha256').update(session.refresh_token).digest('base64')
    const known = renewed.get(key)
    if (known) return known.answer
    const entry = { until: performance.now() + KEPT_MS, answer: ask(session, ip) }
    renewed.set(key, entry)
    entry.answer.catch(() => renewed.get(key) === entry && renewed.delete(key))
    return entry.answer
  }

  async function ask({ refresh_token }: Session, ip: string | undefined): Promise<Session | undefined> {
    const reply = await fetch(`${sso}/api/v1/auth/refresh`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-SSO-Site-Key': siteKey,
        ...visitorOf(ip),
        // Nobody can make it who has the token alone.
        'Idempotency-Key': createHmac('sha256', siteKey).update(refresh_token).digest('hex'),
      },
      body: JSON.stringify({ refresh_token }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw unreachable(error)
    })
    const body = (await readJson(reply).catch(() => ({}))) as Partial<Session> & { code?: string }
    if (reply.status === 401 && !body.code?.startsWith('site_key')) return undefined
    const { access_token, refresh_token: next } = body
    if (!reply.ok || access_token === undefined || next === undefined)
      throw unreachable(new Error(`The refresh answered ${reply.status} ${body.code ?? ''}`))
    return { access_token, refresh_token: next }
  }
}
