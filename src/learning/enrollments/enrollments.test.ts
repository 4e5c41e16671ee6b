import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { Channel } from '../channels/channel.ts'
import { Enrollment, EnrollmentPage } from './enrollment.ts'

const { learning, db } = await world()

type Who = { headers: Headers }
const admin = await anAdmin()
const author = await aColleague(admin)

const send = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  { headers }: Who,
  payload?: object,
) => {
  const reply = await learning.inject({ method, url, headers, ...(payload && { payload }) })
  return { code: reply.statusCode, ...reply.json() }
}
const create = (body: object = {}): Promise<{ id: string; episodes: { id: string }[] }> =>
  send('POST', '/api/channels', author, { title: 'Course', ...body })
const change = (id: string, body: object, who: Who = author) => send('PUT', `/api/channels/${id}`, who, body)
const enroll = (who: Who, channel_id: unknown) => send('POST', '/api/enroll', who, { channel_id })
const mine = (who: Who, query = '') => send('GET', `/api/enrollments${query}`, who)
const channel = (who: Who, id: string, query = '') => send('GET', `/api/channels/${id}${query}`, who)

describe('POST /api/enroll', () => {
  test('answers 201 first and 200 after, with the same row', async () => {
    const learner = await aColleague(admin)
    const { id } = await create()
    const { code, ...first } = await enroll(learner, id)
    assert.equal(code, 201)
    assertExactly(Enrollment, first)
    assert.deepEqual(
      [first.channel_id, first.user_id, first.status, first.source, first.completed_at, first.channel],
      [
        id,
        learner.user_id,
        'active',
        'self',
        null,
        { id, title: 'Course', thumbnail_url: null, language: 'en' },
      ],
    )
    assert.deepEqual(
      [
        first.progress_percent,
        first.episodes_total,
        first.next_episode_id,
        first.grade_percent,
        first.final_percent,
      ],
      [0, 0, null, null, null],
    )
    const { code: again, ...second } = await enroll(learner, id.toUpperCase())
    assert.equal(again, 200)
    assert.deepEqual(second, first)
    assert.ok(!JSON.stringify(first).includes(learner.email))
  })

  test('creates one row and one 201 for 50 concurrent calls', async () => {
    const learner = await aColleague(admin)
    const { id } = await create()
    const answers = await Promise.all(Array.from({ length: 50 }, () => enroll(learner, id)))
    assert.equal(answers.filter(({ code }) => code === 201).length, 1)
    assert.equal(answers.filter(({ code }) => code === 200).length, 49)
    assert.equal(new Set(answers.map((answer) => `${answer.id} ${answer.enrolled_at}`)).size, 1)
    const [row] = await db.pool<{ rows: number; counted: number }[]>`
      select (select count(*)::int from learning.enrollments where tenant_id = ${admin.tenant_id} and channel_id = ${id}) as rows,
             (select learners::int from learning.enrollment_counts
               where tenant_id = ${admin.tenant_id} and channel_id = ${id}) as counted`
    assert.deepEqual(row, { rows: 1, counted: 1 })
  })

  test('answers 403 where joining is closed, 200 to enrolled learners', async () => {
    const [early, late] = [await aColleague(admin), await aColleague(admin)]
    for (const closing of [{ enrollment: 'closed' }, { visibility: 'private' }, { status: 'archived' }]) {
      const { id } = await create()
      await enroll(early, id)
      await change(id, closing)
      assert.equal((await enroll(early, id)).code, 200)
      assert.equal((await enroll(late, id)).code, closing.enrollment ? 403 : 404)
      assert.equal((await enroll(author, id)).code, 201)
    }
  })

  test('answers 404 for invisible channels, 422 without id, 401 without token', async () => {
    const learner = await aColleague(admin)
    const { id } = await create()
    const hidden = await create({ status: 'draft' })
    assert.equal((await enroll(await anAdmin(), id)).code, 404)
    assert.equal((await enroll(learner, hidden.id)).code, 404)
    assert.equal((await enroll(learner, randomUUID())).code, 404)
    for (const bad of [undefined, null, 5, 'no-uuid']) assert.equal((await enroll(learner, bad)).code, 422)
    assert.equal((await enroll(await nobody(), id)).code, 401)
  })
})

describe('GET /api/enrollments', () => {
  test('lists only own enrollments, latest activity first, filtered and paged', async () => {
    const [learner, other] = [await aColleague(admin), await aColleague(admin)]
    const channels = [
      await create({ title: 'A', episodes: [{ title: 'One' }] }),
      await create({ title: 'B' }),
      await create({ title: 'C' }),
    ]
    for (const { id } of channels) await enroll(learner, id)
    await enroll(other, channels[1]?.id)
    const [first] = channels[0]?.episodes ?? []
    await send('POST', '/api/progress', learner, { episode_id: first?.id, completed: true })
    const titles = async (query = '') =>
      (await mine(learner, query)).items.map((item: { channel: { title: string } }) => item.channel.title)
    const { code, ...page } = await mine(learner)
    assert.equal(code, 200)
    assertExactly(EnrollmentPage, page)
    assert.deepEqual(await titles(), ['A', 'C', 'B'])
    assert.deepEqual(await titles('?per_page=1&page=2'), ['C'])
    assert.deepEqual(await titles('?page=4'), [])
    assert.equal((await mine(learner, '?page=4')).total, 3)
    assert.deepEqual(await titles('?status=completed'), ['A'])
    assert.deepEqual(await titles('?status=active'), ['C', 'B'])
    assert.deepEqual(await titles(`?channel_id=${channels[1]?.id}`), ['B'])
    assert.equal((await mine(other)).total, 1)
    for (const query of ['?page=0', '?per_page=101', '?status=left', '?channel_id=x', '?include=everything'])
      assert.equal((await mine(learner, query)).code, 422, query)
    assert.equal((await mine(await nobody())).code, 401)
  })

  test('hides deleted channels and drafts until they come back', async () => {
    const learner = await aColleague(admin)
    const [draft, deleted] = [await create(), await create()]
    await enroll(learner, draft.id)
    await enroll(learner, deleted.id)
    await change(draft.id, { status: 'draft' })
    await send('DELETE', `/api/channels/${deleted.id}`, admin)
    assert.deepEqual([(await mine(learner)).total, (await enroll(learner, deleted.id)).code], [0, 404])
    await change(draft.id, { status: 'published' })
    assert.equal((await mine(learner)).total, 1)
    const rows = await db.pool`
      select id from learning.enrollments where tenant_id = ${admin.tenant_id} and user_id = ${learner.user_id}`
    assert.equal(rows.length, 2)
  })

  test('shows a channel that became private or archived since', async () => {
    const [learner, other] = [await aColleague(admin), await aColleague(admin)]
    const { id } = await create()
    await enroll(learner, id)
    for (const closing of [{ visibility: 'private' }, { status: 'archived' }]) {
      await change(id, closing)
      assert.equal((await mine(learner)).total, 1)
      assert.equal((await channel(learner, id)).my.enrolled, true)
      assert.equal((await channel(other, id)).code, 404)
    }
  })

  test('lists at most five open works due within seven days', async () => {
    const learner = await aColleague(admin)
    const { id, episodes } = await create({ episodes: [{ title: 'One' }] })
    const [{ id: episode_id } = { id: '' }] = episodes
    await enroll(learner, id)
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const homework = async (title: string, hours: number | null, more = {}) => {
      const due_at = hours === null ? null : inHours(hours)
      const made = await send('POST', `/api/episodes/${episode_id}/homework`, author, {
        title,
        due_at,
        ...more,
      })
      assert.equal(made.code, 201, JSON.stringify(made))
      return String(made.id)
    }
    for (const n of [6, 5, 4, 3, 2, 1]) await homework(`In ${n}`, n)
    await homework('Never', null)
    await homework('Past', -1)
    await homework('Far', 169)
    await homework('Draft', 1, { status: 'draft' })
    const done = await homework('Done', 0.5)
    assert.equal(
      (await send('POST', `/api/episodes/homework/${done}/submit`, learner, { text: 'Here' })).code,
      201,
    )
    const due = async () =>
      (await mine(learner)).items[0].due_soon.map((item: { title: string }) => item.title)
    assert.deepEqual(await due(), ['In 1', 'In 2', 'In 3', 'In 4', 'In 5'])
  })

  test('adds days with watch time, work and streak on request', async () => {
    const learner = await aColleague(admin)
    const { id, episodes } = await create({
      episodes: [{ title: 'One', video: { url: '/1.mp4', duration_seconds: 100 } }],
    })
    const [{ id: episode_id } = { id: '' }] = episodes
    assert.equal((await mine(learner)).activity, undefined)
    const activity = async () => (await mine(learner, '?include=activity')).activity
    const empty = await activity()
    assert.deepEqual([empty.days.length, empty.streak_days], [84, 0])
    await send('POST', '/api/progress', learner, { episode_id, segments: [[0, 12.5]] })
    const made = await send('POST', `/api/episodes/${episode_id}/homework`, author, { title: 'Work' })
    await send('POST', `/api/episodes/homework/${made.id}/submit`, learner, { text: 'Here' })
    await db.pool`
      insert into learning.activity_days (tenant_id, user_id, day, channel_id, watched_ms)
      select tenant_id, user_id, day - ago, channel_id, 1000 from learning.activity_days, unnest(array[1, 2, 4]) as ago
       where tenant_id = ${admin.tenant_id} and user_id = ${learner.user_id}`
    const { days, streak_days } = await activity()
    assert.equal(streak_days, 3)
    const today = new Date().toISOString().slice(0, 10)
    assert.deepEqual(
      days.slice(-5).map((day: { watched_seconds: number }) => day.watched_seconds),
      [1, 0, 1, 1, 12.5],
    )
    assert.deepEqual(days.at(-1), { date: today, watched_seconds: 12.5, actions: 1 })
    assert.equal((await channel(learner, id)).my.enrolled, true)
  })
})

describe('a channel', () => {
  test("shows the caller's enrollment and counts learners without editors", async () => {
    const [learner, helper] = [await aColleague(admin), await aColleague(admin)]
    const { id, episodes } = await create({
      instructor_ids: [helper.user_id],
      episodes: ['One', 'Two', 'Three', 'Four'].map((title) => ({
        title,
        video: { url: '/1.mp4', duration_seconds: 100 },
      })),
    })
    const [one, two, three, four] = episodes.map((episode) => episode.id)
    assert.deepEqual((await channel(learner, id)).my, {
      enrolled: false,
      progress_percent: 0,
      next_episode_id: null,
      can_edit: false,
      can_delete: false,
    })
    for (const who of [learner, helper, author, admin]) assert.equal((await enroll(who, id)).code, 201)
    await send('POST', '/api/progress', learner, {
      episode_id: one,
      position_seconds: 95,
      segments: [[0, 95]],
    })
    await send('POST', '/api/progress', learner, {
      episode_id: two,
      position_seconds: 50,
      segments: [[0, 50]],
    })
    await send('POST', '/api/progress', learner, {
      episode_id: four,
      position_seconds: 25.5,
      segments: [[0, 25]],
    })
    const { code, ...shown } = await channel(learner, id)
    assert.equal(code, 200)
    assertExactly(Channel, shown)
    assert.deepEqual(
      [shown.enrollment_count, shown.my.enrolled, shown.my.progress_percent, shown.my.next_episode_id],
      [1, true, 43.75, two],
    )
    assert.deepEqual(
      shown.episodes.map((episode: { my: object }) => episode.my),
      [
        { progress: 0.95, position_seconds: 95, completed: true, locked: false },
        { progress: 0.5, position_seconds: 50, completed: false, locked: false },
        { progress: 0, position_seconds: 0, completed: false, locked: false },
        { progress: 0.25, position_seconds: 25.5, completed: false, locked: false },
      ],
    )
    const [listed] = (await send('GET', '/api/channels?per_page=1', learner)).items
    assert.deepEqual([listed.enrollment_count, listed.my], [1, shown.my])
    assert.equal((await mine(learner)).items[0].progress_percent, 43.75)
    await change(id, { episodes: [{ id: three, deleted: true }] })
    assert.equal((await channel(learner, id)).my.progress_percent, 58.33)
    await change(id, { instructor_ids: [] })
    assert.equal((await channel(learner, id)).enrollment_count, 2)
  })

  test('shows its activity to editors only', async () => {
    const [starter, idler] = [await aColleague(admin), await aColleague(admin)]
    const { id, episodes } = await create({
      episodes: [{ title: 'One', video: { url: '/1.mp4', duration_seconds: 100 } }],
    })
    const [{ id: episode_id } = { id: '' }] = episodes
    await enroll(idler, id)
    for (const who of [starter, author, admin])
      await send('POST', '/api/progress', who, { episode_id, segments: [[0, 100]] })
    const { code, ...shown } = await channel(author, id, '?include=stats')
    assert.equal(code, 200)
    assertExactly(Channel, shown)
    const { weekly_activity, ...funnel } = shown.stats
    assert.deepEqual(funnel, { enrolled: 2, started: 1, completed: 1 })
    assert.equal(weekly_activity.length, 12)
    const { week, ...thisWeek } = weekly_activity.at(-1)
    assert.equal(new Date(week).getUTCDay(), 1)
    assert.deepEqual(thisWeek, { learners: 1, watched_seconds: 100 })
    assert.equal((await channel(author, id)).stats, undefined)
    assert.equal((await channel(starter, id, '?include=stats')).stats, undefined)
    assert.equal((await channel(starter, id, '?include=all')).code, 422)
  })

  test('counts the work of its episodes without counting per read', async () => {
    const learner = await aColleague(admin)
    const { id, episodes } = await create({ episodes: [{ title: 'One' }] })
    const [{ id: episode_id } = { id: '' }] = episodes
    const counts = async (who: Who) => (await channel(who, id)).episodes[0].homework_count
    const add = (status: string) =>
      send('POST', `/api/episodes/${episode_id}/homework`, author, { title: status, status })
    const [draft, published] = [await add('draft'), await add('published')]
    assert.deepEqual([await counts(author), await counts(learner)], [2, 1])
    await send('PUT', `/api/episodes/homework/${draft.id}`, author, { status: 'published' })
    assert.deepEqual([await counts(author), await counts(learner)], [2, 2])
    await send('DELETE', `/api/episodes/homework/${published.id}`, author)
    assert.deepEqual([await counts(author), await counts(learner)], [1, 1])
    await send('DELETE', `/api/episodes/homework/${draft.id}`, author)
    assert.deepEqual([await counts(author), await counts(learner)], [0, 0])
    const tests = async (who: Who) => (await channel(who, id)).episodes[0].test_count
    const made = await send('POST', `/api/episodes/${episode_id}/tests`, author, { title: 'Test' })
    assert.deepEqual([await tests(author), await tests(learner)], [1, 1])
    await send('PUT', `/api/episodes/tests/${made.id}`, author, { status: 'draft' })
    assert.deepEqual([await tests(author), await tests(learner)], [1, 0])
    await send('DELETE', `/api/episodes/tests/${made.id}`, author)
    assert.deepEqual([await tests(author), await tests(learner)], [0, 0])
  })

  test('counts its learners exactly while editors come and go', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => aColleague(admin)))
    const { id } = await create()
    const some = people.map(({ user_id }) => user_id)
    const changes = [some.slice(0, 5), some.slice(3, 8), [], some.slice(5), some.slice(0, 2)]
    const answers = await Promise.all([
      ...people.flatMap((who) => Array.from({ length: 4 }, () => enroll(who, id))),
      ...changes.map((instructor_ids) => change(id, { instructor_ids })),
    ])
    assert.ok(answers.every(({ code }) => code < 300))
    const { instructor_ids, enrollment_count } = await channel(author, id)
    assert.equal(enrollment_count, 10 - instructor_ids.length)
    await change(id, { instructor_ids: [] })
    assert.equal((await channel(author, id)).enrollment_count, 10)
  })
})
