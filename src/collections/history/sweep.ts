import type { Database } from '#foundation/database/database.ts'

const BATCH = 1_000

/** Deletes changes of items and collections after 90 days, tenant by tenant, the oldest first. Returns their number. */
export async function sweepChanges(db: Database): Promise<number> {
  return (await sweep(db, 'item_changes')) + (await sweep(db, 'collection_changes'))
}

async function sweep({ pool }: Database, table: 'item_changes' | 'collection_changes'): Promise<number> {
  const changes = pool(`collections.${table}`)
  let swept = 0
  for (let tenant_id = '00000000-0000-0000-0000-000000000000'; ;) {
    const [next] = await pool<{ tenant_id: string }[]>`
      select tenant_id from ${changes} where tenant_id > ${tenant_id} order by tenant_id limit 1`
    if (!next) return swept
    tenant_id = next.tenant_id
    for (let count = BATCH; count === BATCH;) {
      const rows = await pool`
        delete from ${changes} as old
         using (select xid, change_id from ${changes}
                 where tenant_id = ${tenant_id} order by xid, change_id limit ${BATCH} for update skip locked) as first
         where old.tenant_id = ${tenant_id} and old.xid = first.xid and old.change_id = first.change_id
           and old.changed_at < statement_timestamp() - interval '90 days'`
      swept += count = rows.count
    }
  }
}
