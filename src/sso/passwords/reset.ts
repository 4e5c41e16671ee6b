import { one, type Tx } from '#foundation/database.ts'
import { recordAct } from '../audit.ts'
import { queueNotice } from '../messages/letters.ts'
import { deleteChallenges } from '../mfa/challenges.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { endSessions } from '../sessions/sessions.ts'
import { passwordFaults, refuseFaults } from '../users/fields.ts'
import { cancelEmailChange } from '../users/email-change.ts'
import { tellProfileChanged } from '../users/tell.ts'
import { deadLink } from './account.ts'
import { findOneTimeToken, type Presented, type Purpose, spendOneTimeToken } from './one-time-tokens.ts'

const PURPOSES: readonly Purpose[] = ['password_reset', 'invitation']

/**
 * Sets the password of whoever holds the link that was mailed to them, an invitation or a reset, and ends all their
 * sessions. The link proves the address. 401 token_invalid; 422 for a password that cannot be, which spends nothing.
 */
export async function resetPassword(
  parts: SsoParts,
  { token, site, password }: Pick<Presented, 'token' | 'site'> & { password: string },
  from: Origin,
): Promise<void> {
  const { database, passwords, gate } = parts
  const presented = { token, site, purposes: PURPOSES }
  const known = await findOneTimeToken(database.fast, presented)
  if (!known) throw deadLink()
  refuseFaults(passwordFaults(password, known.email))
  const password_hash = await passwords.hashPassword(password)
  const { user_id } = known
  try {
    await database.transaction(async (tx) => {
      const link = await spendOneTimeToken(tx, presented)
      if (!link) throw deadLink()
      const wasProven = await setPassword(tx, user_id, password_hash)
      if (!wasProven) {
        await removeFactors(tx, user_id)
        await tellProfileChanged(tx, user_id, ['email_verified'])
      }
      await deleteChallenges(tx, user_id)
      await cancelEmailChange(tx, user_id)
      await endSessions(tx, {
        user_id,
        scope: 'everywhere',
        reason: 'password_changed',
        always_bump: true,
        caller: { user_id, site_id: link.site_id },
        from,
      })
      if (link.purpose === 'password_reset')
        await queueNotice(tx, parts, 'password_changed_notice', { user: link, site: link })
      const { environment, site_id, purpose } = link
      await recordAct(
        tx,
        {
          action: 'password.reset',
          environment,
          site_id,
          actor_user_id: user_id,
          subject_user_id: user_id,
          details: { purpose, factors_removed: !wasProven },
        },
        from,
      )
    })
  } finally {
    gate.forgetUser(user_id)
  }
}

/** Whether the address had been proven before: true means that the same person may have set up what is there. */
async function setPassword(tx: Tx, user_id: string, password_hash: string): Promise<boolean> {
  const rows = await tx<{ was_proven: boolean }[]>`
    with before as (
      select user_id, email_proven_at is not null as was_proven from sso.users where user_id = ${user_id})
    update sso.users u
       set password_hash = ${password_hash}, email_verified = true,
           email_proven_at = coalesce(u.email_proven_at, clock_timestamp()),
           version = u.version + 1, updated_at = clock_timestamp()
      from before where u.user_id = before.user_id
    returning was_proven`
  return one(rows).was_proven
}

/**
 * Account pre-hijacking: whoever registered somebody else's address first must not keep a way in once its owner takes
 * the account over.
 */
async function removeFactors(tx: Tx, user_id: string): Promise<void> {
  await tx`delete from sso.mfa_factors where user_id = ${user_id}`
  await tx`delete from sso.recovery_codes where user_id = ${user_id}`
  await tx`delete from sso.identities where user_id = ${user_id}`
}
