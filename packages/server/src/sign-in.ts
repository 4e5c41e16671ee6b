import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readJson } from './bounded.ts'
import { sealedCookie, type SealedCookie } from './cookies.ts'
import type { Parts } from './options.ts'
import { isOfOwnPage } from './own-page.ts'
import { type Session, visitorOf } from './renewal.ts'
import { returnAddress } from './return-to.ts'

/** How long a person may take to sign in (s). */
const LONGEST_VISIT = 1_800
const TIMEOUT_MS = 10_000

type Visit = { state: string; code_verifier: string; return_to: string }
type Place = {
  callbackUrl: URL
  isSecure: boolean
  secret: string | readonly string[]
  sessions: SealedCookie<Session>
}

/** Signing in on our pages, with a state that only this browser has and PKCE, and out again. */
export function createSignIn(parts: Parts, { callbackUrl, isSecure, secret, sessions }: Place) {
  const { sso, siteKey, siteCode, pages } = parts
  const { origin } = callbackUrl
  const visits = sealedCookie<Visit>({ name: 'lyceum-visit', secret, isSecure, maxAge: LONGEST_VISIT })

  /** Sends the browser to our sign-in page. */
  async function begin(request: Request): Promise<Response> {
    const state = randomBytes(24).toString('base64url')
    const code_verifier = randomBytes(48).toString('base64url')
    const return_to = returnAddress(new URL(request.url).searchParams.get('return_to'), origin)
    const back = new URL(callbackUrl)
    back.searchParams.set('state', state)
    const to = new URL(`${pages}/sign-in`)
    to.search = new URLSearchParams({
      site_code: siteCode,
      return_to: back.href,
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    return leadTo(to.href, [await visits.write({ state, code_verifier, return_to })])
  }

  /** Where the browser comes back to. A visit that another browser began is refused. */
  async function finish(request: Request, ip?: string): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const visit = await visits.read(request.headers.get('cookie'))
    if (visit === undefined || !isSame(visit.state, searchParams.get('state') ?? ''))
      return refuse(400, 'state_mismatch', 'This browser did not begin this sign-in')
    const code = searchParams.get('code')
    // The person cancelled.
    if (code === null) return leadTo(visit.return_to, [visits.clear()])
    const reply = await ask('/api/v1/auth/exchange', { code, code_verifier: visit.code_verifier }, ip)
    if (!reply?.ok)
      return (await isRefused(reply))
        ? refuse(400, 'code_invalid', 'This sign-in took too long or was finished before', [visits.clear()])
        : refuse(503, 'sso_unreachable', 'Lyceum cannot be asked now')
    const { access_token, refresh_token } = await readTokens(reply)
    if (access_token === undefined || refresh_token === undefined)
      return refuse(503, 'sso_unreachable', 'Lyceum cannot be asked now')
    return leadTo(visit.return_to, [visits.clear(), await sessions.write({ access_token, refresh_token })])
  }

  /** Ends the session everywhere. Only pages of this site may ask for it. */
  async function end(request: Request, ip?: string): Promise<Response> {
    if (!isOfOwnPage((name) => request.headers.get(name), origin))
      return refuse(403, 'foreign_page', 'Another site asked for this')
    const session = await sessions.read(request.headers.get('cookie'))
    if (session !== undefined) {
      const reply = await ask('/api/v1/auth/logout', { refresh_token: session.refresh_token }, ip)
      // Otherwise the cookie stays, so that it can be tried again: the session is not over.
      if (!reply?.ok && !(await isRefused(reply)))
        return refuse(503, 'sso_unreachable', 'Lyceum cannot be asked now')
    }
    const return_to = new URL(request.url).searchParams.get('return_to')
    return leadTo(returnAddress(return_to, origin), [sessions.clear()])
  }

  /** Undefined where nobody answers. */
  const ask = (path: string, body: object, ip?: string): Promise<Response | undefined> =>
    fetch(`${sso}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-SSO-Site-Key': siteKey, ...visitorOf(ip) },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => undefined)

  return { begin, finish, end }
}

/** Nothing of an answer that is none of the sso, such as a page of a proxy. */
const readTokens = (reply: Response): Promise<Partial<Session>> =>
  readJson(reply).then(
    (body) => (body ?? {}) as Partial<Session>,
    () => ({}),
  )

/** Whether the sso knows no such code or session; a refusal of our site key says nothing about it. */
async function isRefused(reply: Response | undefined): Promise<boolean> {
  if (reply?.status !== 401) return false
  const { code } = (await readJson(reply).catch(() => ({}))) as { code?: unknown }
  return typeof code === 'string' && !code.startsWith('site_key')
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

function withCookies(cookies: readonly string[], given: Record<string, string>): Headers {
  const headers = new Headers({ 'Cache-Control': 'no-store', ...given })
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return headers
}

function leadTo(location: string, cookies: readonly string[]): Response {
  // The address that led here may hold a code.
  const headers = withCookies(cookies, { Location: location, 'Referrer-Policy': 'no-referrer' })
  return new Response(null, { status: 303, headers })
}

export function refuse(status: number, code: string, detail: string, cookies: string[] = []): Response {
  return Response.json({ detail, code }, { status, headers: withCookies(cookies, {}) })
}
