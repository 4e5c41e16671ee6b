import type { Tx } from '#foundation/database/database.ts'
import type { Handlers, JobContext } from '#foundation/jobs/attempt.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { lockUser } from '../../people/person/users.ts'
import { giveRole } from '../../people/roles/provider-roles.ts'
import { MAPPING_CHANGED, type RoleRules } from '../enterprise/mapping-change.ts'
import { refused } from './errors.ts'
import type { ByDirectory } from './hold.ts'
import { foldName } from './user-record.ts'

/** One request may change so many roles; a directory sends larger groups in parts. */
const MAX_CHANGES = 1_000
const BATCH = 200

/**
 * Runs a change of groups and gives the people concerned the role that follows from it. Only where the groups now say
 * something else: a role that an ADMIN gave by hand stays while the groups do.
 */
export async function withRoles<T>(
  tx: Tx,
  by: ByDirectory,
  rules: RoleRules,
  user_ids: readonly string[],
  change: () => Promise<T>,
): Promise<T> {
  const before = await rolesByGroup(tx, by, rules, user_ids)
  const result = await change()
  const after = await rolesByGroup(tx, by, rules, user_ids)
  await giveRoles(tx, by, user_ids, before, after)
  return result
}

/** The role of each person whose groups give one: that of the first rule which names one of their groups. */
export async function rolesByGroup(
  tx: Tx,
  { directory: { connection_id, site } }: ByDirectory,
  rules: RoleRules,
  user_ids: readonly string[],
): Promise<Map<string, string>> {
  if (rules.length === 0 || user_ids.length === 0) return new Map()
  const names = rules.map(({ value }) => foldName(value))
  const rows = await tx<{ user_id: string; place: number }[]>`
    select m.user_id, min(array_position(${names}::text[], g.name_fold)) as place
      from sso.scim_members m join sso.scim_groups g using (connection_id, group_id)
     where m.connection_id = ${connection_id} and m.user_id = any(${[...user_ids]}::uuid[])
       and g.name_fold = any(${names}::text[])
     group by m.user_id`
  const allowed = await givable(tx, site)
  return new Map(
    rows.flatMap(({ user_id, place }): [string, string][] => {
      const role = rules[place - 1]?.role
      return role !== undefined && allowed.has(role) ? [[user_id, role]] : []
    }),
  )
}

/** Never more than an ADMIN of a partner's site: an ADMIN of a first-party site could be an operator. */
async function givable(tx: Tx, { site_id, is_first_party }: Site): Promise<ReadonlySet<string>> {
  const rows = await tx<{ role: string }[]>`
    select role from sso.roles where site_id = ${site_id} and not (is_admin and ${is_first_party}::boolean)`
  return new Set(rows.map(({ role }) => role))
}

async function giveRoles(
  tx: Tx,
  { directory: { site }, from }: ByDirectory,
  user_ids: readonly string[],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Promise<void> {
  const changed = user_ids.filter((id) => before.get(id) !== after.get(id))
  if (changed.length === 0) return
  // Who is no member any more gets no membership by a group.
  const members = await tx<{ user_id: string }[]>`
    select user_id from sso.memberships
     where site_id = ${site.site_id} and user_id = any(${changed}::uuid[]) order by user_id`
  if (members.length > MAX_CHANGES)
    throw refused(
      'too_many',
      `One request may change at most ${MAX_CHANGES} roles: send the members in parts`,
    )
  for (const { user_id } of members) {
    await lockUser(tx, user_id)
    await giveRole(tx, site, user_id, after.get(user_id) ?? null, from)
  }
}

type Changed = { site_id: string; connection_id: string; before: RoleRules }

/** Gives the people of a directory the roles of a mapping that an ADMIN changed, in parts. */
export const groupRoleJobs = (): Handlers => ({
  [MAPPING_CHANGED]: async ({ job, db, renew, signal }: JobContext) => {
    const changed = job.payload as Changed
    for (let last: string | undefined = ''; last !== undefined;) {
      signal.throwIfAborted()
      await renew()
      const after: string = last
      last = await db.transaction((tx) => remap(tx, changed, after))
    }
  },
})

/** One part. Returns the last person of it; undefined if there are no more, or no connection. */
async function remap(tx: Tx, changed: Changed, last: string): Promise<string | undefined> {
  const { site_id, connection_id, before } = changed
  await tx`select from sso.sites where site_id = ${site_id} for no key update`
  const [held] = await tx<(Site & { role_mapping: RoleRules })[]>`
    select i.site_id, i.site_code, i.tenant_id, i.environment, i.is_first_party, i.trust_client_ip, c.role_mapping
      from sso.connections c join sso.sites i using (site_id)
     where c.connection_id = ${connection_id} and c.site_id = ${site_id} and i.deleted_at is null for no key update of c`
  if (!held) return undefined
  const { role_mapping, ...site } = held
  const by = {
    directory: { connection_id, token_id: '', site },
    from: { ip_address: '', user_agent: '' },
  }
  const rows = await tx<{ user_id: string }[]>`
    select distinct user_id from sso.scim_members
     where connection_id = ${connection_id} and (${last} = '' or user_id > nullif(${last}, '')::uuid)
     order by user_id limit ${BATCH}`
  const user_ids = rows.map(({ user_id }) => user_id)
  const was = await rolesByGroup(tx, by, before, user_ids)
  await giveRoles(tx, by, user_ids, was, await rolesByGroup(tx, by, role_mapping, user_ids))
  return user_ids.length < BATCH ? undefined : user_ids.at(-1)
}
