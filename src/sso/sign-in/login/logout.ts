import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { badRequest } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { revokeSessions } from '../../people/sessions/sessions.ts'
import { refused } from '../../people/sessions/answer.ts'

export const LogoutBody = Type.Object({
  refresh_token: Type.Optional(Type.String()),
  everywhere: Type.Boolean({ default: false }),
})
export const LogoutAnswer = Type.Object({
  revoked: Type.Literal(true),
  session_id: Uuid,
  session_version: Type.Integer(),
})

type Presented = Static<typeof LogoutBody> & { access_token: string | undefined }

/**
 * Ends the sign-in of the refresh token, or else of the access token; both may be spent, stale or expired. A repeat
 * returns the same and changes nothing. 400 without either, 401 for a token that is unknown or another site's.
 */
export async function logout(parts: SsoParts, site: Site, presented: Presented, from: Origin) {
  const session = await findSession(parts, site, presented)
  if (!session) throw refused('token_invalid', 'The token is not valid')
  const { session_id, user_id, login_id } = session
  const { session_version } = await revokeSessions(parts, {
    user_id,
    scope: presented.everywhere ? 'everywhere' : { login_id },
    reason: presented.everywhere ? 'logout_everywhere' : 'logout',
    caller: { user_id, site_id: site.site_id },
    from,
  })
  return { revoked: true as const, session_id, session_version }
}

type Known = { session_id: string; user_id: string; login_id: string }

async function findSession(parts: SsoParts, site: Site, { refresh_token, access_token }: Presented) {
  if (refresh_token !== undefined) return findByRefreshToken(parts.database, site, refresh_token)
  if (access_token === undefined)
    throw badRequest(
      'missing_field',
      'refresh_token: is required, or an access token as Authorization: Bearer',
    )
  const { sid, sub } = (await parts.tokens.verifyOld(access_token)).claims
  // A holder of a site's jwt_secret can sign any claim.
  if (!isUuid(sid) || !isUuid(sub)) return undefined
  const [session] = await parts.database.fast<Known[]>`
    select session_id, user_id, login_id from sso.sessions
     where session_id = ${sid} and user_id = ${sub} and site_id = ${site.site_id}`
  return session
}

async function findByRefreshToken({ fast }: Database, { site_id }: Site, refresh_token: string) {
  const [session] = await fast<Known[]>`
    select s.session_id, s.user_id, s.login_id from sso.refresh_tokens t join sso.sessions s using (session_id)
     where t.token_hash = ${sha256(refresh_token)} and s.site_id = ${site_id}`
  return session
}
