import { one } from '#foundation/database.ts'
import type { Site } from '#foundation/session-gate.ts'
import { recordAct } from '../audit.ts'
import { queueVerification, type Sender } from '../messages/letters.ts'
import { wasWrittenToLately } from '../messages/queue.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { tellProfileChanged } from '../users/tell.ts'
import { type User, userColumns } from '../users/users.ts'
import { deadLink, lockAccount } from './account.ts'
import { spendOneTimeToken } from './one-time-tokens.ts'

/** Proves the address of whoever holds the link that was mailed to it: the person as that site sees them. 401 token_invalid. */
export async function verifyEmail(
  { database }: SsoParts,
  { token, site }: { token: string; site?: Site | undefined },
  from: Origin,
): Promise<User> {
  return database.transaction(async (tx) => {
    const link = await spendOneTimeToken(tx, { token, site, purposes: ['email_verification'] })
    if (!link) throw deadLink()
    const { user_id, environment, site_id } = link
    const rows = await tx<(User & { was_verified: boolean })[]>`
      with proven as (
        update sso.users u
           set email_verified = true, email_proven_at = coalesce(u.email_proven_at, clock_timestamp()),
               version = u.version + 1, updated_at = clock_timestamp()
         where u.user_id = ${user_id}
        returning ${userColumns(tx)})
      select proven.*, before.email_verified as was_verified, m.external_id,
             case when m.role is null then '[]'::jsonb
                  else jsonb_build_array(jsonb_build_object('site_code', i.site_code, 'role', m.role)) end as roles
        from proven join sso.users before using (user_id)
        left join sso.memberships m on m.user_id = proven.user_id and m.site_id = ${site_id}
        left join sso.sites i on i.site_id = m.site_id`
    const { was_verified, ...user } = one(rows)
    // A link from before a reset proves what the reset has proven already.
    if (!was_verified) await tellProfileChanged(tx, user_id, ['email_verified'])
    await recordAct(
      tx,
      { action: 'email.verified', environment, site_id, actor_user_id: user_id, subject_user_id: user_id },
      from,
    )
    return user
  })
}

/** Sends the link once more where the address is not proven yet, once a minute at most. Tells nobody whether it did. */
export async function resendVerification(
  parts: SsoParts,
  site: Sender,
  email: string,
  from: Origin,
): Promise<void> {
  const { environment, site_id } = site
  await parts.database.transaction(async (tx) => {
    const user = await lockAccount(tx, environment, email)
    if (user && !user.is_proven && !(await wasWrittenToLately(tx, user.user_id, 'email_verification')))
      await queueVerification(tx, parts, { user, site })
    const subject_user_id = user?.user_id ?? null
    await recordAct(
      tx,
      { action: 'email.verification_requested', environment, site_id, actor_user_id: null, subject_user_id },
      from,
    )
  })
}
