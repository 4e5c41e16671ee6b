import type { Lane, Tx } from '#foundation/database/database.ts'
import { PROVEN_FACTORS } from './required.ts'

/** Minutes for which a session's proof counts as fresh. */
const FRESH_MINUTES = 15

/**
 * Whether session `s` has a fresh proof of all credentials of person `u`: the password if set, and a factor if any is
 * active. A passkey that knows its user stands for both. Proofs given to another session do not count.
 */
export const isFreshlyProven = (sql: Lane) => sql`
  (coalesce(s.proven_at > statement_timestamp() - make_interval(mins => ${FRESH_MINUTES}), false)
   and (u.password_hash is null or s.proven_methods && array['pwd', 'mfa'])
   and (not ${hasFactor(sql)} or s.proven_methods && ${PROVEN_FACTORS}))`

export const hasFactor = (sql: Lane) => sql`
  exists (select from sso.mfa_factors f where f.user_id = u.user_id and f.activated_at is not null)`

/**
 * Records a proof given now; the transaction must hold the lock of the users row. Returns false when the session has
 * ended.
 */
export async function recordProof(
  tx: Tx,
  { session_id, user_id }: { session_id: string; user_id: string },
  methods: string[],
): Promise<boolean> {
  const rows = await tx`
    update sso.sessions set proven_at = clock_timestamp(), proven_methods = ${methods}
     where session_id = ${session_id} and user_id = ${user_id} and revoked_at is null`
  return rows.count === 1
}

/** For a session continued by a code, whose holder did not enter a password. */
export async function forgetProof(tx: Tx, session_id: string): Promise<void> {
  await tx`update sso.sessions set proven_at = null, proven_methods = '{}' where session_id = ${session_id}`
}

/** Adds a method to the session's proof without renewing the proof's time. */
export async function addToProof(
  tx: Tx,
  { session_id, user_id }: { session_id: string; user_id: string },
  method: string,
): Promise<void> {
  await tx`
    update sso.sessions set proven_methods = proven_methods || ${[method]}
     where session_id = ${session_id} and user_id = ${user_id} and proven_at is not null`
}
