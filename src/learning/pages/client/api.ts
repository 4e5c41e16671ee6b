import { texts } from '#foundation/web/client/language.ts'
import type { Info } from '../api-types.ts'
import { keepSession, renewSession } from './session.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { toast } from './toast.ts'

const t = texts(SHELL_TEXTS)

/** An error answer of the service. `status` 0 means a network failure. `retry_after` is in seconds. */
export type Refusal = Error & { status: number; retry_after: number }

type Sent = { headers?: Record<string, string>; keepalive?: boolean; timeout_ms?: number }

/** A request without an answer ends after this (ms), and the page offers to try again. */
const TIMEOUT_MS = 15_000
/** A file of 25 MB on a slow line. */
const UPLOAD_MS = 600_000

/** The longest `retry_after` in seconds that a write waits for; it retries once. */
const MAX_WAIT = 60

const inFlight = new Map<string, Promise<unknown>>()

/** GET. Concurrent equal requests share one call. Throws a Refusal. */
export function get<T>(path: string): Promise<T> {
  const known = inFlight.get(path)
  if (known) return known as Promise<T>
  const asked = ask<T>('GET', path).finally(() => inFlight.delete(path))
  inFlight.set(path, asked)
  return asked
}

let known: Promise<Info> | undefined

/** The signed-in user and the sso URL. Requested once per page; a failure is not cached. */
export const info = (): Promise<Info> =>
  (known ??= findInfo().catch((error: unknown) => {
    known = undefined
    throw error
  }))

async function findInfo(): Promise<Info> {
  const found = await get<Info>('/api/info')
  // The access cookie ends before the sign-in does.
  const isRenewed = !found.user && (await renewSession(found.sso_url))
  const current = isRenewed ? await get<Info>('/api/info') : found
  if (current.user) keepSession(current.sso_url)
  return current
}

/**
 * Writes with a CSRF token, fetched before the first write and again after a refusal. Retries a 429 once. `keepalive`
 * survives leaving the page, so it never waits.
 */
export async function send<T>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  sent: Sent = {},
): Promise<T> {
  const attempt = async (token: string) =>
    ask<T>(method, path, body, { ...sent, headers: { ...sent.headers, 'X-CSRF-Token': token } })
  try {
    return await attempt(keptToken() ?? (await freshToken()))
  } catch (error) {
    const { status, retry_after, message } = refusalOf(error)
    if (sent.keepalive) throw error
    if (status === 403 && message.startsWith('CSRF')) return attempt(await freshToken())
    if (status !== 429 || retry_after > MAX_WAIT) throw error
    toast(t('many', { seconds: retry_after }))
    await new Promise((resolve) => setTimeout(resolve, retry_after * 1_000))
    return attempt(keptToken() ?? (await freshToken()))
  }
}

/** Converts any error to a Refusal. Status -1 means a fault of the page itself. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Error && 'status' in error) return error as Refusal
  return refusal(-1, error instanceof Error ? error.message : String(error))
}

/** An error a page may throw to show the panel of this status. */
export const refusal = (status: number, detail: string, retry_after = 0): Refusal =>
  Object.assign(new Error(detail), { status, retry_after })

/** Sends a request. A refused session is renewed once; a request that was refused for it has changed nothing. */
async function ask<T>(method: string, path: string, body?: unknown, sent: Sent = {}): Promise<T> {
  try {
    return await askOnce(method, path, body, sent)
  } catch (error) {
    if (refusalOf(error).status !== 401 || sent.keepalive) throw error
    const { sso_url } = await info()
    if (!(await renewSession(sso_url))) throw error
    return askOnce(method, path, body, sent)
  }
}

async function askOnce<T>(
  method: string,
  path: string,
  body: unknown,
  { headers, keepalive, timeout_ms = body instanceof FormData ? UPLOAD_MS : TIMEOUT_MS }: Sent,
): Promise<T> {
  const signal = AbortSignal.timeout(timeout_ms)
  let reply: Response
  // A form with a file names its own type.
  const isJson = body !== undefined && !(body instanceof FormData)
  try {
    reply = await fetch(path, {
      method,
      signal,
      headers: { ...headers, ...(isJson && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
      ...(keepalive && { keepalive }),
    })
  } catch {
    throw refusal(0, t('unreachable'))
  }
  noteTime(reply)
  const answer = (await reply.json().catch(() => {
    if (signal.aborted) throw refusal(0, t('unreachable'))
    return {}
  })) as { detail?: string }
  if (reply.ok) return answer as T
  const wait = Number(reply.headers.get('Retry-After'))
  throw refusal(
    reply.status,
    answer.detail ?? t('answered', { status: reply.status }),
    Number.isFinite(wait) ? wait : 0,
  )
}

/** Only pages of this origin can read the cookie, so the token proves the origin. */
const keptToken = (): string | undefined =>
  /(?:^|; )(?:__Host-)?csrf_token=([^;]+)/.exec(document.cookie)?.[1]

const freshToken = async () => (await ask<{ csrf_token: string }>('GET', '/api/csrf-token')).csrf_token

let skew = 0

/** The service's time, for deadlines: this device's clock may be hours off. Accurate to one or two seconds. */
export const serverNow = (): number => Date.now() + skew

function noteTime({ headers }: Response) {
  const time = Date.parse(headers.get('Date') ?? '')
  if (!Number.isNaN(time) && Math.abs(time + 500 - serverNow()) > 1_500) skew = time + 500 - Date.now()
}

/** A new idempotency key. Not randomUUID, because over http it exists only on loopback. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
