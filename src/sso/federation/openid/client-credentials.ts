import { ACCESS_TOKEN_LIFE } from '#foundation/security/access-tokens.ts'
import { CLIENT_ROLE, isClientScope } from '#foundation/security/powers.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { SigningSite } from '../../core/tokens/tokens.ts'
import { oauthError } from '../../sign-in/openid-requests/errors.ts'

type Machine = Pick<SigningSite, 'token_signing' | 'hs_generation'> & {
  scopes: string[]
  client_session: string
}

/**
 * Issues a token for the back end of a site (RFC 6749, 4.4) without a person: `sub` is the site. It has the requested
 * scopes, by default all of the client's, and no refresh token. 400 unauthorized_client, invalid_scope.
 */
export async function grantToClient(
  { database, tokens }: SsoParts,
  site: Site,
  scope: string | undefined,
  from: Origin,
) {
  const { site_id, site_code, environment } = site
  const [machine] = await database.fast<Machine[]>`
    select c.scopes, c.client_session, i.token_signing, i.hs_generation
      from sso.openid_clients c join sso.sites i using (site_id)
     where c.site_id = ${site_id} and i.deleted_at is null and i.status = 'active'`
  const allowed = machine?.scopes.filter(isClientScope) ?? []
  if (!machine || allowed.length === 0)
    throw oauthError('unauthorized_client', 'An ADMIN of the site has given this client no scopes')
  const asked = scope?.split(' ').filter((one) => one !== '') ?? []
  const unknown = asked.find((one) => !allowed.some((mine) => mine === one))
  if (unknown !== undefined)
    throw oauthError('invalid_scope', 'The client does not have every scope that is asked for')
  const permissions = asked.length === 0 ? allowed : allowed.filter((one) => asked.includes(one))
  const { token_signing, hs_generation, client_session } = machine
  const { access_token } = await tokens.issue({
    user_id: site_id,
    email: '',
    role: CLIENT_ROLE,
    permissions,
    site: { ...site, token_signing, hs_generation },
    session_id: client_session,
    session_version: 1,
    auth_methods: [],
    auth_time: new Date().toISOString(),
  })
  const who = { environment, site_id, actor_user_id: site_id, subject_user_id: null }
  await recordAct(
    database.pool,
    { action: 'openid_client.token_issued', ...who, details: { site_code, scopes: permissions } },
    from,
  )
  return {
    access_token,
    token_type: 'Bearer' as const,
    expires_in: ACCESS_TOKEN_LIFE,
    scope: permissions.join(' '),
  }
}
