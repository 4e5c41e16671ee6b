import { readSigned, signToken } from '#foundation/security/access-tokens.ts'
import { clock } from '#foundation/clock.ts'
import { isUuid } from '#foundation/ids.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { PROFILE_CLAIMS } from '../../core/profile.ts'
import type { UserRow } from '../../people/person/users.ts'

/** Short, because a client reads the ID token at once and no API accepts it (s). */
const LIFE_SECONDS = 600

type Signed = {
  user: UserRow
  access_token: string
  session: { session_id: string; auth_time: string; auth_methods: string[] }
  nonce: string | undefined
  scope: string
}

/**
 * The ID token (OpenID Connect Core 1.0, section 2). Always RS256, so that a client needs only the JWKS. `typ` is JWT,
 * which no API of ours accepts as an access token.
 */
export function signIdToken(
  { ring, tokens }: SsoParts,
  { environment, site_code }: Site,
  { user, access_token, session, nonce, scope }: Signed,
): Promise<string> {
  const { kid, privateKey } = ring.signer(environment)
  const iat = Math.floor(clock.now() / 1_000)
  const claims = {
    iss: tokens.issuer(environment),
    sub: user.user_id,
    aud: site_code,
    iat,
    exp: iat + LIFE_SECONDS,
    auth_time: Math.floor(Date.parse(session.auth_time) / 1_000),
    amr: session.auth_methods,
    sid: session.session_id,
    at_hash: sha256(access_token).subarray(0, 16).toString('base64url'),
    ...(nonce !== undefined && { nonce }),
    ...profileOf(user, scope),
  }
  return signToken(claims, { kid, alg: 'RS256', privateKey }, 'JWT')
}

/** Standard claims by scope (Core, 5.1 and 5.4). */
const CLAIMS_OF: Record<string, Record<string, (user: UserRow) => unknown>> = {
  email: { email: (user) => user.email, email_verified: (user) => user.email_verified },
  phone: {
    phone_number: (user) => user.phone,
    phone_number_verified: (user) => (user.phone === null ? null : user.phone_verified),
  },
  profile: {
    ...Object.fromEntries(PROFILE_CLAIMS.map(({ name, claim }) => [claim, (user: UserRow) => user[name]])),
    updated_at: (user) => Math.floor(Date.parse(user.updated_at) / 1_000),
  },
}
export const CLAIMS = Object.values(CLAIMS_OF).flatMap((claims) => Object.keys(claims))

/** The claims of the scope; unknown values are left out. */
export const profileOf = (user: UserRow, scope: string): Record<string, unknown> =>
  Object.fromEntries(
    scope
      .split(' ')
      .flatMap((asked) => Object.entries(CLAIMS_OF[asked] ?? {}))
      .map(([name, valueOf]) => [name, valueOf(user)])
      .filter(([, value]) => value !== null),
  )

export type Hint = { site_code: string; session_id: string; user_id: string }

/** The subject of an ID token that we issued, even if it has expired; undefined for anything else. */
export async function readIdTokenHint(
  { ring, tokens }: SsoParts,
  id_token: string,
): Promise<Hint | undefined> {
  try {
    const findKey = async (kid: string) => {
      const found = await ring.find(kid)
      return found && { alg: 'RS256' as const, ...found }
    }
    const { claims, key } = await readSigned(id_token, 'JWT', findKey)
    const { iss, aud, sid, sub } = claims
    if (iss !== tokens.issuer(key.environment) || typeof aud !== 'string') return undefined
    const isOurs = typeof sid === 'string' && typeof sub === 'string' && isUuid(sid) && isUuid(sub)
    return isOurs ? { site_code: aud, session_id: sid, user_id: sub } : undefined
  } catch {
    return undefined
  }
}
