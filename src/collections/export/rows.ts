import type { Tx } from '#foundation/database/database.ts'
import type { Actor } from '../access.ts'
import { MARKS, type Metadata, withoutMark } from '../values.ts'
import type { ColumnDesign, Value } from '../workbook/writer.ts'
import type { MetaColumn, Plan, SheetRole } from './plan.ts'
import { type Scope, scopeOf } from './scope.ts'

/** Rows per read of the cursor. */
export const TURN = 500

type Common = {
  id: string
  external_key: string | null
  name: string
  description: string | null
  metadata: Metadata
}
type CollectionRow = Common & { parent_id: string | null; type: string; inherit_members: boolean }
/** `is_cut`: the item is in more collections than are named. */
type ItemRow = Common & { collection_ids: string[]; is_cut: boolean }

/** The most collections one row names, which is the limit of the import. Exported collections come first. */
const TARGETS = 50

/** The columns of a sheet, in the layout the import reads. */
export const columnsOf = (role: SheetRole, { metadata }: Plan): ColumnDesign[] => [
  ...FIELDS[role],
  ...metadata[role].map(({ key, is_list, is_text }) => ({
    header: `meta.${key}${is_list ? '[]' : ''}`,
    width: 20,
    is_text,
  })),
]

const text = (header: string, width: number): ColumnDesign => ({ header, width, is_text: true })
const FIELDS: Record<SheetRole, readonly ColumnDesign[]> = {
  collections: [
    text('collection_id', 38),
    text('collection_key', 22),
    text('parent_id', 38),
    text('name*', 40),
    text('description', 50),
    text('type', 14),
    { header: 'inherit_members', width: 16, is_text: false },
  ],
  items: [
    text('item_id', 38),
    text('item_key', 22),
    text('collection_ids*', 38),
    text('name*', 40),
    text('description', 50),
  ],
}

export type RowsOptions = { actor: Actor; scope: Scope; plan: Plan; targets?: number }

/** The values of all rows, by the columns of `columnsOf`. Yields batches from a cursor. */
export async function* readRows(tx: Tx, role: SheetRole, options: RowsOptions): AsyncGenerator<Value[][]> {
  const metadata = options.plan.metadata[role]
  if (role === 'collections')
    for await (const rows of collectionRows(tx, options).cursor(TURN))
      yield rows.map((row) => [
        row.id,
        row.external_key,
        row.parent_id,
        withoutMark(row.name),
        asText(row.description),
        row.type,
        row.inherit_members,
        ...metadataValues(metadata, row.metadata),
      ])
  else
    for await (const rows of itemRows(tx, options).cursor(TURN))
      yield rows.map((row) => [
        row.id,
        row.external_key,
        [...row.collection_ids, ...(row.is_cut ? [MARKS.keep] : [])].join(';'),
        withoutMark(row.name),
        asText(row.description),
        ...metadataValues(metadata, row.metadata),
      ])
}

/** Parents come before their children. A top collection keeps its parent's id if the parent is visible. */
export const collectionRows = (tx: Tx, { actor, scope }: RowsOptions) => tx<CollectionRow[]>`
  with ${scopeOf(tx, actor, scope)}
  select node.id, node.external_key, node.name, node.description, node.type,
         node.inherit_members, node.metadata,
         case when node.parent_id in (select collection_id from visible) then node.parent_id end as parent_id
    from scope
    join collections.collections as node on node.id = scope.collection_id and node.tenant_id = ${actor.tenant_id}
   order by scope.distance, node.name_folded, node.id`

export const itemRows = (tx: Tx, { actor, scope, targets = TARGETS }: RowsOptions) => tx<ItemRow[]>`
  with ${scopeOf(tx, actor, scope)},
  held as materialized (
    select link.item_id from collections.collection_items as link
     where link.tenant_id = ${actor.tenant_id} and link.collection_id = any(array(select collection_id from scope))
     group by link.item_id),
  place as materialized (
    select link.item_id,
           (array_agg(link.collection_id order by (link.collection_id in (select collection_id from scope)) is not true,
                                                  link.collection_id))[1:${targets}::int] as collection_ids,
           count(*) > ${targets}::int as is_cut
      from collections.collection_items as link
     where link.tenant_id = ${actor.tenant_id} and link.collection_id = any(array(select collection_id from visible))
       and (link.item_id in (select item_id from held)) is true
     group by link.item_id)
  select item.id, item.external_key, item.name, item.description, item.metadata, place.collection_ids, place.is_cut
    from place
   cross join lateral (
     select * from collections.items as one
      where one.tenant_id = ${actor.tenant_id} and one.id = place.item_id offset 0) as item
   order by item.name_folded, item.id`

const metadataValues = (columns: readonly MetaColumn[], metadata: Metadata): Value[] =>
  columns.map(({ key, is_list }) => {
    const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
    if (Array.isArray(value) !== is_list || value === undefined) return null
    // No cell can hold an empty text, alone or in a list.
    if (value === '' || (Array.isArray(value) && value.includes(''))) return MARKS.keep
    if (Array.isArray(value)) return asText(joined(value))
    return typeof value === 'string' ? asText(value) : value
  })

const asText = (text: string | null) => (text === null ? null : withoutMark(text))

/**
 * Joins values with `;` for the import, escaping a literal one as `\;`. A backslash at the end of a value would
 * escape the separator, so a space follows it, which the import trims.
 */
const joined = (values: readonly string[]) =>
  values.map((value) => value.replaceAll(';', '\\;').replace(/\\$/, '\\ ')).join(';')
