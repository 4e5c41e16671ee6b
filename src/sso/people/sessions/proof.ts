import type { Lane, Tx } from '#foundation/database/database.ts'
import { PROVEN_FACTORS } from './required.ts'

/** Minutes for which what a session was given as proof counts as fresh. */
const FRESH_MINUTES = 15

/**
 * Whether session `s` of person `u` has proven lately all that the person can prove: the password, if there is one, and a
 * factor, if any is active. What proved another session does not count.
 */
export const isFreshlyProven = (sql: Lane) => sql`
  (coalesce(s.proven_at > statement_timestamp() - make_interval(mins => ${FRESH_MINUTES}), false)
   and (u.password_hash is null or 'pwd' = any(s.proven_methods))
   and (not ${hasFactor(sql)} or s.proven_methods && ${PROVEN_FACTORS}))`

export const hasFactor = (sql: Lane) => sql`
  exists (select from sso.mfa_factors f where f.user_id = u.user_id and f.activated_at is not null)`

/** The session was given this just now, in a transaction that holds the lock of the users row. False: it has ended. */
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

/** The session goes on by way of a code, in hands that gave it no password. */
export async function forgetProof(tx: Tx, session_id: string): Promise<void> {
  await tx`update sso.sessions set proven_at = null, proven_methods = '{}' where session_id = ${session_id}`
}

/** One more method was given to the session; how long ago it was given the others stays as it is. */
export async function addToProof(
  tx: Tx,
  { session_id, user_id }: { session_id: string; user_id: string },
  method: string,
): Promise<void> {
  await tx`
    update sso.sessions set proven_methods = proven_methods || ${[method]}
     where session_id = ${session_id} and user_id = ${user_id} and proven_at is not null`
}
