import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aColleague, anAdmin, anOperator, type Headers } from '#testing/people.ts'
import { explainGeneric, nodesOf, type Plan, statementsOf } from '#testing/plans.ts'
import { ownWorld, type World } from '#testing/world.ts'
import { generate } from '../../../scripts/generate-all.ts'
import { sealSecret } from '../../../src/sso/events/webhooks/secrets.ts'

const ROWS = Number(process.env['LYCEUM_PLAN_ROWS'] ?? 5_000)
/** What one person owns or is in: no list reads more rows one by one than these. */
const OWN = 1_000
/** A table with fewer rows is read whole, because that costs less than its index. */
const BIG = 1_000

/** What a list may read beyond its page: whose list, which of its statements, what it reads, and why. */
const KNOWN: { lists: RegExp; statement: RegExp; fault: RegExp; reason: string }[] = [
  {
    lists: /^operator \/api\/v1\/users\?(page=50|sort=.*)?$/,
    statement: /^\s*select count\(\*\)::int as total/,
    fault: /^reads all of users/,
    reason:
      'an operator counts everybody in the environment, which no counter does (docs/decisions/counters-of-lists.md)',
  },
  {
    lists: /^admin \/api\/v1\/webhooks\/events\?(page=40|status=delivered)?$/,
    statement: /^\s*select count\(\*\) as total/,
    fault: /^reads all of webhook_deliveries/,
    reason: 'one site has all deliveries here, and its total is exact (docs/decisions/totals-of-lists.md)',
  },
  {
    lists:
      /^admin \/api\/v1\/users\?(sort=-last_login_at|status=suspended|mfa_enabled=true|last_login_before=.*)$/,
    statement: /sso\.memberships here +join sso\.users u/,
    fault: /^(reads all of users|\d+ times: Index Scan users)/,
    reason:
      'status, factor and last sign-in lie with users, the site in memberships (docs/decisions/totals-of-lists.md)',
  },
]

describe(`with ${ROWS} rows in every large table`, () => {
  let lyceum: World
  let who: Record<'admin' | 'learner' | 'operator', Headers>
  let me: { tenant_id: string; user_id: string }
  before(async () => {
    // A world of its own: plans depend on the rows that are there.
    lyceum = await ownWorld()
    const admin = await anAdmin()
    const learner = await aColleague(admin)
    me = learner
    who = { admin: admin.headers, learner: learner.headers, operator: (await anOperator()).headers }
    const { site_id } = admin.site
    const filling = { rows: ROWS, seed: 7, site_id, tenant_id: admin.tenant_id, user_id: learner.user_id }
    await generate(lyceum.db, filling, (site) => sealSecret(lyceum.parts.keys, site, 'x'), [
      'sso',
      'learning',
    ])
  })

  for (const [name, urls] of Object.entries(lists()))
    test(`${name} reads by index, and not more than its page`, async () => {
      for (const [caller, url] of urls)
        for (const fault of await faultsOf(caller, url)) assert.fail(`${url} as ${caller}: ${fault}`)
    })

  test('channels by a rare word or tag are found without walking the list', async () => {
    for (const [, query] of await rareOnes())
      for (const caller of ['learner', 'admin'] as const) {
        const url = `/api/channels?${query}`
        const statements = await statementsOf(lyceum.db, async () => {
          assert.ok((await ask(caller, url)).total < BIG)
        })
        const plans = await Promise.all(statements.map((one) => explainGeneric(lyceum.db, one)))
        for (const node of plans.flatMap(({ Plan }) => nodesOf(Plan)))
          if (node['Relation Name'] === 'channels') assert.ok(readBy(node) <= BIG, JSON.stringify(node))
      }
  })

  test('channels by rare and by frequent words and tags are those of the plain statement', async () => {
    const sql = lyceum.db.pool
    const asking: [ReturnType<typeof sql>, string][] = [
      ...(await rareOnes()),
      [sql`c.search @@ foundation.search_query('cb')`, 'q=cb'],
      [sql`c.search @@ foundation.search_query('cb') and c.level = 'all'`, 'q=cb&level=all'],
      [sql`c.tags @> '{cbbb}'`, 'tag=cbbb'],
      [sql`c.status = 'published'`, 'status=published'],
      [sql`c.search @@ foundation.search_query('cb') and c.status = 'archived'`, 'q=cb&status=archived'],
    ]
    const seen = sql`
      (c.is_listed or c.owner_id = ${me.user_id} or ${me.user_id} = any(c.instructor_ids) or c.status <> 'draft' and exists (
        select from learning.enrollments e where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.user_id = ${me.user_id}))`
    let most = 0
    for (const [condition, query] of asking)
      for (const [caller, visible] of [
        ['learner', seen],
        ['admin', sql`true`],
      ] as const) {
        const expected = await sql<{ id: string }[]>`
          select c.id from learning.channels c
           where c.tenant_id = ${me.tenant_id} and c.deleted_at is null and ${visible} and ${condition}
           order by c.created_at desc, c.id desc`
        const ids: string[] = []
        for (let cursor: string | null = ''; cursor !== null;) {
          const after: string = cursor && `&cursor=${cursor}`
          const reply = await ask(caller, `/api/channels?${query}&per_page=100${after}`)
          assert.equal(reply.total, expected.length, query)
          ids.push(...reply.items.map(({ id }: { id: string }) => id))
          cursor = reply.next_cursor
        }
        assert.deepEqual(
          ids,
          expected.map(({ id }) => id),
          query,
        )
        const second = await ask(caller, `/api/channels?${query}&per_page=7&page=2`)
        assert.deepEqual(
          second.items.map(({ id }: { id: string }) => id),
          ids.slice(7, 14),
          query,
        )
        most = Math.max(most, ids.length)
      }
    assert.ok(most > BIG)
  })

  /** A word and a tag that few channels have, as condition and query. */
  async function rareOnes() {
    const sql = lyceum.db.pool
    const [found] = await sql<{ word: string; tag: string }[]>`
      select (select word from ts_stat('select search from learning.channels where is_listed')
               where ndoc between 2 and 40 and word ~ '^[a-z]+$' order by word limit 1) as word,
             (select tag from learning.channels, unnest(tags) as tag
               where is_listed group by tag having count(*) between 2 and 40 order by tag limit 1) as tag`
    assert.ok(found)
    const { word, tag } = found
    return [
      [sql`c.search @@ foundation.search_query(${word})`, `q=${word}`],
      [sql`c.tags @> array[${tag}::text]`, `tag=${tag}`],
      [sql`c.search @@ foundation.search_query(${word}) and c.level = 'all'`, `q=${word}&level=all`],
    ] as [ReturnType<typeof sql>, string][]
  }

  async function ask(caller: keyof typeof who, url: string) {
    const app = url.startsWith('/api/v1/') ? lyceum.sso : lyceum.learning
    const { statusCode, body } = await app.inject({ url, headers: who[caller] })
    assert.equal(statusCode, 200, `${url} as ${caller}: ${body}`)
    return JSON.parse(body)
  }

  async function faultsOf(caller: keyof typeof who, url: string): Promise<string[]> {
    const statements = await statementsOf(lyceum.db, () => ask(caller, url))
    const faults = []
    for (const statement of statements) {
      const { Plan } = await explainGeneric(lyceum.db, statement)
      for (const fault of nodesOf(Plan).flatMap(faultOf))
        if (!isKnown(`${caller} ${url}`, statement.text, fault)) faults.push(`${fault}\n${statement.text}`)
    }
    return faults
  }
})

/** Where PostgreSQL may evaluate an expression once per row. */
const CONDITIONS = ['Filter', 'Index Cond', 'Recheck Cond', 'Join Filter', 'Hash Cond', 'Merge Cond'] as const
const OURS = /\b(foundation|sso|learning|collections)\.\w+\(/

const isKnown = (list: string, statement: string, fault: string) =>
  KNOWN.some((one) => one.lists.test(list) && one.statement.test(statement) && one.fault.test(fault))

const readBy = (node: Plan) =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']

function faultOf(node: Plan): string[] {
  const loops = node['Actual Loops']
  const read = readBy(node)
  const faults = []
  if (node['Node Type'].endsWith('Seq Scan') && read > BIG)
    faults.push(`reads all of ${node['Relation Name']}`)
  for (const condition of CONDITIONS)
    if (OURS.test(node[condition] ?? '')) faults.push(`calls for each row: ${condition} ${node[condition]}`)
  if (loops > OWN && node['Node Type'] !== 'Materialize')
    faults.push(`${loops} times: ${node['Node Type']} ${node['Relation Name']}`)
  return faults
}

function lists(): Record<string, ['admin' | 'learner' | 'operator', string][]> {
  const both = (path: string, queries: string[]) =>
    queries.flatMap((query): ['admin' | 'learner', string][] => [
      ['learner', `${path}?${query}`],
      ['admin', `${path}?${query}`],
    ])
  const as = <Caller extends 'admin' | 'learner' | 'operator'>(
    caller: Caller,
    path: string,
    queries: string[],
  ) => queries.map((query): [Caller, string] => [caller, `${path}?${query}`])
  const users = [
    '',
    'page=50',
    'q=fulk',
    'role=ADMIN',
    'email=nobody@example.org',
    'sort=created_at',
    'created_after=2025-06-01T00:00:00Z',
  ]
  const narrow = ['mfa_enabled=true', 'last_login_before=2025-01-01T00:00:00Z']
  const sorts = ['email', '-email', 'display_name', '-display_name'].map((sort) => `sort=${sort}`)
  const audit = [
    '',
    'page=50',
    'action=login.failed',
    'since=2025-12-31T00:00:00Z',
    'until=2025-12-31T00:00:00Z',
  ]
  return {
    'the list of channels': both('/api/channels', ['', 'page=50', 'mine=true']),
    'the search of channels': both('/api/channels', ['q=fulk', 'q=fulk%20cb', 'mine=true&q=cb']),
    'a filter of channels': both('/api/channels', [
      'status=archived',
      'category=cbbb',
      'language=sw',
      'level=advanced',
      'tag=none',
      'status=published&page=20',
    ]),
    'the list of enrollments': as('learner', '/api/enrollments', ['', 'page=10', 'status=completed']),
    'the list of grades': as('learner', '/api/grades', ['', 'page=10']),
    'the list of suggestions': both('/api/innovation/suggestions', [
      '',
      'page=20',
      'status=pending',
      'kind=drop_off',
    ]),
    'the list of people': [
      ...as('admin', '/api/v1/users', [
        ...users,
        ...sorts,
        'sort=-last_login_at',
        'status=suspended',
        ...narrow,
      ]),
      ...as('operator', '/api/v1/users', [...users.slice(0, 3), ...sorts]),
    ],
    'the audit log': [...as('admin', '/api/v1/audit', audit), ...as('operator', '/api/v1/audit', audit)],
    'what an id names': [
      ...as('admin', '/api/v1/console/find', ['id=00000000-0000-7000-8000-000000000000', 'id=pupil-1']),
      ...as('operator', '/api/v1/console/find', ['id=00000000-0000-7000-8000-000000000000', 'id=pupil-1']),
    ],
    'the figures of the console': [
      ...as('admin', '/api/v1/console/figures', ['']),
      ...as('operator', '/api/v1/console/figures', ['']),
      ...as('operator', '/api/v1/console/sites', ['', 'q=a']),
    ],
    'the list of deliveries': as('admin', '/api/v1/webhooks/events', [
      '',
      'page=40',
      'status=delivered',
      'created_after=2025-12-31T00:00:00Z',
    ]),
    'the list of sessions': as('learner', '/api/v1/sessions', ['', 'page=3', 'status=all']),
    'the list of orders': as('admin', '/api/v1/payments/orders', [
      '',
      'page=20',
      'status=canceled',
      'kind=plan',
    ]),
    'the list of sites': [
      ...as('learner', '/api/v1/sites', ['']),
      ...as('operator', '/api/v1/admin/sites', ['', 'status=pending']),
    ],
    'the list of erasures': as('admin', '/api/v1/users/erasures', [
      '',
      'page=20',
      'since=2025-01-02T00:00:00Z',
    ]),
    'the list of imports': as('admin', '/api/v1/bulk/jobs', ['', 'status=failed']),
  }
}
