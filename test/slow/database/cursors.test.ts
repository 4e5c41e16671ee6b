import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { App } from '#foundation/http/http.ts'
import { aColleague, anAdmin, anOperator, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { explainGeneric, nodesOf, statementsOf } from '#testing/plans.ts'
import { ownWorld, type World, world } from '#testing/world.ts'
import { generate } from '../../../scripts/generate-all.ts'
import { queueMessage } from '../../../src/sso/core/messages/queue.ts'
import { sealSecret } from '../../../src/sso/events/webhooks/secrets.ts'

type Caller = 'admin' | 'learner' | 'home' | 'tester' | 'stranger' | 'operator'
/** Every list that can be continued, and what names its rows. */
const LISTS: [caller: Caller, url: string, id: string][] = [
  ['learner', '/api/channels?', 'id'],
  ['admin', '/api/channels?', 'id'],
  ['learner', '/api/channels?mine=true', 'id'],
  ['learner', '/api/channels?q=cbb', 'id'],
  ['learner', '/api/channels?status=archived', 'id'],
  ['admin', '/api/channels?level=beginner', 'id'],
  ['learner', '/api/enrollments?', 'id'],
  ['admin', '/api/innovation/suggestions?status=rejected', 'id'],
  ['learner', '/api/innovation/suggestions?', 'id'],
  ['learner', '/api/v1/sessions?status=all', 'session_id'],
  ['admin', '/api/v1/webhooks/events?status=delivered', 'event_id'],
  ['admin', '/api/v1/users/erasures?', 'sso_subject_id'],
  ['admin', '/api/v1/bulk/jobs?', 'job_id'],
  ['admin', '/api/v1/audit?', 'audit_id'],
  ['admin', '/api/v1/users?', 'user_id'],
  ['operator', '/api/v1/admin/sites?', 'site_id'],
  ['operator', '/api/v1/payments/orders?', 'order_id'],
  ['admin', '/api/v1/payments/orders?', 'order_id'],
  ['admin', '/api/v1/payments/orders?status=canceled', 'order_id'],
  ['operator', '/api/v1/signing-keys?', 'kid'],
  ['tester', '/api/v1/messages?site_code={sandbox}', 'message_id'],
  ['operator', '/api/v1/admin/messages?', 'message_id'],
  ['home', '/api/v1/sites?', 'site_id'],
  ['operator', '/api/v1/sites/managed?', 'site_id'],
  ['home', '/api/v1/consents?', 'site_id'],
  ['learner', '/api/grades?', 'episode_id'],
  ['learner', '/api/episodes/{episode}/homework?', 'id'],
  ['admin', '/api/episodes/{episode}/homework?', 'id'],
  ['learner', '/api/episodes/{episode}/tests?', 'id'],
  ['admin', '/api/episodes/{episode}/tests?', 'id'],
]

/** Lists that read up to a page of rows more by cursor, at these few rows; why is not known yet. */
const UNMEASURED = new Set([
  'admin /api/v1/users/erasures?',
  'admin /api/v1/bulk/jobs?',
  'learner /api/episodes/{episode}/tests?',
])

/** Lists that no cursor walks through, and why. */
const WITHOUT: Record<string, string> = {
  '/api/v1/mfa/factors': 'at most 10',
  '/api/v1/sites/:site_id/connections': 'at most 20',
  '/api/v1/sites/:site_id/connections/:connection_id/sign-ins': 'the newest 50',
  '/api/v1/sites/:site_id/keys': 'at most 2',
  '/api/v1/console/sites': 'at most 200 to choose from; a part of the name finds the others',
  '/api/v1/webhooks': 'at most 10',
  '/api/teaching/today': 'at most 5, 10 and 20 rows; the work has a list of its own',
  '/api/v1/webhooks/figures': 'one row for each of at most 10 endpoints',
  '/api/v1/roles': 'made with the site, and never more',
  '/api/v1/sessions/revocations': 'its cursor is its only way on',
  '/api/channels/:id/teachers':
    'those of one channel, and at most 10 to choose from; a part of the name finds the others',
  '/api/collections/:id/invitees': 'at most one',
  '/api/collections/:id/views': 'at most 50',
  '/api/innovation/suggestions/:id/learners': 'computed anew, in the order of today',
  '/api/changes': 'its cursor is its only way on',
  '/api/v1/admin/retention': 'one row for each kind of data',
  '/api/v1/console/find': 'at most 20 things that one id names',
  '/account/sites': 'a page for people',
  '/api/episodes/tests/:id/bank': 'a choice by pages; a part of the question finds the others',
  '/api/episodes/tests/:id/questions': 'at most 500, in the order of an attempt',
  '/api/device/feed/:channel_id': 'at most 500 episodes, with next_url',
}

test('every list has a cursor, or a reason to have none', async () => {
  const { sso, learning, collections } = await world()
  const found = [sso, learning, collections].flatMap((app) => app.declaredRoutes.filter(isList))
  assert.ok(found.length > 20)
  const without = found.filter((route) => !hasCursor(route)).map(({ url }) => url)
  assert.deepEqual(
    without.filter((url) => !url.startsWith('/v1/')).toSorted(),
    Object.keys(WITHOUT).toSorted(),
  )
})

type Route = App['declaredRoutes'][number]
const queryOf = ({ schema }: Route) => JSON.stringify(schema.querystring ?? {})
const answerOf = ({ schema }: Route) =>
  JSON.stringify(Object.entries(schema.response ?? {}).find(([code]) => code === '200') ?? [])
const isList = (route: Route) =>
  route.method === 'GET' && (/"page":/.test(queryOf(route)) || /"required":\["items"/.test(answerOf(route)))
const hasCursor = (route: Route) => /"cursor":/.test(queryOf(route)) && /"next_cursor":/.test(answerOf(route))

describe('next_cursor', () => {
  let lyceum: World
  let who: Record<Caller, Headers>
  let episode = ''
  let site_code = ''
  before(async () => {
    // A world of its own: what is read depends on the rows that are there.
    lyceum = await ownWorld()
    const admin = await anAdmin()
    const learner = await aColleague(admin)
    const sandbox = await aTester()
    site_code = sandbox.site_code
    who = {
      admin: admin.headers,
      learner: learner.headers,
      home: (await signIn(learner)).headers,
      tester: sandbox.owner.headers,
      stranger: (await anAdmin()).headers,
      operator: (await anOperator()).headers,
    }
    const filling = {
      rows: 400,
      seed: 5,
      site_id: admin.site.site_id,
      tenant_id: admin.tenant_id,
      user_id: learner.user_id,
    }
    await generate(lyceum.db, filling, (site) => sealSecret(lyceum.parts.keys, site, 'x'), [
      'sso',
      'learning',
    ])
    episode = await fillEpisode(lyceum, learner.user_id)
    await fillKeys(lyceum)
    await lyceum.db.pool`analyze`
  })

  const at = (url: string) => url.replace('{episode}', episode).replace('{sandbox}', site_code)
  const read = async (caller: Caller, url: string) => {
    const app = url.startsWith('/api/v1/') ? lyceum.sso : lyceum.learning
    const { statusCode, body } = await app.inject({ url: at(url), headers: who[caller] })
    return { statusCode, body: JSON.parse(body) }
  }

  for (const [caller, url, id] of LISTS) {
    test(`walks through ${url} as ${caller} once, like its pages`, async () => {
      const whole: string[] = []
      const { body: first } = await read(caller, `${url}&per_page=100`)
      for (let page = 1; page <= first.pages; page++) {
        const { items } = (await read(caller, `${url}&per_page=100&page=${page}`)).body
        whole.push(...items.map((item: Record<string, string>) => item[id]))
      }
      const step = Math.max(1, Math.min(33, Math.floor(first.total / 3)))
      const walked: string[] = []
      for (let cursor = ''; ;) {
        const { statusCode, body } = await read(caller, `${url}&per_page=${step}${cursor}`)
        assert.equal(statusCode, 200, JSON.stringify(body))
        assert.equal(body.total, first.total)
        walked.push(...body.items.map((item: Record<string, string>) => item[id]))
        if (body.next_cursor === null) break
        cursor = `&cursor=${body.next_cursor}`
      }
      assert.ok(walked.length > 0)
      assert.deepEqual(walked, whole)
    })
    test(`${url} as ${caller} refuses a cursor of another list and one with a page`, async () => {
      const other = Buffer.from(
        JSON.stringify(['other', '2026-01-01T00:00:00.000Z', crypto.randomUUID()]),
      ).toString('base64url')
      const { body } = await read(caller, `${url}&per_page=1`)
      for (const query of [`cursor=${other}`, 'cursor=x', `cursor=${body.next_cursor}&page=2`])
        assert.equal((await read(caller, `${url}&${query}`)).statusCode, 422, query)
    })
  }

  for (const [place, [caller, url]] of LISTS.entries())
    test(`${url} as ${caller} refuses a cursor of other filters, people and lists, and a long one`, async () => {
      const { body } = await read(caller, `${url}&per_page=1`)
      const cursor = String(body.next_cursor)
      assert.ok(body.next_cursor, 'one row more')
      for (const [other, elsewhere] of [
        ...LISTS.filter((_, n) => n !== place).map(([by, to]) => [by, to] as const),
        ['stranger', url] as const,
      ]) {
        const { statusCode } = await read(other, `${elsewhere}&cursor=${cursor}`)
        assert.ok(statusCode >= 400 && statusCode < 500, `${statusCode} from ${elsewhere} as ${other}`)
      }
      const long = Buffer.from(JSON.stringify(['x'.repeat(2_000)])).toString('base64url')
      for (const broken of [long, cursor.slice(0, -9), `${cursor.slice(0, -4)}AAAA`, '%00', 'bnVsbA'])
        assert.equal((await read(caller, `${url}&cursor=${broken}`)).statusCode, 422, broken)
    })

  for (const [caller, url] of LISTS.filter(([by, to]) => !UNMEASURED.has(`${by} ${to}`)))
    test(`${url} as ${caller} reads no more far behind than at the beginning`, async () => {
      const { body: first } = await read(caller, `${url}&per_page=1`)
      const per_page = Math.max(1, Math.min(20, Math.floor(first.total / 4)))
      const far = Math.max(1, Math.floor((first.total * 0.7) / per_page))
      const { body } = await read(caller, `${url}&per_page=${per_page}&page=${far}`)
      const costs = async (query: string) => {
        let sum = 0
        const app = url.startsWith('/api/v1/') ? lyceum.sso : lyceum.learning
        const statements = await statementsOf(lyceum.db, async () => {
          const reply = await app.inject({
            url: at(`${url}&per_page=${per_page}${query}`),
            headers: who[caller],
          })
          assert.equal(reply.statusCode, 200, reply.body)
        })
        for (const statement of statements) {
          const { Plan } = await explainGeneric(lyceum.db, statement)
          for (const node of nodesOf(Plan))
            sum += node['Plans']
              ? 0
              : (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
        }
        return sum
      }
      const [near, deep] = [await costs(''), await costs(`&cursor=${body.next_cursor}`)]
      assert.ok(deep <= near * 1.2, `${deep} rows read, and ${near} for the first page`)
    })

  test('a walk misses and repeats no row while others come and go before it', async () => {
    const walks: [Caller, string, string, (n: number) => Promise<unknown>][] = [
      ['admin', '/api/v1/payments/orders?', 'order_id', async (n) => moveOrders(lyceum, n)],
      ['learner', '/api/episodes/{episode}/homework?', 'id', async (n) => moveHomework(lyceum, episode, n)],
    ]
    for (const [caller, url, id, move] of walks) {
      const { body: before } = await read(caller, `${url}&per_page=100`)
      const seen: string[] = []
      let cursor: string | null = ''
      for (let n = 0; cursor !== null; n++) {
        const { body }: { body: { items: Record<string, string>[]; next_cursor: string | null } } =
          await read(caller, `${url}&per_page=7${cursor && `&cursor=${cursor}`}`)
        seen.push(...body.items.map((item) => item[id] ?? ''))
        cursor = body.next_cursor
        await move(n)
      }
      assert.deepEqual(
        seen,
        before.items.map((item: Record<string, string>) => item[id]),
        url,
      )
    }
  })
})

/** The ADMIN of a sandbox site with messages. */
async function aTester() {
  const { db, parts } = await world()
  const site = await aSite({ environment: 'sandbox' })
  const member = await aUser({ at: site })
  for (let n = 0; n < 9; n++)
    await db.transaction((tx) =>
      queueMessage(tx, parts, {
        environment: 'sandbox',
        site_id: site.site_id,
        user_id: member.user_id,
        channel: 'email',
        kind: 'mfa_code',
        recipient: member.email,
        subject: 'A code',
        text: '123456',
      }),
    )
  return site
}

/** An episode of one of the learner's channels gets 39 more homework and tests, each created a second later. */
async function fillEpisode({ db }: World, user_id: string): Promise<string> {
  const [row] = await db.pool<{ episode_id: string }[]>`
    select h.episode_id from learning.homework h
      join learning.episodes e on e.tenant_id = h.tenant_id and e.id = h.episode_id
      join learning.enrollments n on n.tenant_id = e.tenant_id and n.channel_id = e.channel_id and n.user_id = ${user_id}
      join learning.tests t on t.tenant_id = e.tenant_id and t.episode_id = e.id
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
     where learning.is_released(e.status, e.release_at) and e.deleted_at is null and c.status = 'published' and c.deleted_at is null
       and e.position = 1
     order by e.id limit 1`
  const episode_id = row?.episode_id ?? ''
  for (const table of ['learning.homework', 'learning.tests'])
    await db.pool`
      insert into ${db.pool(table)}
      select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'created_at', o.created_at + n / 2 * interval '1 s'))).*
        from ${db.pool(table)} o, generate_series(1, 39) as n where o.episode_id = ${episode_id}`
  return episode_id
}

/** Adds nine keys that are no longer used. */
const fillKeys = ({ db }: World) => db.pool`
  insert into sso.signing_keys (kid, environment, alg, purpose, state, public_jwk, created_at, revoked_at)
  select 'old' || n, 'production', 'RS256', 'access', 'revoked', '{}', timestamptz '2024-01-01Z' + n / 2 * interval '1 h', '2025-01-01Z'
    from generate_series(1, 9) as n`

/** A newer order comes, and the newest of the last ones goes. */
async function moveOrders({ db }: World, n: number) {
  await db.pool`
    with newest as (select * from sso.orders o where kind = 'plan' and site_id = (
      select site_id from sso.orders group by 1 order by count(*) desc limit 1) order by created_at desc limit 1)
    insert into sso.orders
    select (jsonb_populate_record(null::sso.orders, to_jsonb(o) || jsonb_build_object('order_id', gen_random_uuid(), 'created_at', o.created_at + interval '1 h'))).*
      from newest as o`
  if (n > 0)
    await db.pool`delete from sso.orders where order_id = (select order_id from sso.orders order by created_at desc limit 1)`
}

/** The first homework goes, and another one comes before those that are left. */
async function moveHomework({ db }: World, episode_id: string, n: number) {
  await db.pool`
    update learning.homework set deleted_at = now() where id = (
      select id from learning.homework where episode_id = ${episode_id} and deleted_at is null order by created_at, id limit 1)`
  await db.pool`
    insert into learning.homework
    select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'deleted_at', null,
             'created_at', o.created_at - (${n}::int + 1) * interval '1 h'))).*
      from learning.homework o where episode_id = ${episode_id} order by created_at limit 1`
}
