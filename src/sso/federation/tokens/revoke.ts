import { ApiError } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { revokeSessions } from '../../people/sessions/sessions.ts'

/**
 * Ends the sign-in of a refresh or access token of this site, even a spent or expired one. An unknown token changes
 * nothing and the response does not tell (RFC 7009, section 2.2).
 */
export async function revokeToken(parts: SsoParts, site: Site, token: string, from: Origin): Promise<void> {
  const session_id = await sessionOf(parts, site, token)
  const [session] = await parts.database.fast<{ user_id: string; login_id: string }[]>`
    select user_id, login_id from sso.sessions
     where session_id = ${session_id} and site_id = ${site.site_id} and revoked_at is null`
  if (!session) return
  const { user_id, login_id } = session
  await revokeSessions(parts, {
    user_id,
    scope: { login_id },
    reason: 'logout',
    caller: { user_id: null, site_id: site.site_id },
    from,
  })
}

async function sessionOf({ database, tokens }: SsoParts, site: Site, token: string): Promise<string | null> {
  if (token.startsWith('rt_')) {
    const [family] = await database.fast<{ session_id: string }[]>`
      select t.session_id from sso.refresh_tokens t join sso.sessions s using (session_id)
       where t.token_hash = ${sha256(token)} and s.site_id = ${site.site_id}`
    return family?.session_id ?? null
  }
  try {
    const { sid } = (await tokens.verifyOld(token)).claims
    // A holder of a site's jwt_secret can sign any claim.
    return isUuid(sid) ? sid : null
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}
