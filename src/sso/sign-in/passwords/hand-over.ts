import { one, type Tx } from '#foundation/database/database.ts'
import { type Addressee, queueNotice, type Sender } from '../../people/letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'
import { tellProfileChanged } from '../../people/person/tell.ts'
import { removeWaysIn } from '../../people/person/ways-in.ts'
import { type Holder, isHeldBy } from '../../people/sessions/holder.ts'
import { cancelEmailChange } from '../../people/users/email-change.ts'

/** State of an account before its address was proven. `is_clean`: nobody but its owner can have set up a way in. */
export type Before = { was_proven: boolean; was_claimed: boolean; is_clean: boolean }

/**
 * Marks the address as proven and the account as claimed, after a link in its mailbox was opened. The row is locked.
 * The mailbox tells whose the address is, not who set up the ways in. Unless whoever registered opened the link, or the
 * owner was there before, all of them end: prevents account pre-hijacking. `password_hash` is chosen with the link.
 */
export async function proveAddress(
  tx: Tx,
  { user_id, site_id }: { user_id: string; site_id: string | null },
  {
    from,
    holder = {},
    password_hash = null,
  }: { from: Origin; holder?: Holder; password_hash?: string | null },
): Promise<Before> {
  const before = one(
    await tx<Before[]>`
      with before as (
        select user_id, email_proven_at is not null as was_proven, is_claimed as was_claimed,
               is_claimed and (email_proven_at is not null or ${isHeldBy(tx, holder)}) as is_clean
          from sso.users u where user_id = ${user_id})
      update sso.users u
         set password_hash = coalesce(${password_hash}, case when b.is_clean then u.password_hash end),
             email_verified = true, email_proven_at = coalesce(u.email_proven_at, clock_timestamp()),
             is_claimed = true, version = u.version + 1, updated_at = clock_timestamp()
        from before b where u.user_id = b.user_id
      returning b.was_proven, b.was_claimed, b.is_clean`,
  )
  if (!before.was_proven) await tellProfileChanged(tx, user_id, ['email_verified'])
  if (before.is_clean) return before
  await removeWaysIn(tx, user_id)
  await tx`delete from sso.email_changes where user_id = ${user_id}`
  await endSignIns(tx, { user_id, site_id, from })
  return before
}

/** Gives the account to the holder of a link that was mailed for a new way in, and ends what was begun before. */
export async function takeOver(
  tx: Tx,
  link: { user_id: string; site_id: string | null },
  how: { from: Origin; password_hash?: string | null },
): Promise<Before> {
  const before = await proveAddress(tx, link, how)
  await cancelEmailChange(tx, link.user_id)
  if (before.is_clean) await endSignIns(tx, { ...link, from: how.from })
  return before
}

/** Ends every session and every sign-in in progress from before. */
async function endSignIns(
  tx: Tx,
  { user_id, site_id, from }: { user_id: string; site_id: string | null; from: Origin },
): Promise<void> {
  await deleteChallenges(tx, user_id)
  await endSessions(tx, {
    user_id,
    scope: 'everywhere',
    reason: 'password_changed',
    always_bump: true,
    caller: { user_id, site_id },
    from,
  })
}

/** At most so many site codes in one notice. */
const NAMED_SITES = 20

/** Tells the owner that the account existed before them, and at which sites, since they did not ask for these. */
export async function tellOfHandOver(tx: Tx, parts: Pick<SsoParts, 'keys'>, user: Addressee, site: Sender) {
  const rows = await tx<{ site_code: string }[]>`
    select i.site_code from sso.memberships m join sso.sites i using (site_id)
     where m.user_id = ${user.user_id} and i.deleted_at is null
     order by i.site_code limit ${NAMED_SITES}`
  const sites = rows.map(({ site_code }) => site_code)
  await queueNotice(tx, parts, 'account_handed_over_notice', { user, site }, sites)
}
