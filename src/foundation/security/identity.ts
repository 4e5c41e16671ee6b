import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { unauthorized } from '../errors.ts'

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

export const WWW_AUTHENTICATE = { headers: { 'WWW-Authenticate': 'Bearer' } }

/**
 * The token of the Authorization header (RFC 6750 section 2.1). Undefined without the header. Any other form is 401, so
 * that no other credential is tried beside a bad one.
 */
export function bearerToken({ headers: { authorization } }: FastifyRequest): string | undefined {
  if (authorization === undefined) return undefined
  const token = BEARER.exec(authorization)?.[1]
  if (!token)
    throw unauthorized('token_invalid', 'The Authorization header is not a Bearer token', WWW_AUTHENTICATE)
  return token
}

export function cookieOf({ headers: { cookie } }: FastifyRequest, name: string): string | undefined {
  return cookie === undefined ? undefined : parseCookie(cookie)[name]
}

export const tokenMissing = () =>
  unauthorized('token_missing', 'This needs an access token', WWW_AUTHENTICATE)
