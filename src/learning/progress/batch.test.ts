import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { createRecorder } from './batch.ts'

const { learning, db } = await world()
const admin = await anAdmin()
const author = await aColleague(admin)

async function aPlace() {
  const reply = await learning.inject({
    method: 'POST',
    url: '/api/channels',
    headers: author.headers,
    payload: {
      title: 'Beats',
      episodes: [{ title: 'One', video: { url: '/1.mp4', duration_seconds: 100 } }],
    },
  })
  const { id, episodes } = reply.json()
  return { channel_id: String(id), episode_id: String(episodes[0].id) }
}
const viewer = (user_id: string) => ({
  tenant_id: admin.tenant_id,
  user_id,
  email: `${user_id}@example.org`,
  is_admin: false,
  edits_all: false,
})
const beat = (from: number, to: number) => ({
  position: to,
  segments: [[from, to] as const],
  duration: undefined,
  is_completed: false,
})

describe('the writer of beats', () => {
  test('keeps the exact union when two write the same rows', async () => {
    const { channel_id, episode_id } = await aPlace()
    const writers = [createRecorder(db), createRecorder(db)]
    const people = ['one', 'two', 'three'].map((name) => viewer(`${name}-${newId()}`))
    const answers = await Promise.all(
      people.flatMap((who) =>
        Array.from({ length: 20 }, (_, n) => n * 5_000).flatMap((from, n) =>
          writers
            .slice(n % 2, (n % 2) + 1)
            .map((record) => record(who, episode_id, beat(from, from + 4_000))),
        ),
      ),
    )
    assert.equal(answers.length, 60)
    assert.equal(answers.filter(({ isNew }) => isNew).length, 3)
    const rows = await db.pool<{ ms: number }[]>`
      select (select sum(upper(range) - lower(range)) from unnest(watched) as range)::int as ms from learning.progress
       where tenant_id = ${admin.tenant_id} and episode_id = ${episode_id}`
    assert.deepEqual(
      rows.map(({ ms }) => ms),
      [80_000, 80_000, 80_000],
    )
    const [count] = await db.pool<{ learners: number }[]>`
      select learners from learning.enrollment_counts
       where tenant_id = ${admin.tenant_id} and channel_id = ${channel_id}`
    assert.equal(count?.learners, 3)
  })

  test('writes many people together, and refuses single beats alone', async () => {
    const { episode_id } = await aPlace()
    let transactions = 0
    const counting = {
      ...db,
      transaction: <T>(work: Parameters<typeof db.transaction<T>>[0]) => {
        transactions++
        return db.transaction(work)
      },
    }
    const record = createRecorder(counting)
    const crowd = (
      beatOf: (n: number) => Parameters<typeof record>[2],
      episodeOf: (n: number) => string = () => episode_id,
    ) =>
      Promise.allSettled(
        Array.from({ length: 50 }, (_, n) => record(viewer(`many-${newId()}`), episodeOf(n), beatOf(n))),
      )
    const failed = (answers: PromiseSettledResult<unknown>[]) =>
      answers.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))
    const good = beat(0, 1_000)
    assert.deepEqual(failed(await crowd(() => good)), [])
    assert.ok(transactions <= 3, 'the first two wait for nobody, all the others go together')
    assert.deepEqual(
      failed(
        await crowd(
          () => good,
          (n) => (n === 30 ? newId() : episode_id),
        ),
      ),
      [30],
    )
    assert.ok(transactions <= 6)
    const tooLong = { ...good, duration: 9_000_000_000 }
    assert.deepEqual(failed(await crowd((n) => (n === 30 ? tooLong : good))), [30])
  })
})
