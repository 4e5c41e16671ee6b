import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { learning } = await world()

type Who = { headers: Headers }
const call = (method: 'GET' | 'POST' | 'PUT', url: string, { headers }: Who, payload?: object) =>
  learning.inject({ method, url, headers, ...(payload && { payload }) })
const complete = async (episode_id: string, who: Who) => {
  const reply = await call('POST', '/api/progress', who, { episode_id, completed: true })
  assert.ok(reply.statusCode < 300, reply.body)
}

/** A sequential channel whose episodes all have a video. */
async function aCourse(titles: string[], channel: object = {}) {
  const admin = await anAdmin()
  const [author, learner] = await Promise.all([aColleague(admin), aColleague(admin)])
  const episodes = titles.map((title) => ({ title, video: { url: 'https://vimeo.com/1' } }))
  const made = await call('POST', '/api/channels', author, {
    title: 'C',
    sequential: true,
    episodes,
    ...channel,
  })
  assert.equal(made.statusCode, 201, made.body)
  const ids: string[] = made.json().episodes.map(({ id }: { id: string }) => id)
  const change = (payload: object) => call('PUT', `/api/channels/${made.json().id}`, author, payload)
  return { admin, author, learner, id: made.json().id as string, ids, change }
}
const video = (episode_id: string | undefined, who: Who) =>
  call('GET', `/api/episodes/${episode_id}/video`, who)
const statuses = async (ids: string[], who: Who) => {
  const replies = await Promise.all(ids.map((id) => video(id, who)))
  return replies.map(({ statusCode }) => statusCode)
}

describe('a sequential channel', () => {
  test('locks an episode until the one before is completed, except for editors', async () => {
    const { admin, author, learner, ids } = await aCourse(['One', 'Two', 'Three'])
    assert.deepEqual(await statuses(ids, learner), [200, 403, 403])
    assert.equal((await video(ids[1], learner)).json().detail, 'Episode is locked until "One" is completed')
    assert.equal((await video(ids[2], learner)).json().detail, 'Episode is locked until "Two" is completed')
    await complete(ids[0] ?? '', learner)
    assert.deepEqual(await statuses(ids, learner), [200, 200, 403])
    for (const editor of [author, admin]) assert.deepEqual(await statuses(ids, editor), [200, 200, 200])
  })

  test('locks homework and progress with the episode', async () => {
    const { author, learner, ids } = await aCourse(['One', 'Two'])
    const homework = `/api/episodes/${ids[1]}/homework`
    await call('POST', homework, author, { title: 'Essay' })
    assert.equal((await call('GET', homework, learner)).statusCode, 403)
    const beat = { episode_id: ids[1], completed: true }
    assert.equal((await call('POST', '/api/progress', learner, beat)).statusCode, 403)
    await complete(ids[0] ?? '', learner)
    assert.equal((await call('GET', homework, learner)).json().total, 1)
    assert.ok((await call('POST', '/api/progress', learner, beat)).statusCode < 300)
  })

  test('ignores hidden episodes when locking', async () => {
    const { learner, ids, change } = await aCourse(['One', 'Two', 'Three', 'Four'])
    await change({
      episodes: [
        { id: ids[0], status: 'draft' },
        { id: ids[1], release_at: '2999-01-01T00:00:00Z' },
      ],
    })
    assert.deepEqual(await statuses(ids, learner), [404, 404, 200, 403])
    await change({ episodes: [{ id: ids[2], deleted: true }] })
    assert.deepEqual(await statuses(ids, learner), [404, 404, 404, 200])
  })

  test('follows the present order, and unlocks when no longer sequential', async () => {
    const { learner, ids, change } = await aCourse(['One', 'Two'])
    await change({ episodes: [{ id: ids[1] }, { id: ids[0] }] })
    assert.deepEqual(await statuses(ids, learner), [403, 200])
    await change({ sequential: false })
    assert.deepEqual(await statuses(ids, learner), [200, 200])
  })
})

describe('an enrolled learner', () => {
  test('keeps a private or archived channel, and loses a draft meanwhile', async () => {
    const { admin, learner, id, ids, change } = await aCourse(['One'])
    const late = await aColleague(admin)
    await complete(ids[0] ?? '', learner)
    const seen = async (who: Who) => {
      const [one, list, found, episode] = await Promise.all([
        call('GET', `/api/channels/${id}`, who),
        call('GET', '/api/channels', who),
        call('GET', '/api/channels?q=c', who),
        video(ids[0], who),
      ])
      const { items, total } = list.json()
      return [one.statusCode, items.length, total, found.json().total, episode.statusCode]
    }
    for (const changed of [{ visibility: 'private' }, { status: 'archived' }, { visibility: 'public' }]) {
      await change(changed)
      assert.deepEqual(await seen(learner), [200, 1, 1, 1, 200], JSON.stringify(changed))
      assert.deepEqual(await seen(late), [404, 0, 0, 0, 404], JSON.stringify(changed))
    }
    await change({ status: 'draft' })
    assert.deepEqual(await seen(learner), [404, 0, 0, 0, 404])
    await change({ status: 'published' })
    for (const who of [learner, late]) assert.deepEqual(await seen(who), [200, 1, 1, 1, 200])
  })

  test('sees a channel once when also its instructor', async () => {
    const { learner, ids, change } = await aCourse(['One'])
    await complete(ids[0] ?? '', learner)
    await change({ visibility: 'private', instructor_ids: [learner.user_id] })
    const { items, total } = (await call('GET', '/api/channels', learner)).json()
    assert.deepEqual([items.length, total], [1, 1])
  })

  test('loses deleted channels', async () => {
    const { admin, learner, id, ids } = await aCourse(['One'])
    await complete(ids[0] ?? '', learner)
    await learning.inject({ method: 'DELETE', url: `/api/channels/${id}`, headers: admin.headers })
    assert.equal((await video(ids[0], learner)).statusCode, 404)
    assert.equal((await call('GET', '/api/channels', learner)).json().total, 0)
  })
})

test('the first work enrolls once, except in closed and unknown channels', async () => {
  const { admin, author, learner, ids, change } = await aCourse(['One'])
  const beat = { episode_id: ids[0], completed: true }
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => call('POST', '/api/progress', learner, beat)),
  )
  assert.ok(
    replies.every(({ statusCode }) => statusCode < 300),
    replies.find((r) => r.statusCode >= 300)?.body,
  )
  const mine = (await call('GET', '/api/enrollments', learner)).json()
  assert.deepEqual([mine.total, mine.items[0].source], [1, 'auto'])
  await change({ enrollment: 'closed' })
  const late = await aColleague(admin)
  assert.equal((await call('POST', '/api/progress', late, beat)).statusCode, 403)
  assert.equal((await call('GET', '/api/enrollments', late)).json().total, 0)
  assert.ok((await call('POST', '/api/progress', author, beat)).statusCode < 300)
  assert.equal((await call('POST', '/api/progress', late, { ...beat, episode_id: newId() })).statusCode, 404)
})
