import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { readPosition, writePosition } from '#foundation/http/cursor.ts'
import { orderOf } from '#foundation/http/cursor-page.ts'
import { PageQuery } from '#foundation/http/paging.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { isUuid } from '#foundation/ids.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { type Actor, isVisible, type Role } from '../access.ts'
import { judgeItem, roleOnItem } from '../items/item.ts'
import type { Metadata, MetadataChange } from '../values.ts'

/** Fields with their values. In `metadata` stand only the keys that differ, null where there was none. */
export type Values = {
  name?: string
  description?: string | null
  external_key?: string | null
  metadata?: MetadataChange
}
const Values = Type.Unsafe<Values | null>({ type: ['object', 'null'], additionalProperties: true })

export type Change = Static<typeof Change>
/** `collection_ids`: of those where it was created, added or removed, the ones that the reader sees. */
export const Change = Type.Object({
  id: Uuid,
  kind: OneOf(['created', 'updated', 'added', 'removed']),
  version: Nullable(Type.Integer()),
  before: Values,
  after: Values,
  collection_ids: Type.Array(Uuid),
  changed_at: Time,
  changed_by: Nullable(Uuid),
  display_name: Nullable(Type.String()),
})
export const History = Type.Object({
  items: Type.Array(Change),
  next_cursor: Nullable(Type.String()),
})
export const HistoryQuery = Type.Object(
  {
    per_page: PageQuery.properties.per_page,
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
  },
  { additionalProperties: false },
)

type Row = { my_role: Role | null } & (Omit<Change, 'display_name'> | { id: null })

/** The changes of an item, the latest first. One statement reads right and rows; one call to the sso reads names. 404. */
export async function listHistory(
  { db, identity }: { db: Database; identity: Identity },
  actor: Actor,
  item_id: string,
  { per_page, cursor }: Static<typeof HistoryQuery>,
): Promise<Static<typeof History>> {
  const order = orderOf('history', actor, { page: 1, per_page }, item_id)
  const [after] = cursor === undefined ? [] : readPosition(cursor, order, [isUuid])
  const sql = db.pool
  const found = await db.lists(
    actor.user_id,
    sql<Row[]>`
    select item.my_role, shown.*
      from (select ${roleOnItem(sql, actor)} as my_role from collections.items as item
             where item.id = ${item_id} and item.tenant_id = ${actor.tenant_id} offset 0) as item
      left join lateral (
        select change.change_id as id, change.kind, change.version, change.before, change.after, seen.collection_ids,
               change.changed_at, change.changed_by
          from collections.item_changes as change
         cross join lateral (
           select array(select node.id from unnest(change.collection_ids) as place(id)
                          join collections.collections as node on node.id = place.id and ${isVisible(sql, actor)}
                         order by node.id) as collection_ids) as seen
         where change.tenant_id = ${actor.tenant_id} and change.item_id = ${item_id}
           and (change.kind in ('created', 'updated') or seen.collection_ids <> '{}')
           and (${after ?? null}::uuid is null or change.change_id < ${after ?? null}::uuid)
         order by change.change_id desc limit ${per_page + 1}) as shown on true
     order by shown.id desc`,
  )
  const [first] = found
  if (!first) throw notFound()
  judgeItem(actor, { item_id, my_role: first.my_role }, 'viewer', notFound())
  const rows = found.filter((row) => row.id !== null).slice(0, per_page)
  const last = found.length > per_page ? rows.at(-1)?.id : undefined
  return {
    items: await withNames(identity, actor, rows),
    next_cursor: last ? writePosition(order, [last]) : null,
  }
}

/** As in lists of members; whoever was erased has no id either. */
async function withNames(
  identity: Identity,
  { tenant_id }: Actor,
  rows: readonly Omit<Change, 'display_name'>[],
): Promise<Change[]> {
  const ids = [...new Set(rows.flatMap(({ changed_by }) => changed_by ?? []))]
  const profiles = ids.length === 0 ? [] : await identity.profiles(tenant_id, ids)
  const names = new Map(profiles.map(({ user_id, display_name }) => [user_id, display_name]))
  return rows.map((row) => {
    const name = names.get(row.changed_by ?? '')
    return { ...row, display_name: name === undefined ? 'Deleted user' : name }
  })
}

/** The values by field, `metadata.<key>` each by itself. */
export function membersOf({
  metadata = {},
  ...fields
}: Values | { metadata: Metadata }): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(fields),
    ...Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value] as const),
  ])
}
