import { tokenRevoked } from '#foundation/security/access-tokens.ts'
import type { Database } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { userColumns, type UserRow } from '../../people/person/users.ts'
import { profileOf } from './id-token.ts'
import { SCOPES } from '../../sign-in/consent/purpose.ts'

/**
 * The caller's standard claims (Core, 5.3) for the scope of the session. A session that did not begin with OpenID
 * Connect has no scope, and its site gets all claims.
 */
export async function userInfo(
  { fast }: Database,
  { user_id, session_id }: Caller,
): Promise<Record<string, unknown>> {
  const [user] = await fast<(UserRow & { openid_scope: string | null })[]>`
    select ${userColumns(fast, null)}, s.openid_scope
      from sso.users u join sso.sessions s using (user_id)
     where u.user_id = ${user_id} and u.status = 'active' and s.session_id = ${session_id}`
  if (!user) throw tokenRevoked()
  return { sub: user_id, ...profileOf(user, user.openid_scope ?? SCOPES.join(' ')) }
}
