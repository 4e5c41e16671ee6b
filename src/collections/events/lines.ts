import type { Tx } from '#foundation/database/database.ts'

/** One line of the history, as events need it. `kind` is null where it is of no interest to them. */
export type Line = {
  type: 'item' | 'collection'
  id: string
  kind: string | null
  version: number | null
  collection_ids: string[] | null
  user_id: string | null
  changed_at: string
  xid: string
  change_id: string
}

/** The most lines that become events in one transaction. */
export const WINDOW = 5_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Undefined while another process holds it, or before it is there. */
type Cursor = { xid: string; change_id: string; is_future: boolean }

/**
 * The next lines of a tenant, in order; the cursor goes to their end. A line is read once every transaction before its own
 * has ended, so none is missed however late one commits. The caller's transaction must write what becomes of them.
 */
export async function takeLines(tx: Tx, tenant_id: string, since: string): Promise<Line[]> {
  const [cursor] = await tx<Cursor[]>`
    select xid::text as xid, change_id, xid > pg_snapshot_xmax(pg_current_snapshot()) as is_future
      from collections.event_cursors where tenant_id = ${tenant_id} for update skip locked`
  // A database that came from a backup may count its transactions anew.
  if (!cursor || cursor.is_future) {
    await begin(tx, tenant_id, since)
    return []
  }
  const lines = await readLines(tx, tenant_id, cursor)
  const last = lines.at(-1)
  if (last)
    await tx`
      update collections.event_cursors set xid = ${last.xid}::text::xid8, change_id = ${last.change_id}
       where tenant_id = ${tenant_id}`
  return lines
}

/** Begins with the first change since somebody asked, or now; transactions that are under way come after it. */
async function begin(tx: Tx, tenant_id: string, since: string) {
  const recent = (table: string) => tx`
    select xid, changed_at from (
      select xid, changed_at from ${tx(`collections.${table}`)}
       where tenant_id = ${tenant_id} order by xid desc, change_id desc limit ${WINDOW}) as latest
     where changed_at >= ${since}`
  await tx`
    insert into collections.event_cursors as held (tenant_id, xid, change_id)
    select ${tenant_id}, least(min(line.xid::text::numeric), pg_snapshot_xmin(pg_current_snapshot())::text::numeric)::text::xid8, ${FIRST}
      from (${recent('item_changes')} union all ${recent('collection_changes')}) as line
    on conflict (tenant_id) do update set xid = excluded.xid, change_id = excluded.change_id
     where held.xid > pg_snapshot_xmax(pg_current_snapshot())`
}

function readLines(tx: Tx, tenant_id: string, { xid, change_id }: Cursor) {
  const window = tx`
    (xid, change_id) > (${xid}::text::xid8, ${change_id}::uuid)
    and xid < edge.horizon order by xid, change_id limit ${WINDOW}`
  return tx<Line[]>`
    with edge as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as horizon)
    select type, id, kind, version, collection_ids, user_id, changed_at, line.xid::text as xid, change_id
      from (
        (select 'item' as type, item_id as id, kind, version, collection_ids, null::uuid as user_id, changed_at, xid, change_id
           from edge cross join lateral (select * from collections.item_changes where tenant_id = ${tenant_id} and ${window}) as one)
        union all
        (select 'collection', collection_id, case when collection_id = any(lost_by) then 'deleted' else kind end, null, null,
                user_id, changed_at, xid, change_id
           from edge cross join lateral (select * from collections.collection_changes where tenant_id = ${tenant_id} and ${window}) as one)) as line
     order by line.xid, change_id limit ${WINDOW}`
}

/** Ends the cursors of tenants where nobody asks any more, so that a later question begins anew. */
export async function dropCursors(tx: Tx, asking: readonly string[]): Promise<void> {
  await tx`delete from collections.event_cursors where not (tenant_id = any(${asking as string[]}::uuid[]))`
}
