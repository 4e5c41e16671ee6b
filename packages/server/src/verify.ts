import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose'
import { AuthError } from './error.ts'
import { publishedKeys } from './keys.ts'
import type { Parts } from './options.ts'

/** As long as our tokens live at most (s). */
const LONGEST_LIFE = 1_800
/** Clocks differ (s). The end of a token is not moved by it: until then its revocation is remembered, and no longer. */
const LEEWAY = 5
const LONGEST_TOKEN = 8_192

export type Claims = {
  /** The user_id, or the site_id for a site's own back end. */
  sub: string
  sid: string
  /** The session_version of the person when the token was made. */
  sv: number
  email?: string
  role: string
  permissions: string[]
  site_code: string
  tenant_id: string
  iss: string
  aud: string
  client_id: string
  iat: number
  nbf: number
  exp: number
  jti: string
  amr: string[]
  auth_time: number
  env: 'sandbox' | 'production'
}

const invalid = (cause?: unknown) => new AuthError('token_invalid', 'The token is not valid', { cause })
const expired = (cause?: unknown) => new AuthError('token_expired', 'The token has expired', { cause })

/**
 * Verifies signature, issuer, audience, environment, times and type of a token. HS256 only with the site's own secret, RS256
 * only with the published keys, so that neither can be taken for the other.
 */
export function createVerifier({ sso, siteCode, environment, jwtSecret, issuer }: Parts) {
  const below = environment === 'sandbox' ? '/sandbox' : ''
  const published = publishedKeys(`${sso}${below}/.well-known/jwks.json`)
  const secrets = [jwtSecret ?? []].flat().map((secret) => Buffer.from(secret, 'base64url'))
  const rules: JWTVerifyOptions = {
    issuer,
    audience: siteCode,
    typ: 'at+jwt',
    requiredClaims: ['sub', 'sid', 'sv', 'iat', 'exp'],
    clockTolerance: LEEWAY,
  }

  /** The claims of a token; throws AuthError. Says nothing about revocation. */
  return async (token: string): Promise<Claims> => {
    if (token.length > LONGEST_TOKEN) throw invalid()
    const claims = await verified(token).catch((error: unknown) => {
      if (error instanceof AuthError) throw error
      throw error instanceof errors.JWTExpired ? expired(error) : invalid(error)
    })
    const { iat = 0, exp = 0 } = claims
    const now = Date.now() / 1_000
    if (exp <= now) throw expired()
    if (exp - iat > LONGEST_LIFE || iat > now + LEEWAY) throw invalid()
    if (claims['env'] !== environment || claims['site_code'] !== siteCode) throw invalid()
    if (typeof claims.sub !== 'string' || !Number.isInteger(claims['sv'])) throw invalid()
    return claims as Claims
  }

  async function verified(token: string): Promise<JWTPayload> {
    const { alg } = decodeProtectedHeader(token)
    if (alg !== 'HS256')
      return (await jwtVerify(token, published, { ...rules, algorithms: ['RS256'] })).payload
    let fault: unknown
    for (const secret of secrets)
      try {
        return (await jwtVerify(token, secret, { ...rules, algorithms: ['HS256'] })).payload
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
        fault = error
      }
    throw invalid(fault)
  }
}
