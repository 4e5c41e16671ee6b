import type { Lane } from '#foundation/database/database.ts'
import type { Columns } from './filter-sql.ts'
import { TYPES } from './schema.ts'
import type { Resource } from './values.ts'

/** Rows of sso.scim_groups (`g`). */

export type GroupRow = {
  group_id: string
  display_name: string
  external_id: string | null
  version: number
  created_at: string
  updated_at: string
  /** Absent if nobody asked for them. */
  members?: { value: string; display: string }[]
}

export const groupColumns = (sql: Lane, hasMembers: boolean) => sql`
  g.group_id, g.display_name, g.external_id, g.version, g.created_at, g.updated_at
  ${hasMembers ? sql`, ${membersOf(sql)} as members` : sql``}`

const membersOf = (sql: Lane) => sql`
  coalesce((
    select jsonb_agg(jsonb_build_object('value', m.user_id,
                                        'display', coalesce(s.resource ->> 'displayName', s.user_name)) order by m.user_id)
      from sso.scim_members m join sso.scim_users s using (connection_id, user_id)
     where m.connection_id = g.connection_id and m.group_id = g.group_id), '[]')`

export const groupsOf = (sql: Lane, connection_id: string) => sql`
  from sso.scim_groups g where g.connection_id = ${connection_id}`

/** What a filter and a sort may name. */
export const groupFilterColumns = (sql: Lane): Columns => ({
  id: { kind: 'exact', of: sql`g.group_id::text` },
  externalId: { kind: 'exact', of: sql`g.external_id` },
  displayName: { kind: 'text', of: sql`g.display_name` },
  members: {
    exists: (condition) => sql`exists (
      select from sso.scim_members m join sso.scim_users s using (connection_id, user_id)
       where m.connection_id = g.connection_id and m.group_id = g.group_id and ${condition})`,
    elements: {
      value: { kind: 'exact', of: sql`m.user_id::text` },
      display: { kind: 'text', of: sql`coalesce(s.resource ->> 'displayName', s.user_name)` },
    },
  },
  'meta.created': { kind: 'time', of: sql`g.created_at` },
  'meta.lastModified': { kind: 'time', of: sql`g.updated_at` },
})

export const groupTag = ({ version }: Pick<GroupRow, 'version'>) => `W/"${version}"`

export function shownGroup(row: GroupRow, base: string): Resource {
  const { group_id, display_name, external_id, members, created_at, updated_at } = row
  return {
    schemas: [TYPES.Group.urn],
    id: group_id,
    ...(external_id !== null && { externalId: external_id }),
    displayName: display_name,
    ...(members && { members }),
    meta: {
      resourceType: 'Group',
      created: created_at,
      lastModified: updated_at,
      location: `${base}/Groups/${group_id}`,
      version: groupTag(row),
    },
  }
}
