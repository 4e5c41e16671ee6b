import { tokenRevoked } from '#foundation/access-tokens.ts'
import type { Tx } from '#foundation/database.ts'
import { ApiError, forbidden } from '#foundation/errors.ts'
import type { Caller } from '#foundation/session-gate.ts'
import { requirePerson } from '../access.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { isEmailVerified } from './email-claims.ts'
import { refused } from '../sign-in/answer.ts'

/**
 * Factors and the own address are changed by who has just signed in, or gives the password again: a stolen access token is
 * not enough. 403 reauthentication_required (not 401, which would make clients refresh), 429 after too many wrong
 * passwords.
 */
export async function requireRecentProof(
  { database, passwords, throttle }: SsoParts,
  caller: Caller,
  password: string | undefined,
  { ip_address }: Origin,
): Promise<void> {
  requirePerson(caller)
  const { user_id, session_id, email, environment } = caller
  const [owner] = await database.fast<{ password_hash: string | null; is_recent: boolean }[]>`
    select u.password_hash, s.auth_time > statement_timestamp() - interval '15 minutes' as is_recent
      from sso.sessions s join sso.users u using (user_id)
     where s.session_id = ${session_id} and s.user_id = ${user_id} and s.revoked_at is null`
  if (password === undefined) {
    if (owner?.is_recent) return
    throw forbidden(
      'reauthentication_required',
      'Give the password, or sign in again and come within 15 minutes',
    )
  }
  const guess = { kind: 'password', environment, email, client_ip: ip_address } as const
  try {
    await passwords.refuseInTime(ip_address, () =>
      throttle.guard(guess, async () => {
        if (!(await passwords.verifyPassword(owner?.password_hash, password)))
          throw refused('invalid_credentials', 'The password is wrong')
      }),
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    throw forbidden('reauthentication_required', 'The password is wrong')
  }
}

/**
 * The lock under which people change what is their own. 401 when account or session have ended since the request came in,
 * of which the statement that waited for the lock knows nothing, hence the second one.
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
