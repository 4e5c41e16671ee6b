import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { migrate, type Migration } from '#foundation/database/migrations.ts'
import { newId } from '#foundation/ids.ts'
import { emptyDatabase } from '#testing/database.ts'
import { MIGRATIONS } from '../../../src/cli/database.ts'

const TABLES = ['members', 'collection_ancestors', 'item_keys', 'collection_items']
/** More than two batches of the backfill. */
const ROWS = 2_500

describe('the tenant of links, members, lines and keys', () => {
  test('is filled for rows from before and for those of the release before', async () => {
    const isOlder = ({ source, number }: Migration) => source !== 'collections' || number < 95
    const { url, db } = await emptyDatabase()
    await migrate(url, MIGRATIONS, { isWanted: isOlder })
    const before = [await aTree(db.pool), await aTree(db.pool)]
    await migrate(url, MIGRATIONS)
    const after = await aTree(db.pool)
    for (const table of TABLES) {
      const rows = await db.pool<{ tenant_id: string; rows: number }[]>`
        select tenant_id, count(*)::int as rows from ${db.pool(`collections.${table}`)} group by tenant_id`
      assert.deepEqual(rows.map((row) => row.tenant_id).toSorted(), [...before, after].toSorted(), table)
      assert.deepEqual([...new Set(rows.map((row) => row.rows))], [ROWS], table)
    }
    const steps = await db.pool<{ step: string; changed: number }[]>`
      select step, changed::int as changed from foundation.backfills where finished_at is not null order by step`
    assert.deepEqual(
      steps.map(({ changed }) => changed),
      TABLES.map(() => 2 * ROWS),
    )
    const broken = await db.pool`
      select indexrelid::regclass from pg_index where not indisvalid`
    assert.deepEqual([...broken], [])
  })
})

/** As the release before writes: collections with their lines in one statement, and no tenant but that of the collections. */
async function aTree(sql: Awaited<ReturnType<typeof emptyDatabase>>['db']['pool']): Promise<string> {
  const [tenant_id, root_id] = [newId(), newId()]
  await sql`
    with made as (
      insert into collections.collections (id, tenant_id, root_id, depth, inherit_reach, name)
      values (${root_id}, ${tenant_id}, ${root_id}, 0, 0, 'Root') returning id)
    insert into collections.members (collection_id, user_id, role)
    select id, gen_random_uuid(), 'viewer' from made, generate_series(1, ${ROWS}::int)`
  await sql`
    with made as (
      insert into collections.collections (id, tenant_id, parent_id, root_id, depth, inherit_reach, name)
      select gen_random_uuid(), ${tenant_id}, ${root_id}, ${root_id}, 1, 1, 'Box' from generate_series(1, ${ROWS}::int)
      returning id)
    insert into collections.collection_ancestors (ancestor_id, descendant_id, distance, counts)
    select id, id, 0, true from made`
  const items = sql`
    insert into collections.items (id, tenant_id, name, external_key)
    select gen_random_uuid(), ${tenant_id}, 'Vase', 'key|' || n from generate_series(1, ${ROWS}::int) as n
    returning id, external_key`
  await sql`
    with made as (${items}),
    keyed as (
      insert into collections.item_keys (root_id, external_key, item_id) select ${root_id}::uuid, external_key, id from made)
    insert into collections.collection_items (collection_id, item_id) select ${root_id}::uuid, id from made`
  return tenant_id
}
