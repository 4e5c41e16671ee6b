import { verifyWebhook, type WebhookEvent, type WebhookHeaders } from '../webhooks/verify-webhook.mjs'
import { sealedCookie, type SealedCookie } from './cookies.ts'
import { AuthError } from './error.ts'
import { createIntrospection } from './introspection.ts'
import { type LyceumOptions, readOptions } from './options.ts'
import { isOfOwnPage } from './own-page.ts'
import { createReceiver } from './receive.ts'
import { createRenewal, type Session } from './renewal.ts'
import { type Revocations, watchRevocations } from './revocations.ts'
import { createSignIn, refuse } from './sign-in.ts'
import { type Claims, createVerifier } from './verify.ts'

export { verifyWebhook, WebhookError } from '../webhooks/verify-webhook.mjs'
export type { WebhookEvent, WebhookHeaders } from '../webhooks/verify-webhook.mjs'
export { AuthError, type AuthCode } from './error.ts'
export type { LyceumOptions, Revocation } from './options.ts'
export type { Session } from './renewal.ts'
export type { Claims } from './verify.ts'

/** After so long without the stream of revocations each token is asked about. */
const TRUSTED_MS = 30_000
/** As long as a refresh token is good (s). */
const LONGEST_SESSION = 30 * 86_400
/** A session that is revoked while it is renewed is renewed again; more often is no accident. */
const RENEWALS = 3
const CLIENT_ROLE = 'CLIENT'
const HARMLESS = ['GET', 'HEAD', 'OPTIONS']

/** Who calls, with the access token to ask Lyceum on their behalf. */
export type Caller = { user: Claims; token: string }
/** `cookies` are values of Set-Cookie that belong to the answer, because the session was renewed. */
export type Authenticated = Caller & { cookies: readonly string[] }

/** The method of a request, and the address of the visitor (never of a header that a browser may write). */
export type Origin = { method?: string | undefined; ip?: string | undefined }

export type Lyceum = {
  /** The claims of a token that is good now. Throws AuthError. */
  verifyToken: (token: string) => Promise<Claims>
  /**
   * The caller of a request, by its Bearer token or else its session cookie. With `method`, a page of another origin cannot
   * use the cookie to change anything. Throws AuthError.
   */
  authenticate: (headers: WebhookHeaders, from?: Origin) => Promise<Authenticated>
  /** The session cookie; undefined without `cookieSecret`. */
  sessions: SealedCookie<Session> | undefined
  /** Answers `sign-in`, the callback, `sign-out` and `webhook`; undefined for every other address. */
  handle: (request: Request, from?: Pick<Origin, 'ip'>) => Promise<Response | undefined>
  /** The paths that `handle` answers. */
  paths: readonly string[]
  /** The event of a webhook. Throws WebhookError. */
  webhook: (rawBody: Uint8Array | string, headers: WebhookHeaders) => WebhookEvent
  revocations: Omit<Revocations, 'close'>
  /** Ends the stream of revocations. */
  close: () => void
}

/** What a partner's server needs. Opens the stream of revocations at once. */
export function createLyceum(options: LyceumOptions): Lyceum {
  const parts = readOptions(options)
  const verify = createVerifier(parts)
  const introspect = createIntrospection(parts)
  const renew = createRenewal(parts)
  const { cookieSecret: secret, webhookSecret } = parts
  const callbackUrl = parts.callbackUrl === undefined ? undefined : new URL(parts.callbackUrl)
  const isSecure = callbackUrl?.protocol !== 'http:'
  const sessions =
    secret === undefined
      ? undefined
      : sealedCookie<Session>({ name: 'lyceum', secret, isSecure, maxAge: LONGEST_SESSION })
  const routes = routesOf()
  const { close, ...revocations } = watchRevocations(parts)

  async function verifyToken(token: string): Promise<Claims> {
    const claims = await verify(token)
    const revoked = () => new AuthError('token_revoked', 'The token was revoked')
    if (revocations.isRevoked(claims)) throw revoked()
    // No stream tells of a site's own back end, and one that is not there tells of nobody.
    if (claims.role === CLIENT_ROLE || revocations.silentFor() > TRUSTED_MS)
      if (!(await introspect(token))) throw revoked()
    return claims
  }

  async function authenticate(
    headers: WebhookHeaders,
    { method = 'GET', ip }: Origin = {},
  ): Promise<Authenticated> {
    const read = readerOf(headers)
    const bearer = /^Bearer +([\w.-]+) *$/i.exec(read('authorization') ?? '')?.[1]
    if (bearer !== undefined) return { user: await verifyToken(bearer), token: bearer, cookies: [] }
    const session = await sessions?.read(read('cookie'))
    if (sessions === undefined || session === undefined)
      throw new AuthError('token_missing', 'This needs an access token or a session')
    if (!HARMLESS.includes(method) && !isOfOwnPage(read, callbackUrl?.origin))
      throw new AuthError('foreign_page', 'Another site asked for this', { status: 403 })
    return callerOf(sessions, session, ip)
  }

  async function callerOf(
    cookie: SealedCookie<Session>,
    given: Session,
    ip: string | undefined,
  ): Promise<Authenticated> {
    let session: Session | undefined = given
    for (let renewals = 0; session !== undefined; renewals++) {
      try {
        const { access_token: token } = session
        const user = await verifyToken(token)
        return { user, token, cookies: session === given ? [] : [await cookie.write(session)] }
      } catch (error) {
        const isOver = error instanceof AuthError && error.status === 401
        if (!isOver || renewals === RENEWALS) throw error
      }
      session = await renew(session, ip)
    }
    throw new AuthError('session_over', 'The session is over', { cookies: [cookie.clear()] })
  }

  function routesOf(): Map<string, Record<string, (request: Request, ip?: string) => Promise<Response>>> {
    if (callbackUrl === undefined) return new Map()
    if (secret === undefined || sessions === undefined) throw new TypeError('callbackUrl needs cookieSecret')
    const signIn = createSignIn(parts, { callbackUrl, isSecure, secret, sessions })
    const beside = (name: string) => new URL(name, callbackUrl).pathname
    return new Map([
      [beside('sign-in'), { GET: signIn.begin }],
      [callbackUrl.pathname, { GET: signIn.finish }],
      [beside('sign-out'), { POST: signIn.end }],
      [beside('webhook'), { POST: createReceiver(parts) }],
    ])
  }

  async function handle(request: Request, { ip }: Origin = {}): Promise<Response | undefined> {
    const route = routes.get(new URL(request.url).pathname)
    if (route === undefined) return undefined
    return (
      (await route[request.method]?.(request, ip)) ?? refuse(405, 'method_not_allowed', 'Not by this method')
    )
  }

  return {
    verifyToken,
    authenticate,
    sessions,
    handle,
    paths: [...routes.keys()],
    webhook: (rawBody, headers) => verifyWebhook(rawBody, headers, webhookSecret ?? []),
    revocations,
    close,
  }
}

const readerOf =
  (headers: WebhookHeaders) =>
  (name: string): string | undefined => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    return typeof value === 'string' ? value : undefined
  }
