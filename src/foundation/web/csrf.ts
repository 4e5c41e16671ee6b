import { createHmac, randomBytes } from 'node:crypto'
import { stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clock } from '../clock.ts'
import { forbidden } from '../errors.ts'
import { isLoopbackName } from './hosts.ts'
import { cookieOf } from '../security/identity.ts'
import { sameSecret } from '../security/secrets.ts'
import type { Caller } from '../security/session-gate.ts'

export type Csrf = {
  /** Creates a token for the caller (or an anonymous visitor) and sets it as a cookie that scripts can read. */
  issue: (request: FastifyRequest, reply: FastifyReply) => string
  /** 403 unless a cookie-authenticated request proves that a page of this site sent it. */
  guard: (request: FastifyRequest) => void
}

const LIFETIME_SECONDS = 43_200
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Signed double-submit cookie: the same value in a cookie and in X-CSRF-Token, which only a page of this site can set,
 * signed for one person (docs/learning.md). `key` is shared by all processes and survives restarts; `addressOf` returns
 * the public address of the service for a request.
 */
export function createCsrf(options: { key: Buffer; addressOf: (request: FastifyRequest) => string }): Csrf {
  const { key, addressOf } = options
  const sign = (nonce: string, exp: string, subject: string) =>
    createHmac('sha256', key).update(`${nonce}|${exp}|${subject}`).digest('base64url')

  const isSigned = (token: string, subject: string) => {
    const [nonce = '', exp = '', mac = '', ...rest] = token.split('.')
    return (
      rest.length === 0 && sameSecret(mac, sign(nonce, exp, subject)) && Number(exp) * 1_000 > clock.now()
    )
  }

  return {
    issue(request, reply) {
      const nonce = randomBytes(16).toString('base64url')
      const exp = String(Math.floor(clock.now() / 1_000) + LIFETIME_SECONDS)
      const token = `${nonce}.${exp}.${sign(nonce, exp, subjectOf(request.caller))}`
      const address = addressOf(request)
      reply.header(
        'Set-Cookie',
        stringifySetCookie({
          name: cookieName(address),
          value: token,
          path: '/',
          sameSite: 'lax',
          maxAge: LIFETIME_SECONDS,
          secure: isSecure(address),
        }),
      )
      return token
    },
    guard(request) {
      if (SAFE_METHODS.has(request.method)) return
      const address = addressOf(request)
      const sent = request.headers['x-csrf-token']
      const kept = cookieOf(request, cookieName(address))
      const isOurs =
        typeof sent === 'string' &&
        kept !== undefined &&
        sameSecret(sent, kept) &&
        (isSigned(sent, subjectOf(request.caller)) || isSigned(sent, ANYBODY))
      if (!isOurs || isForeign(request, address)) throw forbidden('csrf', 'CSRF token missing or invalid')
    },
  }
}

/** Subject of a token issued before sign-in, which stays valid afterwards. */
const ANYBODY = 'anon'

const subjectOf = (caller: Caller | undefined) => (caller ? `${caller.tenant_id}:${caller.user_id}` : ANYBODY)

/** Whether the browser reports another site as the sender. Compares hosts only, because a proxy may have ended TLS. */
export function isForeign({ headers }: Pick<FastifyRequest, 'headers'>, address: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site === 'cross-site') return true
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== new URL(address).host
}

const cookieName = (address: string) => (isSecure(address) ? '__Host-csrf_token' : 'csrf_token')

/** Loopback has no TLS, and browsers would drop a Secure cookie. */
export const isSecure = (address: string) => !isLoopbackName(new URL(address).hostname)
