import type { Tx } from '#foundation/database/database.ts'

/**
 * Deletes the person's pending sign-ins, which wait for a second factor or consent. Call it on every change of
 * password, account or factors, in a transaction that holds the lock of the users row.
 */
export async function deleteChallenges(tx: Tx, user_id: string): Promise<void> {
  await tx`delete from sso.mfa_challenges where user_id = ${user_id} and consumed_at is null`
  await tx`delete from sso.proven_sign_ins where user_id = ${user_id}`
}
