import type { Lane } from '#foundation/database/database.ts'
import type { Columns, Sql } from './filter-sql.ts'
import { TYPES } from './schema.ts'
import type { UserRecord } from './user-record.ts'
import type { Resource } from './values.ts'

/** Rows of sso.scim_users (`s`) with the membership (`m`) and the account (`u`). */

export type UserRow = {
  user_id: string
  user_name: string
  external_id: string | null
  resource: Resource
  version: number
  created_at: string
  updated_at: string
  active: boolean
  groups: { value: string; display: string }[]
}

/** Active: a member who is not suspended, with an account that is not. */
const isActive = (sql: Lane) =>
  sql`(m.user_id is not null and m.suspended_at is null and u.status = 'active')`

export const userColumns = (sql: Lane) => sql`
  s.user_id, s.user_name, s.external_id, s.resource, s.version, s.created_at, s.updated_at,
  ${isActive(sql)} as active,
  coalesce((
    select jsonb_agg(jsonb_build_object('value', g.group_id, 'display', g.display_name) order by g.name_fold)
      from sso.scim_members n join sso.scim_groups g using (connection_id, group_id)
     where n.connection_id = s.connection_id and n.user_id = s.user_id), '[]') as groups`

export const usersOf = (
  sql: Lane,
  { connection_id, site_id }: { connection_id: string; site_id: string },
) => sql`
  from sso.scim_users s join sso.users u using (user_id)
  left join sso.memberships m on m.user_id = s.user_id and m.site_id = ${site_id}
 where s.connection_id = ${connection_id}`

/** What a filter and a sort may name. */
export function userFilterColumns(sql: Lane): Columns {
  const text = (of: Sql) => ({ kind: 'text', of }) as const
  return {
    id: { kind: 'exact', of: sql`s.user_id::text` },
    externalId: { kind: 'exact', of: sql`s.external_id` },
    userName: { kind: 'folded', of: sql`s.user_name_fold` },
    active: { kind: 'boolean', of: isActive(sql) },
    displayName: text(sql`s.resource ->> 'displayName'`),
    'name.formatted': text(sql`s.resource -> 'name' ->> 'formatted'`),
    'name.familyName': text(sql`s.resource -> 'name' ->> 'familyName'`),
    'name.givenName': text(sql`s.resource -> 'name' ->> 'givenName'`),
    preferredLanguage: text(sql`s.resource ->> 'preferredLanguage'`),
    locale: text(sql`s.resource ->> 'locale'`),
    timezone: { kind: 'exact', of: sql`s.resource ->> 'timezone'` },
    emails: {
      exists: (condition) => sql`(s.resource ? 'emails' and ${condition})`,
      elements: {
        value: text(sql`s.resource -> 'emails' -> 0 ->> 'value'`),
        type: text(sql`s.resource -> 'emails' -> 0 ->> 'type'`),
        primary: { kind: 'boolean', of: sql`(s.resource -> 'emails' -> 0 ->> 'primary')::boolean` },
      },
    },
    groups: {
      exists: (condition) => sql`exists (
        select from sso.scim_members n join sso.scim_groups g using (connection_id, group_id)
         where n.connection_id = s.connection_id and n.user_id = s.user_id and ${condition})`,
      elements: { value: { kind: 'exact', of: sql`g.group_id::text` }, display: text(sql`g.display_name`) },
    },
    'meta.created': { kind: 'time', of: sql`s.created_at` },
    'meta.lastModified': { kind: 'time', of: sql`s.updated_at` },
  }
}

/** A bump when the membership is suspended elsewhere would need a trigger; the tag just holds both. */
export const userTag = ({ version, active }: Pick<UserRow, 'version' | 'active'>) =>
  `W/"${version}.${active ? 1 : 0}"`

/** The resource as the directory reads it, below the address `base`. */
export function shownUser(row: UserRow, base: string): Resource {
  const { user_id, user_name, external_id, resource, active, groups, created_at, updated_at } = row
  return {
    schemas: [TYPES.User.urn],
    id: user_id,
    ...(external_id !== null && { externalId: external_id }),
    userName: user_name,
    ...resource,
    active,
    ...(groups.length > 0 && { groups }),
    meta: {
      resourceType: 'User',
      created: created_at,
      lastModified: updated_at,
      location: `${base}/Users/${user_id}`,
      version: userTag(row),
    },
  }
}

/** The same as a body that can be patched and read again. */
export const bodyOf = ({ user_name, external_id, resource, active }: UserRow): Resource => ({
  ...resource,
  userName: user_name,
  externalId: external_id,
  active,
})

/** Whether two descriptions differ in what is stored. */
export const storedOf = ({ userName, externalId, resource }: UserRecord) => ({
  userName,
  externalId,
  resource,
})
