import { one, type Lane, violates } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { SsoParts } from '../../core/parts.ts'
import { notUnique, refused } from './errors.ts'
import {
  changeMembers,
  type MemberChange,
  memberChangeOf,
  memberIdsOf,
  membersIn,
  noteGroupsChanged,
  touchedBy,
  unchanged,
} from './group-members.ts'
import { withRoles } from './group-roles.ts'
import { groupColumns, groupFilterColumns, type GroupRow, groupsOf, groupTag } from './group-rows.ts'
import { type ByDirectory, holdDirectory, noteByDirectory } from './hold.ts'
import { type ListQuery, listResources } from './list.ts'
import { applySteps, type PatchBody, stepsOf } from './patch.ts'
import { type Asked as Selection, isAsked } from './projection.ts'
import { TYPES } from './schema.ts'
import { requireMatch } from './tags.ts'
import { foldName } from './user-record.ts'
import { type Resource, resourceIn } from './values.ts'

/** Groups of a directory. What they mean for roles is decided by the mapping of the connection. */

const MAX_GROUPS = 5_000
const MAX_WITH_MEMBERS = 10

type GroupRecord = { displayName: string; externalId: string | null }
type Named = { group_id: string; if_match: string | undefined }

/** 400 invalidValue, 409 uniqueness. */
export async function createGroup(
  { database }: SsoParts,
  by: ByDirectory,
  body: Resource,
): Promise<GroupRow> {
  const { displayName, externalId } = recordIn(body)
  const change = membersIn(body['members']) ?? unchanged()
  const { connection_id } = by.directory
  const group_id = newId()
  return wording(
    database.transaction(async (tx) => {
      const rules = await holdDirectory(tx, by.directory)
      const [full] = await tx`
        select from sso.scim_groups where connection_id = ${connection_id} offset ${MAX_GROUPS - 1}`
      if (full) throw refused('too_many', `A directory has at most ${MAX_GROUPS} groups`)
      await tx`
        insert into sso.scim_groups (group_id, connection_id, display_name, name_fold, external_id)
        values (${group_id}, ${connection_id}, ${displayName}, ${foldName(displayName)}, ${externalId})`
      await withRoles(tx, by, rules, [...change.named.keys()], () => changeMembers(tx, by, group_id, change))
      await noteByDirectory(tx, by, { action: 'scim.group_created', details: { group_id } })
      return requireGroup(tx, by, group_id, true)
    }),
  )
}

/** 404 for an id that this directory did not make. */
export const readGroup = ({ database }: SsoParts, by: ByDirectory, group_id: string, selection: Selection) =>
  requireGroup(database.fast, by, group_id, isAsked(TYPES.Group, selection, 'members'))

/** Without members a page may be long; with them it is short, whatever is asked for. */
export const listGroups = (parts: SsoParts, { directory }: ByDirectory, query: ListQuery) => {
  const { connection_id } = directory
  const hasMembers = isAsked(TYPES.Group, query, 'members')
  return listResources<GroupRow>(
    parts,
    connection_id,
    {
      type: TYPES.Group,
      columns: groupFilterColumns,
      rows: (sql) => groupsOf(sql, connection_id),
      select: (sql) => groupColumns(sql, hasMembers),
      last: (sql) => sql`g.created_at, g.group_id`,
      ...(hasMembers && { most: MAX_WITH_MEMBERS }),
    },
    query,
  )
}

/** What the body leaves out is gone, members too. 404, 412, and the refusals of createGroup. */
export const replaceGroup = (parts: SsoParts, by: ByDirectory, named: Named, body: Resource) =>
  changeGroup(parts, by, named, () => recordIn(body), membersIn(body['members'] ?? []) ?? unchanged())

/** The same, with the faults of the operations. */
export function patchGroup(parts: SsoParts, by: ByDirectory, named: Named, body: PatchBody) {
  const steps = stepsOf(TYPES.Group, body)
  const isAboutMembers = ({ target }: (typeof steps)[number]) => target.attribute.name === 'members'
  const others = steps.filter((step) => !isAboutMembers(step))
  const change = memberChangeOf(steps.filter(isAboutMembers))
  return changeGroup(parts, by, named, (before) => recordIn(applySteps({ ...before }, others)), change)
}

async function changeGroup(
  { database }: SsoParts,
  by: ByDirectory,
  { group_id, if_match }: Named,
  change: (before: GroupRecord) => GroupRecord,
  members: MemberChange,
): Promise<GroupRow> {
  const { connection_id } = by.directory
  return wording(
    database.transaction(async (tx) => {
      const rules = await holdDirectory(tx, by.directory)
      const row = await requireGroup(tx, by, group_id, false)
      requireMatch(if_match, groupTag(row))
      const { displayName, externalId } = change({
        displayName: row.display_name,
        externalId: row.external_id,
      })
      const isRenamed = displayName !== row.display_name
      const isChanged = isRenamed || externalId !== row.external_id
      const touched = isRenamed
        ? await touchedBy(tx, by, group_id, { isCleared: true, named: members.named })
        : await touchedBy(tx, by, group_id, members)
      const moved = await withRoles(tx, by, rules, touched, async () => {
        if (isChanged)
          await tx`
            update sso.scim_groups
               set display_name = ${displayName}, name_fold = ${foldName(displayName)}, external_id = ${externalId}
             where connection_id = ${connection_id} and group_id = ${group_id}`
        if (isRenamed) await noteGroupsChanged(tx, connection_id, await memberIdsOf(tx, by, group_id))
        return changeMembers(tx, by, group_id, members)
      })
      if (isChanged || moved.length > 0) {
        await tx`
          update sso.scim_groups set version = version + 1, updated_at = clock_timestamp()
           where connection_id = ${connection_id} and group_id = ${group_id}`
        const details = { group_id, members: moved.length, renamed: isRenamed }
        await noteByDirectory(tx, by, { action: 'scim.group_changed', details })
      }
      return requireGroup(tx, by, group_id, true)
    }),
  )
}

/** The people of the group stay; roles that it gave go. 404, 412. */
export async function deleteGroup({ database }: SsoParts, by: ByDirectory, { group_id, if_match }: Named) {
  const { connection_id } = by.directory
  await database.transaction(async (tx) => {
    const rules = await holdDirectory(tx, by.directory)
    requireMatch(if_match, groupTag(await requireGroup(tx, by, group_id, false)))
    const members = await memberIdsOf(tx, by, group_id)
    await withRoles(
      tx,
      by,
      rules,
      members,
      () => tx`delete from sso.scim_groups where connection_id = ${connection_id} and group_id = ${group_id}`,
    )
    await noteGroupsChanged(tx, connection_id, members)
    await noteByDirectory(tx, by, { action: 'scim.group_deleted', details: { group_id } })
  })
}

async function requireGroup(
  sql: Lane,
  { directory }: ByDirectory,
  group_id: string,
  hasMembers: boolean,
): Promise<GroupRow> {
  const rows = await sql<GroupRow[]>`
    select ${groupColumns(sql, hasMembers)} ${groupsOf(sql, directory.connection_id)} and g.group_id = ${group_id}`
  if (rows.length === 0) throw notFound()
  return one(rows)
}

function recordIn(body: Resource): GroupRecord {
  const { displayName, externalId = null } = resourceIn(TYPES.Group, body)
  if (typeof displayName !== 'string' || displayName.trim() === '')
    throw refused('invalid_value', 'displayName: is required')
  return { displayName, externalId: externalId as string | null }
}

async function wording<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (violates(error, 'scim_groups_by_name'))
      throw notUnique('displayName: belongs to another group of the directory')
    if (violates(error, 'scim_groups_by_external_id'))
      throw notUnique('externalId: belongs to another group of the directory')
    throw error
  }
}
