import type { Tx } from '#foundation/database/database.ts'

/**
 * Removes what opens the account, but for password and sessions. Consents given in the owner's name go too, so that
 * sites ask again; a number counts as proven only by a factor. The transaction holds the lock on the users row.
 */
export async function removeWaysIn(tx: Tx, user_id: string): Promise<void> {
  await tx`delete from sso.mfa_factors where user_id = ${user_id}`
  await tx`delete from sso.recovery_codes where user_id = ${user_id}`
  await tx`delete from sso.identities where user_id = ${user_id}`
  await tx`delete from sso.proven_sign_ins where user_id = ${user_id}`
  await tx`delete from sso.consents where user_id = ${user_id}`
  await tx`update sso.users set phone_verified = false where user_id = ${user_id} and phone_verified`
}
