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
  /** Makes a token for the caller (or for nobody) and sets it as a cookie that scripts may read. */
  issue: (request: FastifyRequest, reply: FastifyReply) => string
  /** 403 unless a request that was signed in by cookie proves that a page of this site sent it. */
  guard: (request: FastifyRequest) => void
}

const LIFETIME_SECONDS = 43_200
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Signed double submit: the same value in a cookie and in the header X-CSRF-Token, where only a page of this site can
 * put it, signed for one person (docs/learning.md). `key` is shared by all processes and survives restarts;
 * `addressOf` is the public address of the service as this request names it.
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

/** A token fetched before signing in stays good afterwards. */
const ANYBODY = 'anon'

const subjectOf = (caller: Caller | undefined) => (caller ? `${caller.tenant_id}:${caller.user_id}` : ANYBODY)

/** What the browser says about who sent the request. Only hosts are compared: a proxy may have ended TLS before us. */
export function isForeign({ headers }: Pick<FastifyRequest, 'headers'>, address: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site === 'cross-site') return true
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== new URL(address).host
}

const cookieName = (address: string) => (isSecure(address) ? '__Host-csrf_token' : 'csrf_token')

/** On loopback there is no TLS, and browsers would drop a Secure cookie. */
export const isSecure = (address: string) => !isLoopbackName(new URL(address).hostname)
