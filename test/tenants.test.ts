import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Lane } from '#foundation/database/database.ts'
import { type Plan, planGeneric, type Statement, statementsOf } from '#testing/plans.ts'
import { type SourceFile, sourceFiles, taggedTemplates } from '#testing/source.ts'
import { world } from '#testing/world.ts'
import type { Cast } from './security/powers/cast.ts'
import { collectionsMatrix } from './security/powers/collections.ts'
import { learningMatrix } from './security/powers/learning.ts'
import { type Matrix, requestOf } from './security/powers/matrix.ts'

const { db } = await world()

/** Tables that docs/scaling.md does not distribute by tenant: copied to every node, or kept on one. */
const UNDISTRIBUTED = {
  'learning.channel_tenants': 'a reference table: the public feed knows a channel without its tenant',
  'collections.sessions': 'found by the hash in a cookie, before the tenant is known',
  'collections.idempotency_keys': 'answers of one person, kept for a day and joined with nothing',
  'collections.jobs': 'one node works through an import; its tables are joined with each other only',
  'collections.job_chunks': 'part of an import',
  'collections.job_errors': 'part of an import',
  'collections.job_files': 'part of an import',
  'collections.staged_places': 'part of an import',
  'collections.staged_rows': 'part of an import',
}
/** Tables that keep the keys of the release before beside those with the tenant, until the next one (docs/scaling.md). */
const WITH_OLD_KEYS = [
  'collections.collection_ancestors',
  'collections.collection_items',
  'collections.collections',
  'collections.item_keys',
  'collections.items',
  'collections.members',
]
/**
 * Statements without a tenant: where a person left their id is only found by asking all tenants. Their memberships end
 * tenant by tenant.
 */
const OF_ALL_TENANTS = {
  'src/collections/forget-user.ts': [
    'collections',
    'items',
    'collection_items',
    'item_changes',
    'views',
    'collection_changes',
    'members',
  ],
}
const isDistributed = (table: string) => /^(learning|collections)\./.test(table) && !(table in UNDISTRIBUTED)

describe('the keys of learning and collections', () => {
  test('begin with the tenant', async () => {
    const tables = Map.groupBy(await keys(), ({ table }) => table)
    assert.ok(tables.size > 25)
    const faulty = [...tables.values()]
      .flat()
      .filter(({ table, is_first }) => !is_first && !(table in UNDISTRIBUTED))
    assert.deepEqual([...new Set(faulty.map(({ table }) => table))], WITH_OLD_KEYS)
    const twins = ({ table, columns }: Key) =>
      tables.get(table)?.filter((key) => key.is_first && key.columns.join() === columns.join()) ?? []
    for (const key of faulty.filter(({ is_foreign }) => !is_foreign))
      assert.equal(twins(key).length, 1, `${key.name} has no twin that begins with the tenant`)
  })

  test('are found without the tenant in a made-up table', async () => {
    await db.transaction(async (tx) => {
      await tx`
        create table learning.made_up (
          tenant_id text, id uuid unique, channel_id uuid, primary key (tenant_id, id),
          foreign key (id) references learning.channel_tenants (channel_id),
          foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id))`
      await tx`create unique index made_up_channel on learning.made_up (channel_id, tenant_id)`
      const found = (await keys(tx)).filter(
        ({ table, is_first }) => table === 'learning.made_up' && !is_first,
      )
      assert.deepEqual(
        found.map(({ name }) => name),
        ['made_up_channel', 'made_up_id_fkey', 'made_up_id_key'],
      )
      await tx`drop table learning.made_up`
    })
  })
})

type Key = { table: string; name: string; is_first: boolean; is_foreign: boolean; columns: string[] }

/**
 * Every primary key, unique index and foreign key, with the columns of an index beside the tenant; a table without any is
 * one row without a name.
 */
const keys = (sql: Lane = db.pool) => sql<Key[]>`
  select c.oid::regclass::text as table, coalesce(k.name, '') as name, coalesce(k.is_first, false) as is_first,
         coalesce(k.is_foreign, false) as is_foreign, coalesce(k.columns, '{}') as columns
    from pg_class c
    left join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
    left join lateral (
      select x.relname as name, i.indkey[0] = t.attnum as is_first, false,
             array(select a.attname::text
                     from unnest(i.indkey::int2[]) with ordinality as part(number, place)
                     join pg_attribute a on a.attrelid = c.oid and a.attnum = part.number
                    where part.place <= i.indnkeyatts and a.attname <> 'tenant_id' order by part.place)
        from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid and i.indisunique
      union all
      select f.conname, f.conkey[1] = t.attnum and f.confkey[1] = p.attnum, true, '{}'::text[]
        from pg_constraint f left join pg_attribute p on p.attrelid = f.confrelid and p.attname = 'tenant_id'
       where f.conrelid = c.oid and f.contype = 'f' and f.conparentid = 0) as k(name, is_first, is_foreign, columns) on true
   where c.relnamespace = any(array['learning', 'collections']::regnamespace[])
     and c.relkind in ('r', 'p') and not c.relispartition
   order by 1, 2`

describe('the statements', () => {
  test('of learning read every table with its tenant, and of one tenant only', () =>
    nameTheirTenant('learning', () => everyRequest(learningMatrix), 100))
  test('of collections read every table with its tenant, and of one tenant only', () =>
    nameTheirTenant('collections', () => everyRequest(collectionsMatrix), 40))

  for (const [what, text, fault] of [
    [
      'a join by id alone',
      'select 1 from learning.episodes e join learning.videos v on v.episode_id = e.id where e.tenant_id = $1',
      ['learning.videos without its tenant'],
    ],
    [
      'a read by id alone',
      'select 1 from learning.channels c where c.id = $1::text::uuid',
      ['learning.channels without its tenant'],
    ],
    [
      'a join of two tenants',
      'select 1 from learning.channels c, learning.episodes e where c.tenant_id = $1 and e.tenant_id = $2',
      ['2 tenants'],
    ],
  ] as const)
    test(`are caught with ${what}`, async () =>
      assert.deepEqual(await faultsOf({ text, types: [25, 25], parameters: ['a', 'b'] }), fault))

  test('name the tenant of every table in the source', () => {
    const files = sourceFiles('src/{learning,collections}/**/*.ts').filter(
      ({ path }) => !path.endsWith('.test.ts'),
    )
    assert.ok(files.length > 100)
    const found = files.flatMap(unboundIn)
    const unbound = Map.groupBy(
      found.filter(({ table }) => isDistributed(table)),
      ({ place }) => place.replace(/:\d+$/, ''),
    )
    const tables = (rows: typeof found) => rows.map(({ table }) => table.replace(/^\w+\./, ''))
    assert.deepEqual(
      Object.fromEntries(Array.from(unbound, ([path, rows]) => [path, tables(rows)])),
      OF_ALL_TENANTS,
    )
    const breach =
      'sql`select 1 from learning.channels c join learning.episodes e on e.channel_id = c.id and c.tenant_id = 1`'
    assert.deepEqual(unboundIn({ path: 'x', text: breach }), [{ place: 'x:1', table: 'learning.episodes' }])
  })

  test('name it in the functions of the database', async () => {
    const functions = await db.pool<{ name: string; text: string }[]>`
      select oid::regproc::text as name, coalesce(pg_get_function_sqlbody(oid), prosrc) as text
        from pg_proc where pronamespace = any(array['learning', 'collections']::regnamespace[])`
    const found = functions.map(({ name, text }) => ({ name, ...readIn(text) }))
    assert.ok(found.filter(({ read }) => read.length > 0).length > 5)
    assert.deepEqual(
      found.filter(({ unbound }) => unbound.length > 0),
      [],
    )
  })
})

async function nameTheirTenant(service: string, work: () => Promise<void>, least: number) {
  const statements = new Map<string, Statement>()
  for (const statement of await statementsOf(db, work))
    if (statement.text.includes(`${service}.`)) statements.set(statement.text, statement)
  assert.ok(statements.size > least, `only ${statements.size} statements were sent`)
  for (const statement of statements.values()) assert.deepEqual(await faultsOf(statement), [], statement.text)
}

/** One request of every route: those that name an object as the table of rights makes it, and all lists. */
async function everyRequest<Scene extends Cast>({ app, open, rows }: Matrix<Scene>) {
  const school = await open()
  type Asked = Omit<ReturnType<typeof requestOf>, 'method'> & { method: 'GET' | 'POST' }
  const ask = async (request: Asked) => {
    const { statusCode, body } = await app.inject(request)
    assert.ok(statusCode < 500, `${request.method} ${request.url}: ${body}`)
  }
  for (const row of rows) await ask(requestOf(row, await row[2](school), school.headers.own))
  for (const { method, url } of app.declaredRoutes)
    if (method === 'GET' && url.startsWith('/api/') && !url.includes(':'))
      for (const headers of [school.headers.own, school.headers.member])
        for (const query of ['', '?q=one', '?mine=true', '?page=2'])
          await ask({ method: 'GET', url: `${url}${query}`, headers })
  if (app === learningMatrix.app)
    await ask({
      method: 'POST',
      url: '/api/innovation/run/engagement',
      headers: school.headers.own,
      payload: {},
    })
}

/** What the plan reads without a condition on the tenant. A parameter that stands for a tenant has one value. */
async function faultsOf(statement: Statement): Promise<string[]> {
  const faults: string[] = []
  const tenants = new Set<unknown>()
  judge(await planGeneric(db, statement), '')
  return tenants.size > 1 ? [...faults, `${tenants.size} tenants`] : faults

  function judge(node: Plan, above: string) {
    const table = `${node.Schema}.${node['Relation Name']}`
    const own = [node['Index Cond'], node['Recheck Cond'], node.Filter].join(' ')
    const joins = [above, node['Hash Cond'], node['Merge Cond'], node['Join Filter']].join(' ')
    const named = `${node.Alias}\\.tenant_id`
    if (node['Node Type'].endsWith('Scan') && node['Relation Name'] !== undefined && isDistributed(table)) {
      if (!new RegExp(`\\b${named}\\)? = |= \\(?${named}\\b`).test(`${own} ${joins}`))
        faults.push(`${table} without its tenant`)
      for (const [, n] of own.matchAll(/tenant_id\)? = \$(\d+)/g))
        tenants.add(statement.parameters[Number(n) - 1])
    }
    for (const below of node.Plans ?? []) judge(below, joins)
  }
}

const KEYWORDS = 'where|on|set|using|left|cross|join|order|group|limit|for|union|returning|as|lateral'
const NAMED = new RegExp(
  String.raw`(?:\b(?:from|join|update|using)|,)\s+((?:learning|collections)\.(\w+))\b(?!\s*\()(?:\s+(?:as\s+)?(?!(?:${KEYWORDS})\b)(\w+))?`,
  'gi',
)

/** Tables in a text of SQL, and those whose tenant it does not name. What is inserted has one, because no column may lack it. */
function readIn(text: string): { read: string[]; unbound: string[] } {
  const found = Array.from(text.matchAll(NAMED), ([, table = '', name = '', alias]) => {
    const tenant =
      alias === undefined ? `(?<![\\w.])tenant_id|\\b${name}\\.tenant_id` : `\\b${alias}\\.tenant_id`
    return { table, isBound: new RegExp(`${tenant}\\b|using \\(tenant_id`).test(text) }
  })
  return {
    read: found.map(({ table }) => table),
    unbound: found.filter(({ isBound }) => !isBound).map(({ table }) => table),
  }
}

/** isVisible() names the tenant of the channel `c` in learning, of the collection `node` in collections. */
const unboundIn = (file: SourceFile) =>
  taggedTemplates(file).flatMap(({ path, line, text }) =>
    readIn(text.replaceAll('${isVisible(', 'c.tenant_id node.tenant_id ${isVisible(')).unbound.map(
      (table) => ({
        place: `${path}:${line}`,
        table,
      }),
    ),
  )
