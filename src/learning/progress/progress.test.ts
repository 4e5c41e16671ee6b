import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { Video } from '../media/video.ts'
import { Progress } from './progress.ts'

const { learning, db } = await world()

type Who = { headers: Headers }
type Answer = { status: number; progress: number; watched_seconds: number; [field: string]: unknown }

const admin = await anAdmin()
const author = await aColleague(admin)
const learner = await aColleague(admin)

const send = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  { headers }: Who,
  payload?: object,
) => {
  const reply = await learning.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: reply.statusCode, ...reply.json() }
}
const beat = (who: Who, episode_id: string, body: object = {}): Promise<Answer> =>
  send('POST', '/api/progress', who, { episode_id, ...body })
const read = (who: Who, episode_id: string) => send('GET', `/api/progress/${episode_id}`, who)
const create = (body: object): Promise<{ id: string; episodes: { id: string }[] }> =>
  send('POST', '/api/channels', author, { title: 'Watching', ...body })

/** An episode with a video of 100 s, in a new channel. */
async function anEpisode({ channel = {}, video = {} }: { channel?: object; video?: object } = {}) {
  const { id, episodes } = await create({
    episodes: [
      { title: 'One', video: { url: 'https://media.example.org/1.mp4', duration_seconds: 100, ...video } },
    ],
    ...channel,
  })
  return { channel_id: id, episode_id: episodes[0]?.id ?? '' }
}

/** Moves a person's beats into the past, because the database's clock decides. */
const age = (episode_id: string, who: { user_id: string }, seconds: number) => db.pool`
  update learning.progress
     set first_beat_at = first_beat_at - make_interval(secs => ${seconds}),
         updated_at = updated_at - make_interval(secs => ${seconds})
   where tenant_id = ${admin.tenant_id} and user_id = ${who.user_id} and episode_id = ${episode_id}`

describe('POST /api/progress', () => {
  test('answers 201 first and 200 after, with the full state', async () => {
    const { channel_id, episode_id } = await anEpisode()
    const { status: first, ...answer } = await beat(learner, episode_id, {
      position_seconds: 10,
      segments: [[0, 10]],
    })
    assert.equal(first, 201)
    assertExactly(Progress, answer)
    const { completed_at, updated_at, ...rest } = answer
    assert.deepEqual([completed_at, typeof updated_at], [null, 'string'])
    assert.deepEqual(rest, {
      episode_id,
      channel_id,
      position_seconds: 10,
      watched_seconds: 10,
      progress: 0.1,
      segments: [[0, 10]],
      completed: false,
      completion_threshold: 0.9,
    })
    const { status, ...again } = await beat(learner, episode_id, {
      position_seconds: 10,
      segments: [[0, 10]],
    })
    assert.equal(status, 200)
    assert.deepEqual({ ...again, updated_at }, answer)
    const { status: found, ...kept } = await read(learner, episode_id)
    assert.equal(found, 200)
    assert.deepEqual(kept, again)
  })

  test('unites segments: the vectors of a video of 100 s', async () => {
    const { episode_id } = await anEpisode()
    const watched = async (body: object) => (await beat(learner, episode_id, body)).watched_seconds
    assert.equal(await watched({ segments: [[0, 10]] }), 10)
    assert.equal(await watched({ segments: [[5, 20]] }), 20)
    assert.equal(await watched({ segments: [[0, 10]] }), 20)
    assert.equal(await watched({ segments: [[5, 20]] }), 20)
    assert.equal(await watched({ segments: [[90, 100]] }), 30)
    assert.equal(await watched({ segments: [[80, 200]] }), 40)
    assert.equal(await watched({ segments: [[-5, 3]] }), 40)
    assert.equal(await watched({ segments: [[50, 50]] }), 40)
    assert.equal(await watched({ position_seconds: 20 }), 40)
    const sought = await beat(learner, episode_id, { position_seconds: 99 })
    assert.deepEqual(
      [sought.watched_seconds, sought['completed'], sought['position_seconds']],
      [40, false, 99],
    )
    assert.deepEqual(sought['segments'], [
      [0, 20],
      [80, 100],
    ])
  })

  test('completes at the threshold and never reverts', async () => {
    const { channel_id, episode_id } = await anEpisode({ channel: { completion_threshold: 0.5 } })
    assert.equal((await beat(learner, episode_id, { segments: [[0, 49.999]] }))['completed'], false)
    const done = await beat(learner, episode_id, { segments: [[0, 50]] })
    assert.deepEqual([done.progress, done['completed'], done['completion_threshold']], [0.5, true, 0.5])
    const change = (body: object) => send('POST', `/api/episodes/${episode_id}/video`, author, body)
    assert.equal((await change({ duration_seconds: 1_000, completion_threshold: 1 })).status, 200)
    const after = await beat(learner, episode_id, { segments: [[0, 60]] })
    assert.deepEqual(
      [after.progress, after['completed'], after['completed_at']],
      [0.5, true, done['completed_at']],
    )
    assert.equal((await change({ duration_seconds: 20 })).status, 200)
    const shorter = await read(learner, episode_id)
    assert.deepEqual([shorter.segments, shorter.watched_seconds, shorter.progress], [[[0, 20]], 20, 0.5])
    assert.equal((await change({ duration_seconds: 1_000 })).status, 200)
    assert.equal((await read(learner, episode_id)).watched_seconds, 60)
    assert.equal((await send('GET', `/api/channels/${channel_id}`, learner)).my.progress_percent, 100)
  })

  test('trusts the duration of the asset before that of players', async () => {
    const { episode_id } = await anEpisode()
    const forged = await beat(learner, episode_id, { segments: [[0, 1]], duration_seconds: 1 })
    assert.deepEqual([forged.progress, forged['completed']], [0.01, false])
    const unknown = await anEpisode({ video: { duration_seconds: null } })
    const before = await beat(learner, unknown.episode_id, { position_seconds: 30, segments: [[0, 30]] })
    assert.deepEqual([before.progress, before.watched_seconds, before['position_seconds']], [0, 30, 30])
    assert.equal((await beat(learner, unknown.episode_id, { duration_seconds: 60 })).progress, 0.5)
    assert.equal(
      (await beat(learner, unknown.episode_id, { segments: [[0, 30]], duration_seconds: 40 })).progress,
      0.5,
    )
    const video = await send('GET', `/api/episodes/${unknown.episode_id}/video`, learner)
    assert.equal(video.duration_seconds, null)
  })

  test('trusts completed only where nothing can be measured', async () => {
    const measured = await anEpisode()
    assert.equal((await beat(learner, measured.episode_id, { completed: true }))['completed'], false)
    const dead = await beat(learner, measured.episode_id, { completed: true, unplayable: true })
    assert.deepEqual([dead['completed'], dead.progress], [true, 1])
    const strict = await anEpisode({ video: { strict_watch: true } })
    const claimed = await beat(learner, strict.episode_id, { completed: true, unplayable: true })
    assert.deepEqual([claimed['completed'], claimed.progress], [false, 0])
    const embed = await anEpisode({ video: { url: 'https://vimeo.com/1', duration_seconds: null } })
    const none = await create({ episodes: [{ title: 'No video' }] })
    for (const id of [embed.episode_id, none.episodes[0]?.id ?? '']) {
      const watched = await beat(learner, id, { segments: [[0, 10]] })
      assert.deepEqual([watched.progress, watched.watched_seconds, watched['completed']], [0, 0, false])
      const marked = await beat(learner, id, { completed: true })
      assert.deepEqual(
        [marked.progress, marked['completed'], typeof marked['completed_at']],
        [1, true, 'string'],
      )
      assert.equal((await beat(learner, id, { completed: false }))['completed'], true)
    }
  })

  test('infers the played range from two positions and the database clock', async () => {
    const { episode_id } = await anEpisode()
    await beat(learner, episode_id, { position_seconds: 10 })
    await age(episode_id, learner, 10)
    assert.deepEqual((await beat(learner, episode_id, { position_seconds: 30 }))['segments'], [[10, 30]])
    assert.equal((await beat(learner, episode_id, { position_seconds: 90 })).watched_seconds, 20)
    await age(episode_id, learner, 60)
    assert.equal(
      (await beat(learner, episode_id, { position_seconds: 99, segments: [] })).watched_seconds,
      20,
    )
  })

  test('credits at most what could be played under strict_watch', async () => {
    const { episode_id } = await anEpisode({ video: { strict_watch: true } })
    const first = await beat(learner, episode_id, { segments: [[0, 100]] })
    assert.deepEqual([first.watched_seconds, first['completed']], [30, false])
    await age(episode_id, learner, 16)
    const later = await beat(learner, episode_id, { segments: [[0, 100]] })
    assert.ok(later.watched_seconds >= 70 && later.watched_seconds < 75, String(later.watched_seconds))
  })

  test('enrolls the viewer and counts the day', async () => {
    const { channel_id, episode_id } = await anEpisode()
    const newcomer = await aColleague(admin)
    await beat(newcomer, episode_id, { segments: [[0, 10]] })
    await beat(newcomer, episode_id, { segments: [[5, 20]] })
    const page = await send('GET', '/api/enrollments?include=activity', newcomer)
    assert.deepEqual([page.total, page.items[0].channel_id, page.items[0].source], [1, channel_id, 'auto'])
    assert.equal(page.activity.days.at(-1).watched_seconds, 20)
  })

  test('completes the enrollment with the last released episode, for good', async () => {
    const { id, episodes } = await create({
      episodes: [
        { title: 'One' },
        { title: 'Two' },
        { title: 'Draft', status: 'draft' },
        { title: 'Later', release_at: '2999-01-01T00:00:00Z' },
      ],
    })
    const mine = async () => (await send('GET', `/api/enrollments?channel_id=${id}`, learner)).items[0]
    await beat(learner, episodes[0]?.id ?? '', { completed: true })
    const half = await mine()
    assert.deepEqual(
      [half.status, half.progress_percent, half.next_episode_id],
      ['active', 50, episodes[1]?.id],
    )
    await beat(learner, episodes[1]?.id ?? '', { completed: true })
    const done = await mine()
    assert.deepEqual(
      [
        done.status,
        done.progress_percent,
        done.next_episode_id,
        done.new_episodes_count,
        typeof done.completed_at,
      ],
      ['completed', 100, null, 0, 'string'],
    )
    await send('PUT', `/api/channels/${id}`, author, { episodes: [{ title: 'New' }] })
    const more = await mine()
    assert.deepEqual(
      [more.status, more.completed_at, more.progress_percent, more.episodes_completed, more.episodes_total],
      ['completed', done.completed_at, 66.67, 2, 3],
    )
    assert.equal(more.new_episodes_count, 1)
  })

  test('answers 404 for invisible episodes', async () => {
    const { channel_id, episode_id } = await anEpisode()
    const hidden = await create({ episodes: [{ title: 'Draft', status: 'draft' }] })
    const secret = await anEpisode({ channel: { visibility: 'private' } })
    const stranger = await anAdmin()
    for (const [who, id] of [
      [stranger, episode_id],
      [learner, hidden.episodes[0]?.id ?? ''],
      [learner, secret.episode_id],
      [learner, randomUUID()],
    ] as const) {
      assert.equal((await beat(who, id)).status, 404)
      assert.equal((await read(who, id)).status, 404)
    }
    await beat(learner, episode_id, { segments: [[0, 10]] })
    await send('DELETE', `/api/channels/${channel_id}`, admin)
    assert.equal((await beat(learner, episode_id)).status, 404)
    assert.equal((await read(learner, episode_id)).status, 404)
    const [row] = await db.pool<{ watched: string }[]>`
      select watched::text from learning.progress
       where tenant_id = ${admin.tenant_id} and user_id = ${learner.user_id} and episode_id = ${episode_id}`
    assert.equal(row?.watched, '{[0,10000)}')
  })

  test('answers 403 without access or when locked, 400 when archived', async () => {
    const closed = await anEpisode({ channel: { enrollment: 'closed' } })
    assert.equal((await beat(learner, closed.episode_id)).status, 403)
    assert.equal((await read(learner, closed.episode_id)).status, 200)
    const { id, episodes } = await create({
      sequential: true,
      episodes: [{ title: 'One' }, { title: 'Two' }],
    })
    const [first = '', second = ''] = episodes.map((episode) => episode.id)
    const locked = await beat(learner, second, { completed: true })
    assert.deepEqual([locked.status, locked['detail']], [403, 'Episode is locked until "One" is completed'])
    assert.equal((await read(learner, second)).status, 200)
    assert.equal((await beat(author, second, { completed: true })).status, 201)
    const outline = async () =>
      (await send('GET', `/api/channels/${id}`, learner)).episodes.map(
        (episode: { my: { locked: boolean } }) => episode.my.locked,
      )
    assert.deepEqual(await outline(), [false, true])
    await beat(learner, first, { completed: true })
    assert.deepEqual(await outline(), [false, false])
    assert.equal((await beat(learner, second, { completed: true })).status, 201)
    await send('PUT', `/api/channels/${id}`, author, { status: 'archived' })
    assert.equal((await beat(learner, second)).status, 400)
    assert.equal((await read(learner, second)).progress, 1)
  })

  test('stores nothing when it refuses', async () => {
    const { channel_id, episode_id } = await anEpisode()
    for (const [body, status] of [
      [{ segments: [[10, 5]] }, 422],
      [{ segments: [[1, 2, 3]] }, 422],
      [{ segments: Array.from({ length: 201 }, () => [0, 1]) }, 422],
      [{ segments: [['0', 1]] }, 422],
      [{ position_seconds: -1 }, 422],
      [{ position_seconds: 86_401 }, 422],
      [{ duration_seconds: 0 }, 422],
      [{ completed: 'yes' }, 422],
    ] as const)
      assert.equal((await beat(learner, episode_id, body)).status, status, JSON.stringify(body))
    assert.equal((await send('POST', '/api/progress', learner, { position_seconds: 1 })).status, 422)
    assert.equal((await beat(learner, 'no-uuid')).status, 422)
    assert.equal((await beat(await nobody(), episode_id)).status, 401)
    assert.equal((await send('GET', `/api/enrollments?channel_id=${channel_id}`, learner)).total, 0)
  })

  test('keeps the exact union of 20 disjoint concurrent segments', async () => {
    const { episode_id } = await anEpisode()
    const segments = Array.from({ length: 20 }, (_, n) => [n * 5, n * 5 + 4])
    const answers = await Promise.all(
      segments.map((segment) => beat(learner, episode_id, { segments: [segment] })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [...Array.from({ length: 19 }, () => 200), 201],
    )
    const kept = await read(learner, episode_id)
    assert.deepEqual([kept.segments, kept.watched_seconds], [segments, 80])
  })

  test('keeps progress of 50 people and two episodes apart', async () => {
    const { id, episodes } = await create({
      episodes: ['One', 'Two'].map((title) => ({ title, video: { url: '/1.mp4', duration_seconds: 100 } })),
    })
    const people = await Promise.all(Array.from({ length: 5 }, () => aColleague(admin)))
    const sent = people.flatMap((who, n) =>
      episodes.flatMap((episode) =>
        [0, 1, 2, 3, 4].map((step) => ({ who, n, episode_id: episode.id, step })),
      ),
    )
    const answers = await Promise.all(
      sent.map(({ who, n, episode_id, step }) =>
        beat(who, episode_id, { segments: [[step * 10, step * 10 + n + 1]] }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 10)
    for (const [n, who] of people.entries())
      for (const episode of episodes) assert.equal((await read(who, episode.id)).watched_seconds, 5 * (n + 1))
    assert.equal((await send('GET', `/api/channels/${id}`, author)).enrollment_count, 5)
  })
})

describe('GET /api/progress/{episode_id}', () => {
  test('is all zeros before the first beat, without enrolling', async () => {
    const { channel_id, episode_id } = await anEpisode()
    const { status, ...zeros } = await read(learner, episode_id.toUpperCase())
    assert.equal(status, 200)
    assertExactly(Progress, zeros)
    assert.deepEqual(zeros, {
      episode_id,
      channel_id,
      position_seconds: 0,
      watched_seconds: 0,
      progress: 0,
      segments: [],
      completed: false,
      completed_at: null,
      completion_threshold: 0.9,
      updated_at: null,
    })
    assert.equal((await send('GET', `/api/channels/${channel_id}`, learner)).my.enrolled, false)
  })

  test('shows nobody the progress of another', async () => {
    const { episode_id } = await anEpisode()
    await beat(learner, episode_id, { segments: [[0, 10]] })
    assert.equal((await read(author, episode_id)).watched_seconds, 0)
    assert.equal((await read(await nobody(), episode_id)).status, 401)
    assert.equal((await read(learner, 'no-uuid')).status, 404)
  })
})

describe('GET /api/episodes/{id}/video?include=stats', () => {
  test('shows editors only how learners watched', async () => {
    const { episode_id } = await anEpisode()
    const [half, whole] = [await aColleague(admin), await aColleague(admin)]
    await beat(half, episode_id, { position_seconds: 50, segments: [[0, 50]] })
    await beat(half, episode_id, { position_seconds: 30, segments: [[20, 30]] })
    await beat(whole, episode_id, { segments: [[0, 100]] })
    await beat(author, episode_id, { segments: [[0, 100]] })
    await beat(admin, episode_id, { segments: [[0, 100]] })
    const video = (who: Who) => send('GET', `/api/episodes/${episode_id}/video?include=stats`, who)
    const { status, ...shown } = await video(author)
    assert.equal(status, 200)
    assertExactly(Video, shown)
    const { retention, rewatch, ...sums } = shown.stats
    assert.deepEqual(sums, { viewers: 2, completed: 1, average_percent: 75 })
    const curve = (from: number, to: number, inside: number, outside: number) =>
      Array.from({ length: 100 }, (_, slice) => (slice >= from && slice < to ? inside : outside))
    assert.deepEqual(retention, curve(0, 50, 100, 50))
    assert.deepEqual(rewatch, curve(20, 30, 50, 0))
    assert.equal((await video(half)).stats, undefined)
    assert.equal((await send('GET', `/api/episodes/${episode_id}/video`, author)).stats, undefined)
  })

  test('is all zeros before anybody watched', async () => {
    const { episode_id } = await anEpisode({ video: { duration_seconds: null } })
    const { stats } = await send('GET', `/api/episodes/${episode_id}/video?include=stats`, author)
    const nothing = Array.from({ length: 100 }, () => 0)
    assert.deepEqual(stats, {
      viewers: 0,
      completed: 0,
      average_percent: 0,
      retention: nothing,
      rewatch: nothing,
    })
  })
})
