import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Tx } from '#foundation/database/database.ts'
import { aColleague, anAdmin } from '#testing/people.ts'
import { type World, world } from '#testing/world.ts'
import { generate, leaveOut, makeAgain, SERVICES } from '../../../scripts/generate-all.ts'
import { fillCollections } from '../../../scripts/generate-collections.ts'
import { fillLearning } from '../../../scripts/generate-learning.ts'
import { fillSso } from '../../../scripts/generate-sso.ts'
import { createWords, type Filling } from '../../../scripts/generate-words.ts'
import { sealSecret } from '../../../src/sso/events/webhooks/secrets.ts'

/** Rows that statements read for each row they generate, keys and counters included. */
const READ_PER_ROW = 150
const [FEW, MANY] = [400, 3_000]

describe('the generator', () => {
  let lyceum: World
  before(async () => {
    lyceum = await world()
  })

  test('reads in proportion to its rows where statistics know another tenant only', async () => {
    await fill(await aFilling(FEW, 101))
    const few = await readOf(await aFilling(FEW, 102))
    const many = await readOf(await aFilling(MANY, 103))
    assert.ok(few > FEW, `${few} rows read`)
    assert.ok(many < MANY * READ_PER_ROW, `${many} rows read for ${MANY} of each kind`)
    assert.ok(many < ((1.5 * MANY) / FEW) * few, `${few} rows read for ${FEW}, ${many} for ${MANY}`)
  })

  test('makes the same rows of the same seed, and others of another', async () => {
    const filling = await aFilling(100, 104)
    const first = await marksOf(filling)
    assert.deepEqual(await marksOf(filling), first)
    const other = await marksOf({ ...filling, seed: 105 })
    for (const table of ['sso.users', 'learning.channels', 'collections.items'])
      assert.notEqual(other[table], first[table], table)
  })

  test('makes every index and foreign key again that it leaves out for many rows', async () => {
    for (const service of SERVICES)
      await lyceum.db.pool.begin(async (tx) => {
        const schema = () => tx<{ definition: string }[]>`
          select pg_get_indexdef(indexrelid) as definition from pg_index join pg_class on pg_class.oid = indrelid
           where relnamespace = ${service}::regnamespace
          union all
          select conrelid::regclass || conname || pg_get_constraintdef(oid) from pg_constraint
           where connamespace = ${service}::regnamespace
           order by 1`
        const before = await schema()
        await leaveOut(tx, service)
        assert.ok((await schema()).length < before.length - 5)
        await makeAgain(tx)
        assert.deepEqual(await schema(), before)
      })
  })

  async function aFilling(rows: number, seed: number): Promise<Filling> {
    const admin = await anAdmin()
    const { user_id } = await aColleague(admin)
    return { rows, seed, site_id: admin.site.site_id, tenant_id: admin.tenant_id, user_id }
  }

  const fill = (filling: Filling) =>
    generate(lyceum.db, filling, (site) => sealSecret(lyceum.parts.keys, site, 'x'))

  /** Rows that PostgreSQL reads from tables and indexes while it generates. */
  const readOf = (filling: Filling) =>
    rolledBack(filling, async (tx) => {
      const [row] = await tx<{ read: number }[]>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as read from pg_stat_xact_user_tables`
      return row?.read ?? 0
    })

  /** A checksum of each table, without the columns that the database stamps with the time of the run. */
  const marksOf = (filling: Filling) =>
    rolledBack(filling, async (tx) => {
      const marks: Record<string, string | undefined> = {}
      for (const table of tables) {
        const [row] = await tx<{ mark: string }[]>`
          with clocks as (select array_agg(attname::text) as names from pg_attribute a
                            join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                           where attrelid = ${table}::regclass and pg_get_expr(adbin, adrelid) ~ 'timestamp|now')
          select md5(string_agg(row::text, ',' order by row::text)) as mark
            from ${tx(table)} t, clocks, lateral (select to_jsonb(t) - coalesce(names, '{}') as row) as rows`
        marks[table] = row?.mark
      }
      return marks
    })

  /** What `work` says of a filled database, which is then as it was before. */
  async function rolledBack<T>(filling: Filling, work: (tx: Tx) => Promise<T>): Promise<T> {
    const done: T[] = []
    const undo = new Error('undo')
    await lyceum.db.pool
      .begin(async (tx) => {
        await tx`set local statement_timeout = '60s'`
        await createWords(tx, filling.seed)
        await fillSso(tx, filling, () => Buffer.from('sealed'))
        await fillLearning(tx, filling)
        await fillCollections(tx, filling)
        done.push(await work(tx))
        throw undo
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error
      })
    const [result] = done
    if (result === undefined) throw new Error('nothing was said')
    return result
  }
})

const tables = [
  'sso.users',
  'sso.memberships',
  'sso.tenants',
  'sso.sites',
  'sso.roles',
  'sso.consents',
  'sso.sessions',
  'sso.audit_log',
  'sso.orders',
  'sso.erasures',
  'sso.erasure_sites',
  'sso.bulk_jobs',
  'sso.webhook_endpoints',
  'sso.webhook_events',
  'sso.webhook_deliveries',
  'learning.channels',
  'learning.channel_tenants',
  'learning.channel_editors',
  'learning.channel_counts',
  'learning.episodes',
  'learning.videos',
  'learning.enrollments',
  'learning.progress',
  'learning.homework',
  'learning.tests',
  'learning.submissions',
  'learning.attempts',
  'learning.suggestions',
  'collections.collections',
  'collections.collection_ancestors',
  'collections.members',
  'collections.items',
  'collections.collection_items',
  'collections.item_keys',
]
