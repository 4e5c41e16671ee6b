import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { aUser, type Person } from '#testing/people.ts'
import { buildWorld, type World } from '#testing/world.ts'

let lyceum: World
let [anna, ben]: Person[] = []
before(async () => {
  lyceum = await buildWorld({ env: { PATIENCE: '1' } })
  ;[anna, ben] = [await aUser({ lyceum }), await aUser({ lyceum })]
  const made = await lyceum.learning.inject({
    method: 'POST',
    url: '/api/channels',
    headers: anna.headers,
    payload: { title: 'Slow', episodes: [] },
  })
  assert.equal(made.statusCode, 201, made.body)
  // Whatever makes a search slow: here it is the words.
  await lyceum.db.pool`
    create or replace function foundation.search_query(value text, is_each_unfinished boolean default false)
      returns tsquery language plpgsql stable as $$ begin perform pg_sleep(30); return null; end $$`
})

const list = (by: Person | undefined, query: string, method: 'GET' | 'HEAD' = 'GET') =>
  lyceum.learning.inject({ method, url: `/api/channels?${query}`, headers: by?.headers ?? {} })

const sleeping = async () => {
  const [row] = await lyceum.db.pool<{ number: number }[]>`
    select count(*)::int as number from pg_stat_activity
     where datname = current_database() and wait_event = 'PgSleep'`
  return row?.number ?? 0
}

for (const method of ['GET', 'HEAD'] as const)
  test(`twenty slow searches (${method}) of one person use three connections and hold up nobody else`, async () => {
    let answered = 0
    const searches = Array.from({ length: 20 }, async () => {
      const reply = await list(anna, 'q=slow', method)
      answered++
      return reply
    })
    while ((await sleeping()) < 3) assert.equal(answered, 0)
    for (let n = 0; n < 10; n++) {
      assert.equal((await list(ben, 'level=beginner')).statusCode, 200)
      assert.equal((await list(ben, 'page=1')).statusCode, 200)
      assert.ok((await sleeping()) <= 3)
    }
    assert.equal(answered, 0, 'the others were served while all of them waited')
    for (const { statusCode, headers } of await Promise.all(searches))
      assert.deepEqual([statusCode, headers['retry-after']], [503, '1'])
  })

test('thirty quick lists of one person at once are all answered', async () => {
  const replies = await Promise.all(Array.from({ length: 30 }, () => list(ben, 'level=beginner')))
  assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([200]))
})
