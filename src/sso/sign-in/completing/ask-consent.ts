import type { Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { completeUnlessRequired, type Proven, type SignIn } from './complete.ts'
import type { UserRow } from '../../people/person/users.ts'
import { grantByPassword, isGranted } from '../consent/consents.ts'
import { keepProven, type ProvenSignIn } from '../consent/proven.ts'
import type { Purpose } from '../consent/purpose.ts'

/** A sign-in that waits for consent. The token goes into a cookie that only the consent page receives. */
export type ConsentAsked = { consent_token: string }

/**
 * Finishes a proven sign-in, in a transaction that holds the lock on the users row. Returns the session, or the request
 * for consent. Without a purpose the site's own server asked, with the password, and that counts as consent. Undefined
 * if the site requires a second factor that was not proven.
 */
export async function completeOrAsk(
  tx: Tx,
  site: Site,
  user: UserRow,
  proven: Proven & Pick<ProvenSignIn, 'role'>,
  purpose: Purpose | undefined,
): Promise<SignIn | ConsentAsked | undefined> {
  const { user_id } = user
  if (purpose && !(await isAllowed(tx, site, user_id, purpose))) {
    const { login_id, auth_methods, role } = proven
    return { consent_token: await keepProven(tx, site, { user_id, login_id, auth_methods, role }) }
  }
  const opening = { ...proven, openid_scope: purpose?.openid_scope }
  const sign_in = await completeUnlessRequired(tx, site, user, opening)
  if (sign_in && !purpose && !site.is_first_party) await grantByPassword(tx, site, user_id, proven.from)
  return sign_in
}

/** True if no consent has to be asked: at first-party sites, and where the person agreed before. */
export const isAllowed = async (
  tx: Tx,
  site: Site,
  user_id: string,
  { needs, asks_anew }: Purpose,
): Promise<boolean> => !needs || (!asks_anew && isGranted(tx, user_id, site, needs))
