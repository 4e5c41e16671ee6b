import { type Static, Type } from 'typebox'
import { ACCESS_TOKEN_LIFE } from '#foundation/security/access-tokens.ts'
import { unauthorized } from '#foundation/errors.ts'
import { WWW_AUTHENTICATE } from '#foundation/security/identity.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { withinScope } from '#foundation/security/scope.ts'
import type { Caller, Site } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { User, type UserRow } from '../person/users.ts'

/** Maximum age of a session in days, however active; a site may set a lower one. */
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

/** The membership at the site of the sign-in, read in the transaction that opens the session. */
export type Membership = {
  role: string
  permissions: string[]
  external_id: string | null
  token_signing: 'HS256' | 'RS256' | 'dual'
  hs_generation: number
  /** Lifetime of the next refresh token: 30 days, or less if the site's maximum session age ends sooner. */
  refresh_seconds: number
}
export type OpenSession = {
  session_id: string
  auth_methods: string[]
  auth_time: string
} & Pick<Caller, 'scope'>

/** Builds the answer of login and refresh: newly signed tokens, and the person as the session may show them. */
export async function answerWith(
  { tokens }: SsoParts,
  site: Site,
  user: UserRow,
  { external_id, ...member }: Membership,
  session: OpenSession,
  refresh_token: string,
): Promise<TokensAnswer> {
  const roles = [{ site_code: site.site_code, role: member.role }]
  const { scope, ...opened } = session
  const shown = withinScope({ ...user, external_id, roles }, scope)
  const { token_signing, hs_generation, role, permissions, refresh_seconds } = member
  const signed = await tokens.issue({
    user_id: shown.user_id,
    email: shown.email,
    role,
    permissions,
    site: { ...site, token_signing, hs_generation },
    session_version: user.session_version,
    ...opened,
  })
  return {
    ...signed,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFE,
    refresh_token,
    refresh_expires_in: refresh_seconds,
    session_id: session.session_id,
    mfa_required: false,
    user: shown,
  }
}

export const refused = (code: string, detail: string) => unauthorized(code, detail, WWW_AUTHENTICATE)
