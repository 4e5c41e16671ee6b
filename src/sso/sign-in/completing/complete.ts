import type { Tx } from '#foundation/database/database.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { Origin } from '../../core/parts.ts'
import { openSession } from '../../people/sessions/open-session.ts'
import type { UserRow } from '../../people/person/users.ts'
import { recordFact } from '../../events/facts/facts.ts'
import { sessionCreated } from '../../events/facts/telling.ts'
import type { Membership, OpenSession } from '../../people/sessions/answer.ts'

/** A completed sign-in, with everything that `answerWith` needs. */
export type SignIn = {
  user: UserRow
  member: Membership
  session: OpenSession
  refresh_token: string
  is_new_device: boolean
}

export type Proven = {
  auth_methods: string[]
  /** The methods that were given to the session that opens now. */
  proven_methods?: string[]
  device_name: string | null
  login_id: string
  connection_id?: string
  from: Origin
  /** The scope that an OpenID client is granted with the session. */
  openid_scope?: string | undefined
}

/**
 * Opens the session, in a transaction that holds the lock on the users row. Undefined if the site requires a second
 * factor that was not proven.
 */
export const completeUnlessRequired = (tx: Tx, site: Site, user: UserRow, proven: Proven) =>
  open(tx, site, user.user_id, proven, user)

/**
 * As completeUnlessRequired, for a person who may have a second factor: undefined, with nothing written, if they have
 * or need one. `admitted` is the result of a statement already sent, which takes the lock. Both are pipelined: the
 * second runs under that lock, with its own snapshot. If `admitted` rejects, the transaction rolls back.
 */
export const completeUnlessFactor = (
  tx: Tx,
  site: Site,
  user_id: string,
  proven: Proven,
  admitted: Promise<UserRow>,
): Promise<SignIn | undefined> => open(tx, site, user_id, { ...proven, unless_factor: true }, admitted)

async function open(
  tx: Tx,
  site: Site,
  user_id: string,
  proven: Proven & { unless_factor?: boolean },
  admitted: UserRow | Promise<UserRow>,
): Promise<SignIn | undefined> {
  const refresh_token = randomToken('rt_')
  const opening = openSession(tx, site, user_id, { token_hash: sha256(refresh_token), ...proven })
  const [user, opened] = await Promise.all([admitted, opening])
  if (!opened) return undefined
  const { session_id, auth_time, is_new_device, ...member } = opened
  const { auth_methods, from, openid_scope = null } = proven
  const told = { session_id, user_id, auth_methods, created_at: auth_time, ...from }
  await recordFact(tx, sessionCreated(site, told))
  return {
    user: { ...user, last_login_at: auth_time },
    member,
    session: { session_id, auth_time, auth_methods, scope: site.is_first_party ? null : openid_scope },
    refresh_token,
    is_new_device,
  }
}

/** Sets `auth_time` to the moment when the person proved who they are, which is earlier than now. */
export async function dated(tx: Tx, sign_in: SignIn, auth_time: string): Promise<SignIn> {
  const { session, user } = sign_in
  await tx`
    update sso.sessions set auth_time = ${auth_time}
     where session_id = ${session.session_id} and user_id = ${user.user_id}`
  return { ...sign_in, session: { ...session, auth_time } }
}
