import type { Tx } from '#foundation/database.ts'
import { randomToken, sha256 } from '#foundation/secrets.ts'
import type { Site } from '#foundation/session-gate.ts'
import { recordAct } from '../audit.ts'
import type { Origin } from '../parts.ts'
import { openSession } from '../sessions/open-session.ts'
import type { UserRow } from '../users/users.ts'
import type { Membership, OpenSession } from './answer.ts'

/** A sign-in that has succeeded, with all that `answerWith` words. */
export type SignIn = { user: UserRow; member: Membership; session: OpenSession; refresh_token: string }

export type Proven = { auth_methods: string[]; device_name: string | null; login_id: string; from: Origin }

/** Everything is proven: opens the session, in a transaction that holds the lock of the users row. */
export async function completeSignIn(
  tx: Tx,
  site: Site,
  user: UserRow,
  { auth_methods, from, ...sign_in }: Proven,
): Promise<SignIn> {
  const { user_id } = user
  const refresh_token = randomToken('rt_')
  const token_hash = sha256(refresh_token)
  const opened = await openSession(tx, site, user_id, { token_hash, auth_methods, from, ...sign_in })
  const { session_id, auth_time, ...member } = opened
  await recordAct(
    tx,
    {
      action: 'login.succeeded',
      environment: site.environment,
      site_id: site.site_id,
      actor_user_id: user_id,
      subject_user_id: user_id,
      details: { session_id, auth_methods },
    },
    from,
  )
  return {
    user: { ...user, last_login_at: auth_time },
    member,
    session: { session_id, auth_time, auth_methods },
    refresh_token,
  }
}
