import { tokenRevoked } from '#foundation/access-tokens.ts'
import type { Database } from '#foundation/database.ts'
import type { Caller } from '#foundation/session-gate.ts'
import { userColumns, type UserRow } from '../users/users.ts'
import { profileOf } from './id-token.ts'
import { SCOPES } from './authorization.ts'

/** The caller's own standard claims (Core, 5.3). An access token carries no scope: the site sees these anyway. */
export async function userInfo({ fast }: Database, { user_id }: Caller): Promise<Record<string, unknown>> {
  const [user] = await fast<UserRow[]>`
    select ${userColumns(fast, null)} from sso.users u where u.user_id = ${user_id} and u.status = 'active'`
  if (!user) throw tokenRevoked()
  return { sub: user_id, ...profileOf(user, SCOPES.join(' ')) }
}
