import { one, type Tx } from '#foundation/database.ts'
import type { Site } from '#foundation/session-gate.ts'
import { recordAct } from '../audit.ts'
import { billRegistration } from '../billing/ledger.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { insertUser } from '../users/insert.ts'
import type { User } from '../users/users.ts'
import { recordFact } from '../webhooks/facts.ts'
import { userCreated } from '../webhooks/telling.ts'

/** The account of somebody who registers, its membership, and what follows from both. */
export async function insertRegistered(
  tx: Tx,
  parts: SsoParts,
  site: Pick<Site, 'site_id' | 'site_code' | 'environment'>,
  account: Omit<Parameters<typeof insertUser>[2], 'source'>,
  from: Origin,
): Promise<User> {
  const { site_id, site_code, environment } = site
  const user = await insertUser(tx, site, { ...account, source: 'register' })
  const { user_id, email } = user
  const role = await joinSite(tx, user_id, site_id)
  await recordFact(tx, userCreated(site, user))
  const act = { action: 'user.registered', environment, site_id, actor_user_id: null } as const
  await recordAct(tx, { ...act, subject_user_id: user_id }, from)
  await billRegistration(tx, parts, { user_id, site_id, email })
  return { ...user, external_id: null, roles: [{ site_code, role }] }
}

async function joinSite(tx: Tx, user_id: string, site_id: string): Promise<string> {
  const rows = await tx<{ role: string }[]>`
    insert into sso.memberships (user_id, site_id, role)
    select ${user_id}, site_id, role from sso.roles where site_id = ${site_id} and is_default
    returning role`
  return one(rows).role
}
