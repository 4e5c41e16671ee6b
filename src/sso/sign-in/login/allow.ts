import type { Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { billRegistration } from '../../core/ledger.ts'
import { openChallenge, type SecondFactorAsked } from '../factors/challenges.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { giveRole } from '../../people/roles/provider-roles.ts'
import { completeUnlessRequired, dated, type SignIn } from '../completing/complete.ts'
import { tellNewDevice } from '../completing/new-device.ts'
import { lockActiveUser, type UserRow } from '../../people/person/users.ts'
import { grantConsent } from '../consent/consents.ts'
import { findProven, spendProven, type Taken } from '../consent/proven.ts'
import type { Purpose } from '../consent/purpose.ts'

/**
 * Completes a sign-in after consent: stores consent, membership and session in one transaction. Undefined if the
 * waiting sign-in is over. 401 account_suspended.
 */
export async function completeAllowed(
  parts: SsoParts,
  site: Site,
  token: string,
  { purpose: { needs, openid_scope }, from }: { purpose: Purpose; from: Origin },
): Promise<SignIn | SecondFactorAsked | undefined> {
  const proven = await findProven(parts.database, site, token)
  if (!proven || !needs) return undefined
  const { user_id, login_id, auth_methods, auth_time } = proven
  return await parts.database.transaction(async (tx) => {
    if (!(await lockAll(tx, site, proven)) || !(await spendProven(tx, site, token))) return undefined
    await grantConsent(tx, site, user_id, { scopes: needs, given_by: 'page' }, from)
    if (proven.role !== undefined) await giveRole(tx, site, user_id, proven.role, from)
    const user = await lockActiveUser(tx, site, user_id)
    if (!user) return undefined
    const session = { auth_methods, device_name: null, login_id, from, openid_scope }
    const opened = await completeUnlessRequired(tx, site, user, session)
    // The site requires a second factor and the person has none. They set one up now; the consent stays.
    if (!opened)
      return openChallenge(tx, site, { user_id, methods: [], auth_methods, login_id, device_name: null })
    const sign_in = await tellNewDevice(tx, parts, site, await dated(tx, opened, auth_time))
    // Last, because every registration of the site waits for the same row.
    await billFirst(tx, parts, site, user)
    return sign_in
  })
}

/** Lock order: sites before people. The site is locked only if a role may change. */
async function lockAll(tx: Tx, site: Site, { user_id, role }: Taken): Promise<boolean> {
  if (role !== undefined) await tx`select from sso.sites where site_id = ${site.site_id} for no key update`
  return (await lockActiveUser(tx, site, user_id)) !== undefined
}

/** Bills a person who signed up on our page for this site as a registration of the site, once. */
async function billFirst(tx: Tx, parts: SsoParts, { site_id }: Site, { user_id, email }: UserRow) {
  const [registered] = await tx`
    select from sso.users u
     where u.user_id = ${user_id} and u.registration_site_id = ${site_id} and u.registration_source = 'register'
       and not exists (select from sso.billing_ledger l where l.user_id = u.user_id)`
  if (registered) await billRegistration(tx, parts, { user_id, site_id, email })
}
