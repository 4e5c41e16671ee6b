import { one, type Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { byNobody, recordAct } from '../../core/audit/audit.ts'
import { billRegistration } from '../../core/ledger.ts'
import { grantByPassword } from '../consent/consents.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { insertUser } from '../../people/person/insert.ts'
import type { User } from '../../people/person/users.ts'
import { recordFact } from '../../events/facts/facts.ts'
import { userCreated } from '../../events/facts/telling.ts'

type Place = Pick<Site, 'site_id' | 'site_code' | 'environment' | 'is_first_party'>

/**
 * Creates the account of a person who registers. With `joins` they become a member of the site now. A person who
 * registers on our pages for a partner's site joins it later, when they consent.
 */
export async function insertRegistered(
  tx: Tx,
  parts: SsoParts,
  site: Place,
  account: Omit<Parameters<typeof insertUser>[2], 'source'>,
  { from, joins }: { from: Origin; joins: boolean },
): Promise<User> {
  const { site_id, site_code } = site
  const user = await insertUser(tx, site, { ...account, source: 'register' })
  const { user_id, email } = user
  const role = joins ? await joinSite(tx, user_id, site_id) : undefined
  if (joins && !site.is_first_party) await grantByPassword(tx, site, user_id, from)
  // The site has no member yet, so it receives the same event as all other sites: a new user exists.
  await recordFact(tx, { ...userCreated(site, user), ...(!joins && { origin_site_id: null }) })
  await recordAct(tx, { action: 'user.registered', ...byNobody(site, user_id) }, from)
  if (joins) await billRegistration(tx, parts, { user_id, site_id, email })
  return { ...user, external_id: null, roles: role === undefined ? [] : [{ site_code, role }] }
}

async function joinSite(tx: Tx, user_id: string, site_id: string): Promise<string> {
  const rows = await tx<{ role: string }[]>`
    insert into sso.memberships (user_id, site_id, role)
    select ${user_id}, site_id, role from sso.roles where site_id = ${site_id} and is_default
    returning role`
  return one(rows).role
}
