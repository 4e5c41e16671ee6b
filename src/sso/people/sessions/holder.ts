import type { Lane } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { guessPassword } from './fresh-proof.ts'

/** What whoever opens a mailed link gives besides it. */
export type Given = { password?: string | undefined; session_id?: string | undefined }

/** The same, looked at: the password is the one stored as this hash. */
export type Holder = { password_hash?: string | null; session_id?: string | undefined }

/** Looks at the password given with a link of that person. 401 invalid_credentials, 429. */
export async function holderOf(
  parts: SsoParts,
  { user_id, ...person }: Pick<Caller, 'user_id' | 'email' | 'environment'>,
  { password = '', session_id }: Given,
  from: Origin,
): Promise<Holder> {
  if (password === '') return { session_id }
  const [held] = await parts.database.fast<{ password_hash: string | null }[]>`
    select password_hash from sso.users where user_id = ${user_id} and status = 'active'`
  const password_hash = held?.password_hash ?? null
  await guessPassword(parts, person, password_hash, password, from)
  return { password_hash, session_id }
}

/** Whether it came from person `u` themselves, in a transaction that holds the lock on their row. */
export const isHeldBy = (sql: Lane, { password_hash = null, session_id }: Holder) => sql`
  (coalesce(u.password_hash = ${password_hash}, false)
    or exists (select from sso.sessions s
                where s.session_id = ${session_id ?? null} and s.user_id = u.user_id and s.revoked_at is null))`
