import { type Static, Type } from 'typebox'
import { ACCESS_TOKEN_LIFE } from '#foundation/security/access-tokens.ts'
import { unauthorized } from '#foundation/errors.ts'
import { WWW_AUTHENTICATE } from '#foundation/security/identity.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { User, type UserRow } from '../person/users.ts'

/** After so many days somebody signs in anew, however busy the session is; a site may ask for it sooner. */
export const SESSION_MAX_DAYS = 90

export type TokensAnswer = Static<typeof TokensAnswer>
export const TokensAnswer = Type.Object({
  access_token: Type.String(),
  access_token_hs256: Type.Optional(Type.String()),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  refresh_expires_in: Type.Integer(),
  session_id: Uuid,
  mfa_required: Type.Literal(false),
  user: User,
})

/** What a person is at the site they sign in at, read in the transaction that lets them in. */
export type Membership = {
  role: string
  permissions: string[]
  external_id: string | null
  token_signing: 'HS256' | 'RS256' | 'dual'
  hs_generation: number
  /** How long its next refresh token is good: 30 days, or less when the site's greatest age of a session is nearer. */
  refresh_seconds: number
}
export type OpenSession = { session_id: string; auth_methods: string[]; auth_time: string }

/** The answer of login and refresh: freshly signed tokens and the person as this site sees them. */
export async function answerWith(
  { tokens }: SsoParts,
  site: Site,
  user: UserRow,
  { external_id, ...member }: Membership,
  session: OpenSession,
  refresh_token: string,
): Promise<TokensAnswer> {
  const { token_signing, hs_generation, role, permissions, refresh_seconds } = member
  const signed = await tokens.issue({
    user_id: user.user_id,
    email: user.email,
    role,
    permissions,
    site: { ...site, token_signing, hs_generation },
    session_version: user.session_version,
    ...session,
  })
  return {
    ...signed,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFE,
    refresh_token,
    refresh_expires_in: refresh_seconds,
    session_id: session.session_id,
    mfa_required: false,
    user: { ...user, external_id, roles: [{ site_code: site.site_code, role }] },
  }
}

export const refused = (code: string, detail: string) => unauthorized(code, detail, WWW_AUTHENTICATE)
