import type { Tx } from '#foundation/database/database.ts'
import { isUuid } from '#foundation/ids.ts'
import { refused } from './errors.ts'
import type { Filter } from './filter.ts'
import type { ByDirectory } from './hold.ts'
import type { Step } from './patch.ts'
import { isObject } from './values.ts'

/** More than any school has in one group, and few enough to be shown in one answer. */
export const MAX_MEMBERS = 10_000

/** What becomes of the members of a group: all who are not named go, and each who is named is in (true) or out. */
export type MemberChange = { isCleared: boolean; named: Map<string, boolean> }

export const unchanged = (): MemberChange => ({ isCleared: false, named: new Map() })

/** The members that a body names; undefined if it says nothing about them. */
export const membersIn = (members: unknown): MemberChange | undefined =>
  members === undefined ? undefined : { isCleared: true, named: namedIn(members ?? [], true) }

/**
 * The steps of a PATCH about members as one change, so that members who are not named need not be read. Entra ID removes
 * with a list in `value`, Okta with a filter in the path.
 */
export function memberChangeOf(steps: readonly Step[]): MemberChange {
  const change = unchanged()
  for (const { op, target, value } of steps) {
    if (target.sub) throw refused('mutability', 'members: are added and removed, never changed')
    if (op !== 'remove' && target.filter) throw refused('invalid_path', 'members: are added without a filter')
    const isAll = op === 'replace' || (op === 'remove' && !target.filter && (value ?? null) === null)
    if (isAll) Object.assign(change, { isCleared: true, named: new Map() })
    const named = target.filter
      ? idsIn(target.filter)
      : (value ?? null) === null
        ? []
        : namedIn(value, true).keys()
    for (const id of named) change.named.set(id, op !== 'remove')
    if (change.named.size > MAX_MEMBERS) throw tooMany()
  }
  return change
}

/** The people whose membership a change may touch. */
export async function touchedBy(
  tx: Tx,
  by: ByDirectory,
  group_id: string,
  { isCleared, named }: MemberChange,
): Promise<string[]> {
  if (!isCleared) return [...named.keys()]
  return [...new Set([...named.keys(), ...(await memberIdsOf(tx, by, group_id))])]
}

export async function memberIdsOf(tx: Tx, { directory }: ByDirectory, group_id: string): Promise<string[]> {
  const rows = await tx<{ user_id: string }[]>`
    select user_id from sso.scim_members
     where connection_id = ${directory.connection_id} and group_id = ${group_id} order by user_id`
  return rows.map(({ user_id }) => user_id)
}

/** Writes a change. 400 invalidValue for who is not of this directory. Returns who came or went. */
export async function changeMembers(
  tx: Tx,
  { directory: { connection_id } }: ByDirectory,
  group_id: string,
  { isCleared, named }: MemberChange,
): Promise<string[]> {
  const [ins, outs] = [idsWhere(named, true), idsWhere(named, false)]
  const known = await tx`
    select from sso.scim_users where connection_id = ${connection_id} and user_id = any(${ins}::uuid[])`
  if (known.length < ins.length) throw refused('invalid_value', 'members: names nobody of this directory')
  const gone = await tx<{ user_id: string }[]>`
    delete from sso.scim_members
     where connection_id = ${connection_id} and group_id = ${group_id}
       and ${isCleared ? tx`user_id <> all(${ins}::uuid[])` : tx`user_id = any(${outs}::uuid[])`}
    returning user_id`
  const come = await tx<{ user_id: string }[]>`
    insert into sso.scim_members (connection_id, group_id, user_id)
    select ${connection_id}, ${group_id}, unnest(${ins}::uuid[]) on conflict do nothing
    returning user_id`
  const [full] = await tx`
    select from sso.scim_members where connection_id = ${connection_id} and group_id = ${group_id} offset ${MAX_MEMBERS}`
  if (full) throw tooMany()
  const changed = [...gone, ...come].map(({ user_id }) => user_id)
  await noteGroupsChanged(tx, connection_id, changed)
  return changed
}

/** People show their groups, so their tags change too. */
export async function noteGroupsChanged(tx: Tx, connection_id: string, user_ids: readonly string[]) {
  if (user_ids.length === 0) return
  await tx`
    update sso.scim_users set version = version + 1, updated_at = clock_timestamp()
     where connection_id = ${connection_id} and user_id = any(${[...user_ids]}::uuid[])`
}

const idsWhere = (named: ReadonlyMap<string, boolean>, isIn: boolean) =>
  [...named].filter(([, is]) => is === isIn).map(([id]) => id)

function namedIn(members: unknown, isIn: boolean): Map<string, boolean> {
  const all = [members].flat()
  if (all.length > MAX_MEMBERS) throw tooMany()
  return new Map(all.map((one) => [idIn(isObject(one) ? one['value'] : one), isIn]))
}

/** `value eq "…"`, alone or several joined by `or`. */
function idsIn(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.parts.flatMap(idsIn)
  const isId = filter.kind === 'compare' && filter.operator === 'eq' && filter.path.attribute.name === 'value'
  if (!isId) throw refused('invalid_path', 'members: are named by value eq "id"')
  return [idIn(filter.value)]
}

function idIn(value: unknown): string {
  if (typeof value !== 'string' || !isUuid(value))
    throw refused('invalid_value', 'members: value must be the id of a person')
  return value.toLowerCase()
}

const tooMany = () => refused('too_many', `A group has at most ${MAX_MEMBERS} members`)
