import { retryAfterOf } from './error.ts'
import { backOff, pause } from './pause.ts'
import type { Renewal, Send } from './renewal.ts'

/** Whoever must wait longer is told at once. */
const LONGEST_WAIT_MS = 60_000
/** Answers that say nothing about whether the call was done. */
const LOST = [502, 503, 504]
const ALWAYS_REPEATABLE = ['GET', 'HEAD', 'PUT', 'DELETE']

type Options = { siteKey?: string | undefined; retries: number; send: Send; renewal: Renewal }

/**
 * Sends one call: with the token of the session, or the site key where there is none, once more after 401 with a new
 * token, and again after a lost answer where that does nothing twice.
 */
export async function sendCall(request: Request, isKeyed: boolean, options: Options): Promise<Response> {
  const { siteKey, retries, send, renewal } = options
  if (isKeyed && !request.headers.has('Idempotency-Key'))
    request.headers.set('Idempotency-Key', crypto.randomUUID())
  // A condition that was true once is false after the call was done.
  const isSafe = isKeyed || (ALWAYS_REPEATABLE.includes(request.method) && !request.headers.has('If-Match'))
  // What the caller set itself stays: it is not ours to renew.
  const isOurs = !request.headers.has('Authorization') && !request.headers.has('X-SSO-Site-Key')
  let token = isOurs ? await renewal.current() : undefined
  let wasRenewed = false
  for (let attempt = 0; ;) {
    const copy = request.clone()
    if (token !== undefined) copy.headers.set('Authorization', `Bearer ${token}`)
    else if (isOurs && siteKey !== undefined) copy.headers.set('X-SSO-Site-Key', siteKey)
    const reply = await Promise.resolve(copy)
      .then(send)
      .catch((error: unknown) => error)
    let wait = backOff(attempt)
    if (!isResponse(reply)) {
      if (request.signal.aborted || !isSafe || attempt >= retries) throw reply
    } else if (reply.status === 401 && token !== undefined && !wasRenewed) {
      wasRenewed = true
      const fresh = await renewal.renew(token)
      if (fresh === undefined) return reply
      await reply.body?.cancel()
      token = fresh
      continue
    } else {
      const mayComeBack = reply.status === 429 || (isSafe && LOST.includes(reply.status))
      wait = retryAfterOf(reply.headers) ?? wait
      if (!mayComeBack || attempt >= retries || wait > LONGEST_WAIT_MS) return reply
      await reply.body?.cancel()
    }
    attempt++
    await pause(wait, request.signal)
  }
}

/** By shape: a `fetch` that was given may have a Response of its own. */
const isResponse = (reply: unknown): reply is Response =>
  typeof reply === 'object' && reply !== null && 'status' in reply && 'headers' in reply
