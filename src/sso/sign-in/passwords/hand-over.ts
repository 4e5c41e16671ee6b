import { one, type Tx } from '#foundation/database/database.ts'
import { type Addressee, queueNotice, type Sender } from '../../people/letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'
import { tellProfileChanged } from '../../people/person/tell.ts'
import { cancelEmailChange } from '../../people/users/email-change.ts'

/** State of an account before its address was proven. */
export type Before = { was_proven: boolean; was_claimed: boolean }

/**
 * Marks the address as proven and the account as claimed, after a link in its mailbox was opened. The row is locked.
 * `password_hash` is the password chosen with the link. Without one, an account that others made loses its password,
 * which they may know.
 */
export async function proveAddress(
  tx: Tx,
  user_id: string,
  password_hash: string | null = null,
): Promise<Before> {
  return one(
    await tx<Before[]>`
      with before as (
        select user_id, email_proven_at is not null as was_proven, is_claimed as was_claimed
          from sso.users where user_id = ${user_id})
      update sso.users u
         set password_hash = coalesce(${password_hash}, case when b.was_claimed then u.password_hash end),
             email_verified = true, email_proven_at = coalesce(u.email_proven_at, clock_timestamp()),
             is_claimed = true, version = u.version + 1, updated_at = clock_timestamp()
        from before b where u.user_id = b.user_id
      returning b.was_proven, b.was_claimed`,
  )
}

/**
 * Gives the account to the holder of a link that was mailed for a new way in, in the transaction that spends it: proves
 * the address, ends what was begun before, and removes the ways in of anybody who was there before the owner.
 */
export async function takeOver(
  tx: Tx,
  { user_id, site_id }: { user_id: string; site_id: string | null },
  { from, password_hash = null }: { from: Origin; password_hash?: string | null },
): Promise<Before & { is_clean: boolean }> {
  const before = await proveAddress(tx, user_id, password_hash)
  const is_clean = before.was_proven && before.was_claimed
  if (!is_clean) await removeWaysIn(tx, user_id)
  if (!before.was_proven) await tellProfileChanged(tx, user_id, ['email_verified'])
  await cancelEmailChange(tx, user_id)
  await endSignIns(tx, { user_id, site_id, from })
  return { ...before, is_clean }
}

/**
 * Prevents account pre-hijacking: whoever made or first registered an account for somebody else's address must not keep
 * a way in. Consents given in the owner's name go too, so that sites ask again.
 */
export async function removeWaysIn(tx: Tx, user_id: string): Promise<void> {
  await tx`delete from sso.mfa_factors where user_id = ${user_id}`
  await tx`delete from sso.recovery_codes where user_id = ${user_id}`
  await tx`delete from sso.identities where user_id = ${user_id}`
  await tx`delete from sso.proven_sign_ins where user_id = ${user_id}`
  await tx`delete from sso.consents where user_id = ${user_id}`
  await cancelEmailChange(tx, user_id)
}

/** Ends every session and every sign-in in progress from before. */
export async function endSignIns(
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
