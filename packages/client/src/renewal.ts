import { LyceumError, readError } from './error.ts'
import { type Lock, ownLock } from './lock.ts'
import { backOff, pause } from './pause.ts'
import { expiryOf, type Tokens, type TokenStore } from './tokens.ts'

/** Tokens are renewed when they have less than this left. */
const EARLY_MS = 10_000
/** Attempts to renew: the same key brings a lost answer again. */
const ATTEMPTS = 4
const BUSY = [429, 502, 503, 504]
/** Whoever must wait longer for a renewal is told at once. */
const LONGEST_WAIT_MS = 60_000
const TIMEOUT_MS = 20_000

export type Send = (request: Request) => Promise<Response>
export type RenewalOptions = {
  /** Of the sso. */
  sso?: string
  siteKey?: string
  tokens?: TokenStore
  /** How tokens are renewed; by default with the refresh token and the site key. In a browser: ask your own server. */
  renew?: (held: Tokens) => Promise<Tokens | undefined>
  /** By default Web Locks where there are any, else a lock of this process. */
  lock?: Lock
  fetch?: Send
}

export type Renewal = {
  /** The token to send; undefined where only the site key is used. */
  current: () => Promise<string | undefined>
  /** A token other than the refused one; undefined if the session is over. */
  renew: (refused?: string) => Promise<string | undefined>
}

/**
 * One renewal at a time: a refresh token works once, and presenting it twice ends the session. Who waited for the lock
 * finds the tokens of whoever had it.
 */
export function createRenewal(options: RenewalOptions): Renewal {
  const { tokens, lock = ownLock } = options
  // Of a store without a name nobody else has a part.
  const name = `lyceum-renewal ${tokens?.name ?? crypto.randomUUID()}`
  const ask = options.renew ?? ((held: Tokens) => askSso(options, held))

  async function current() {
    const held = await tokens?.get()
    if (held === undefined) return undefined
    if (expiryOf(held.access_token) - Date.now() >= EARLY_MS) return held.access_token
    // Until it is refused it may still be good.
    const fresh = await renew(held.access_token).catch(() => undefined)
    return fresh ?? held.access_token
  }

  async function renew(refused?: string) {
    if (tokens === undefined) return undefined
    return lock(name, async () => {
      const held = await tokens.get()
      if (held === undefined) return undefined
      if (refused !== undefined && held.access_token !== refused) return held.access_token
      // Where nobody can renew it, nobody knows that it is over.
      if (!mayAsk(held)) return undefined
      const fresh = await ask(held)
      await tokens.set(fresh)
      return fresh?.access_token
    })
  }

  function mayAsk({ refresh_token }: Tokens): boolean {
    const { sso, siteKey } = options
    return options.renew !== undefined || [refresh_token, sso, siteKey].every((one) => one !== undefined)
  }

  return { current, renew }
}

/** Undefined: the session is over. */
async function askSso(
  { sso = '', siteKey = '', fetch: send = globalThis.fetch }: RenewalOptions,
  { refresh_token = '' }: Tokens,
): Promise<Tokens | undefined> {
  // Made of the token, so that others who present it at the same moment get the same answer; who lacks the site key
  // cannot make it.
  const key = await digest(`${siteKey}.${refresh_token}`)
  for (let attempt = 1; ; attempt++) {
    const request = new Request(`${sso.replace(/\/$/, '')}/api/v1/auth/refresh`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-SSO-Site-Key': siteKey, 'Idempotency-Key': key },
      body: JSON.stringify({ refresh_token }),
      redirect: 'manual',
      // All others wait meanwhile.
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    try {
      const reply = await send(request)
      if (reply.ok) {
        const { access_token, refresh_token: next } = (await reply.json()) as Required<Tokens>
        return { access_token, refresh_token: next }
      }
      const error = await readError(reply)
      // Another process of this application won: the session lives, and its tokens are not for this one to forget.
      const isOver = !error.code.startsWith('site_key') && error.code !== 'refresh_token_just_used'
      if (reply.status === 401 && isOver) return undefined
      throw error
    } catch (error) {
      const isBusy = !(error instanceof LyceumError) || BUSY.includes(error.status)
      const asked = error instanceof LyceumError ? (error.retry_after ?? 0) * 1_000 : 0
      if (!isBusy || attempt === ATTEMPTS || asked > LONGEST_WAIT_MS) throw error
      await pause(Math.max(asked, backOff(attempt)))
    }
  }
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
