import { type Static, Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { Caller, Site } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'

const Live = Type.Object({
  sub: Uuid,
  sid: Uuid,
  sv: Type.Integer(),
  email: Type.Optional(Type.String()),
  role: Type.String(),
  permissions: Type.Array(Type.String()),
  site_id: Uuid,
  site_code: Type.String(),
  tenant_id: Uuid,
  env: OneOf(['sandbox', 'production']),
})
const OfToken = Type.Object({
  token_type: Type.Literal('Bearer'),
  iss: Type.String(),
  aud: Type.String(),
  client_id: Type.String(),
  iat: Type.Integer(),
  nbf: Type.Integer(),
  exp: Type.Integer(),
  jti: Type.String(),
  amr: Type.Array(Type.String()),
  auth_time: Type.Integer(),
})

/** RFC 7662, section 2.2, with every claim. For a session, only the claims that do not belong to one token. */
export const Introspection = Type.Object({
  active: Type.Boolean(),
  ...Type.Partial(Live).properties,
  ...Type.Partial(OfToken).properties,
})
type Introspection = Static<typeof Introspection>

/** The only answer for a token that is not alive or not visible to the asking site (RFC 7662, section 2.2). */
const INACTIVE: Introspection = { active: false }

/** The claims of an access token, with the current role, permissions and e-mail. */
export async function introspectToken(
  { tokens, gate }: SsoParts,
  site: Site,
  token: string,
): Promise<Introspection> {
  try {
    const caller = await gate.verifyAccessToken(token)
    if (!mayAsk(site, caller)) return INACTIVE
    const { claims } = await tokens.verify(token)
    return { active: true, ...claims, ...live(caller), token_type: 'Bearer' }
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return INACTIVE
    throw error
  }
}

/** The state of a session, for first-party sites whose opaque tokens are bound to one. */
export async function introspectSession(
  { gate }: SsoParts,
  site: Site,
  session_id: string,
): Promise<Introspection> {
  const caller = site.is_first_party ? await gate.findSession(session_id) : undefined
  return caller ? { active: true, ...live(caller) } : INACTIVE
}

/** First-party sites serve the people of every site, including sandbox sites. */
const mayAsk = (site: Site, caller: Caller) => site.is_first_party || site.site_id === caller.site_id

const live = (caller: Caller): Static<typeof Live> => ({
  sub: caller.user_id,
  sid: caller.session_id,
  sv: caller.session_version,
  ...(caller.email !== '' && { email: caller.email }),
  role: caller.role,
  permissions: caller.permissions,
  site_id: caller.site_id,
  site_code: caller.site_code,
  tenant_id: caller.tenant_id,
  env: caller.environment,
})
