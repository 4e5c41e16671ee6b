import { tokenRevoked } from '#foundation/security/access-tokens.ts'
import type { Tx } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requirePerson } from '../../core/access/access.ts'
import { isEmailVerified } from './email-claims.ts'

/**
 * Locks the caller's own row before they change their own data. 401 when account or session has ended since
 * authentication. A second statement checks the session, because the one that waited for the lock used an older
 * snapshot.
 */
export async function lockSelf(tx: Tx, caller: Caller): Promise<{ email: string; email_verified: boolean }> {
  requirePerson(caller)
  const { user_id, session_id } = caller
  const [owner] = await tx<{ email: string; email_verified: boolean }[]>`
    select u.email, ${isEmailVerified(tx, null)} as email_verified from sso.users u
     where u.user_id = ${user_id} and u.status = 'active' for no key update of u`
  const [session] = await tx`
    select from sso.sessions where session_id = ${session_id} and user_id = ${user_id} and revoked_at is null`
  if (!owner || !session) throw tokenRevoked()
  return owner
}
