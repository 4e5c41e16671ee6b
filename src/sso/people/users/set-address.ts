import { one, type Tx } from '#foundation/database/database.ts'
import { foldEmail } from '#foundation/text.ts'
import { removeWaysIn } from '../person/ways-in.ts'

/**
 * The person who opened the link owns the mailbox. An account that others created loses its password and factors,
 * because they may know them. Returns the changed fields, and whether the account was its owner's alone before.
 */
export async function setAddress(
  tx: Tx,
  user_id: string,
  email: string,
): Promise<{ fields: string[]; was_clean: boolean }> {
  const { was_proven, is_claimed } = one(
    await tx<{ was_proven: boolean; is_claimed: boolean }[]>`
      update sso.users u
         set password_hash = case when u.is_claimed then u.password_hash end, is_claimed = true,
             email = ${email}, email_fold = ${foldEmail(email)}, email_verified = true, email_proven_at = clock_timestamp(),
             version = u.version + 1, updated_at = clock_timestamp()
        from sso.users o
       where o.user_id = u.user_id and u.user_id = ${user_id} and u.status = 'active'
      returning o.email_proven_at is not null as was_proven, o.is_claimed`,
  )
  if (!is_claimed) await removeWaysIn(tx, user_id)
  return { fields: was_proven ? ['email'] : ['email', 'email_verified'], was_clean: was_proven && is_claimed }
}

/**
 * Removes passwords, factors, codes, identities and consents added since the change was requested, and every later
 * e-mail change. All of them, if the mailbox had not proven the account before the change.
 */
export async function removeWhatWasAddedSince(
  tx: Tx,
  user_id: string,
  { change_id, was_clean }: { change_id: string; was_clean: boolean },
): Promise<void> {
  if (!was_clean) await removeWaysIn(tx, user_id)
  await tx`
    with undone as (
      delete from sso.email_changes c using sso.email_changes first
       where first.change_id = ${change_id} and c.user_id = ${user_id} and c.asked_at >= first.asked_at
      returning first.asked_at),
    since as (select min(asked_at) as asked_at from undone),
    factors as (
      delete from sso.mfa_factors f using since where f.user_id = ${user_id} and f.created_at >= since.asked_at),
    codes as (
      delete from sso.recovery_codes r using since where r.user_id = ${user_id} and r.created_at >= since.asked_at),
    identities as (
      delete from sso.identities d using since where d.user_id = ${user_id} and d.created_at >= since.asked_at),
    consents as (
      delete from sso.consents c using since where c.user_id = ${user_id} and c.granted_at >= since.asked_at)
    update sso.users set password_hash = null where user_id = ${user_id}`
}
