import type { Database, Tx } from '#foundation/database/database.ts'
import { ApiError, forbidden, unauthorized } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'
import { cancelEmailChange } from '../../people/users/email-change.ts'
import { refuseFaults } from '../../people/person/fields.ts'
import { requireFreshFactor } from '../../people/sessions/fresh-proof.ts'
import { passwordFaults } from '../../people/person/password-rules.ts'
import { voidOneTimeTokens } from '../../people/letters/one-time-tokens.ts'

/**
 * Replaces the caller's password and ends all their other sessions. Every access token dies; this session continues
 * after one refresh. 403 current_password_wrong (a 401 would make clients refresh and retry), reauthentication_required
 * with a second factor that was not proven lately, password_not_set; 429 too_many_attempts.
 */
export async function changePassword(
  parts: SsoParts,
  caller: Caller,
  { current_password, new_password }: { current_password: string; new_password: string },
  from: Origin,
): Promise<void> {
  const { database, passwords } = parts
  const { user_id, session_id } = caller
  const faults = await passwordFaults(database, new_password, caller)
  refuseFaults(faults.map((fault) => ({ ...fault, field: 'new_password' })))
  await requireFreshFactor(parts, caller)
  const verified = await verifyCurrent(parts, caller, current_password, from)
  const password_hash = await passwords.hashPassword(new_password)
  await database.transaction(async (tx) => {
    if (!(await replacePassword(tx, user_id, verified, password_hash))) throw wrongPassword()
    await deleteChallenges(tx, user_id)
    await voidOneTimeTokens(tx, user_id, ['password_reset', 'invitation'])
    await cancelEmailChange(tx, user_id)
    await endSessions(tx, {
      user_id,
      scope: { except_session_id: session_id },
      reason: 'password_changed',
      always_bump: true,
      caller,
      from,
    })
    await queueNotice(tx, parts, 'password_changed_notice', { user: caller, site: caller })
    await recordAct(tx, { action: 'password.changed', ...byOneself(caller, user_id) }, from)
  })
}

/** The stored hash that the current password matches. The throttle counts a wrong one as at sign-in. */
async function verifyCurrent(
  { database, passwords, throttle }: SsoParts,
  { user_id, environment, email }: Caller,
  password: string,
  { ip_address }: Origin,
): Promise<string> {
  const guess = { kind: 'password', environment, email, client_ip: ip_address } as const
  try {
    return await passwords.refuseInTime(ip_address, () =>
      throttle.guard(guess, async () => {
        const stored = await findHash(database, user_id)
        const isRight = await passwords.verifyPassword(stored, password)
        if (stored === null)
          throw forbidden('password_not_set', 'This account has no password: choose one by a mailed link')
        if (!isRight) throw unauthorized('invalid_credentials', 'The password is wrong')
        return stored
      }),
    )
  } catch (error) {
    throw error instanceof ApiError && error.status === 401 ? wrongPassword() : error
  }
}

async function findHash({ fast }: Database, user_id: string): Promise<string | null> {
  const [user] = await fast<{ password_hash: string | null }[]>`
    select password_hash from sso.users where user_id = ${user_id} and status = 'active'`
  return user?.password_hash ?? null
}

/** Locks the person. False if their password is no longer the verified one. */
async function replacePassword(tx: Tx, user_id: string, verified: string, password_hash: string) {
  const rows = await tx`
    update sso.users set password_hash = ${password_hash}, updated_at = clock_timestamp()
     where user_id = ${user_id} and status = 'active' and password_hash = ${verified}`
  return rows.count === 1
}

const wrongPassword = () => forbidden('current_password_wrong', 'The current password is wrong')
