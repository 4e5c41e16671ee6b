import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { aCollection } from '#testing/collections.ts'
import { aSchool, type School, SINGLE } from '#testing/exams.ts'
import { aSite, aUser, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db, sso, learning, collections } = await world()

type Caller = 'admin' | 'author' | 'learner' | 'tester'
/** Lists, and a table that only their slow statements read. */
const LISTS: [caller: Caller, url: string, table: string][] = [
  ['learner', '/api/grades', 'learning.homework'],
  ['learner', '/api/enrollments', 'learning.homework'],
  ['author', '/api/episodes/{episode}/tests?test_id={test}', 'learning.question_versions'],
  ['author', '/api/episodes/{episode}/homework', 'learning.submissions'],
  ['learner', '/api/innovation/suggestions', 'learning.suggestions'],
  ['admin', '/api/v1/payments/orders', 'sso.orders'],
  ['admin', '/api/v1/bulk/jobs', 'sso.bulk_jobs'],
  ['admin', '/api/v1/webhooks/events', 'sso.webhook_deliveries'],
  ['admin', '/api/v1/users/erasures', 'sso.erasure_sites'],
  ['tester', '/api/v1/messages?site_code={sandbox}', 'sso.messages'],
  ['author', '/api/collections/{collection}/members', 'collections.members'],
  ['author', '/api/collections/{collection}/items', 'collections.collection_items'],
  ['author', '/api/bulk/jobs', 'collections.jobs'],
]
const AT_ONCE = 8
const MOST = 3

describe('while eight slow lists of one person wait', () => {
  let school: School
  let who: Record<Caller, Headers>
  let ben: Headers
  let places: Record<string, string>
  before(async () => {
    school = await aSchool({ questions: [SINGLE] })
    const sandbox = await aSite({ environment: 'sandbox' })
    who = {
      admin: school.admin.headers,
      author: school.author.headers,
      learner: school.learner.headers,
      tester: sandbox.owner.headers,
    }
    ben = (await aUser()).headers
    places = {
      episode: school.episode_id,
      test: school.test_id,
      sandbox: sandbox.site_code,
      collection: await aCollection(school.author),
    }
  })

  const read = async (caller: Headers, url: string) => {
    const app = url.startsWith('/api/v1/')
      ? sso
      : /^\/api\/(collections|bulk)/.test(url)
        ? collections
        : learning
    const filled = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? '')
    return (await app.inject({ url: filled, headers: caller })).statusCode
  }
  const waitingFor = async (table: string) => {
    const [row] = await db.fast<{ number: number }[]>`
      select count(distinct pid)::int as number from pg_locks
       where not granted and database = (select oid from pg_database where datname = current_database())
         and relation = ${table}::text::regclass`
    return row?.number ?? 0
  }

  for (const [caller, url, table] of LISTS)
    test(`${url} uses three connections, and others are served`, async () => {
      assert.equal(await read(who[caller], url), 200)
      const answered: number[] = []
      const lists = await db.pool.begin(async (tx) => {
        await tx`lock table ${tx(table)} in access exclusive mode`
        const waiting = Array.from({ length: AT_ONCE }, async () => {
          answered.push(await read(who[caller], url))
        })
        await eventually(async () => (await waitingFor(table)) >= MOST)
        for (let n = 0; n < 5; n++) {
          assert.ok((await waitingFor(table)) <= MOST)
          assert.equal(await read(ben, '/api/channels?level=beginner'), 200)
          assert.equal(await read(ben, '/api/channels?page=1'), 200)
        }
        assert.ok(!answered.includes(200), 'they waited for the table')
        return { waiting }
      })
      await Promise.all(lists.waiting)
      assert.equal(answered.length, AT_ONCE)
      // Busy only where the machine took more than two seconds.
      assert.ok(
        answered.every((status) => status === 200 || status === 503),
        String(answered),
      )
    })
})
