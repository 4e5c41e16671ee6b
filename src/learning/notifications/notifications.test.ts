import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, type School, TRUE, type Who } from '#testing/exams.ts'
import { anAdmin, nobody } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { forgetUser } from '../erasure/forget.ts'
import { type Kind, notify } from './notify.ts'
import { tellOfTime } from './sweep.ts'

const { db } = await world()

const HOUR = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()
const enroll = ({ channel_id }: School, who: Who) => must(201, 'POST', '/api/enroll', who, { channel_id })
const newsOf = (who: Who, query = '') => must(200, 'GET', `/api/notifications?${query}`, who)
type Item = {
  id: string
  kind: Kind
  title: string
  target_type: string
  count: number
  read_at: string | null
}
const told = async (who: Who) =>
  (await newsOf(who)).items.map(({ kind, title }: Item) => [kind, title]) as [Kind, string][]

async function homeworkIn({ author, episode_id }: School, body: object) {
  const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
    title: 'Essay',
    ...body,
  })
  return id as string
}
async function graded(school: School, who: Who, homework_id: string) {
  const { id } = await must(201, 'POST', `/api/episodes/homework/${homework_id}/submit`, who, { text: 'x' })
  await must(200, 'PUT', `/api/episodes/homework/submissions/${id}/grade`, school.author, { score: 90 })
}
const change = ({ channel_id, author }: School, body: object) =>
  must(200, 'PUT', `/api/channels/${channel_id}`, author, body)
/** An answer to a question of this person, as the feature of questions tells it. */
const answered = ({ channel_id, episode_id, admin }: School, user_id: string, tenant_id = admin.tenant_id) =>
  db.transaction((tx) =>
    notify(tx, tenant_id, {
      kind: 'answer',
      channel_id,
      episode_id,
      target_id: episode_id,
      user_ids: [user_id],
    }),
  )

describe('a notification', () => {
  test('tells of a grade and of nothing that was rolled back', async () => {
    const school = await aSchool()
    await graded(school, school.learner, await homeworkIn(school, {}))
    const { items, total, unread } = await newsOf(school.learner)
    assert.deepEqual([total, unread, items[0].kind, items[0].title], [1, 1, 'graded', 'Essay'])
    assert.deepEqual([items[0].target_type, items[0].channel_title], ['homework', 'Course'])
    assert.equal((await newsOf(school.author)).total, 0)
    await assert.rejects(
      db.transaction(async (tx) => {
        const { channel_id, episode_id } = school
        const news = { kind: 'answer' as const, channel_id, episode_id, target_id: episode_id }
        await notify(tx, school.admin.tenant_id, { ...news, user_ids: [school.learner.user_id] })
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    assert.equal((await newsOf(school.learner)).total, 1)
  })

  test('reaches only who can see what it tells', async () => {
    const school = await aSchool()
    const stranger = await anAdmin()
    await answered(school, school.learner.user_id)
    assert.deepEqual(await told(school.learner), [])
    await enroll(school, school.learner)
    await answered(school, stranger.user_id)
    await answered(school, stranger.user_id, stranger.tenant_id)
    assert.deepEqual(await told(stranger), [])
    for (const status of ['draft', 'archived']) {
      await change(school, { status })
      await answered(school, school.learner.user_id)
      await change(school, { status: 'published' })
      assert.deepEqual(await told(school.learner), [], status)
    }
    await answered(school, school.learner.user_id)
    assert.deepEqual(await told(school.learner), [['answer', 'One']])
  })

  test('is not shown while its channel is a draft, or after leaving', async () => {
    const school = await aSchool()
    await enroll(school, school.learner)
    await answered(school, school.learner.user_id)
    await change(school, { status: 'draft' })
    assert.equal((await newsOf(school.learner)).unread, 0)
    await change(school, { status: 'published' })
    assert.equal((await newsOf(school.learner)).unread, 1)
    await db.pool`
      delete from learning.enrollments
       where tenant_id = ${school.admin.tenant_id} and user_id = ${school.learner.user_id}`
    assert.equal((await newsOf(school.learner)).total, 0)
  })

  test('is listed by cursor, and read once', async () => {
    const school = await aSchool()
    await enroll(school, school.learner)
    for (let number = 0; number < 5; number++) await answered(school, school.learner.user_id)
    const first = await newsOf(school.learner, 'per_page=2')
    const second = await newsOf(school.learner, `per_page=2&cursor=${first.next_cursor}`)
    const third = await newsOf(school.learner, `per_page=2&cursor=${second.next_cursor}`)
    const ids = [first, second, third].flatMap(({ items }) => items.map(({ id }: Item) => id))
    assert.deepEqual([new Set(ids).size, third.next_cursor, third.unread], [5, null, 5])
    const url = '/api/notifications/read'
    assert.deepEqual(await must(200, 'POST', url, school.learner, { ids: ids.slice(0, 2) }), { read: 2 })
    assert.deepEqual(await must(200, 'POST', url, school.learner, { ids: ids.slice(0, 2) }), { read: 0 })
    assert.equal((await newsOf(school.learner)).unread, 3)
    assert.deepEqual(await must(200, 'POST', url, school.author, { ids }), { read: 0 })
    assert.deepEqual(await must(200, 'POST', url, school.learner, { all: true }), { read: 3 })
    await must(400, 'POST', url, school.learner, {})
    assert.equal((await newsOf(school.learner)).unread, 0)
    await must(422, 'POST', url, school.learner, { ids: ['x'] })
    await must(422, 'GET', `/api/notifications?cursor=${first.next_cursor}`, school.author)
    await must(401, 'GET', '/api/notifications', await nobody())
    await must(401, 'POST', url, await nobody(), {})
  })
})

describe('what time brings', () => {
  test('tells once of work due within 24 hours, not of work handed in', async () => {
    const school = await aSchool({ questions: [TRUE], test: { closes_at: inHours(23) } })
    const [idle, busy] = [school.learner, await school.another()]
    for (const who of [idle, busy]) await enroll(school, who)
    await enroll(school, school.author)
    const due = await homeworkIn(school, { title: 'Soon', due_at: inHours(20) })
    await homeworkIn(school, { title: 'Late', due_at: inHours(-1) })
    await homeworkIn(school, { title: 'Far', due_at: inHours(25) })
    await homeworkIn(school, { title: 'Draft', due_at: inHours(1), status: 'draft' })
    await must(201, 'POST', `/api/episodes/homework/${due}/submit`, busy, { text: 'Done' })
    await must(201, 'POST', `/api/episodes/tests/${school.test_id}/attempt`, busy, { answers: [] })
    await Promise.all(Array.from({ length: 5 }, () => tellOfTime(db)))
    await tellOfTime(db)
    const titles = (await told(idle)).map((one) => one.join(' '))
    assert.deepEqual(titles.toSorted(), ['due Quiz', 'due Soon'])
    assert.deepEqual([await told(busy), await told(school.author)], [[], []])
    const soon = (await newsOf(idle)).items.find(({ title }: Item) => title === 'Soon')
    assert.ok(Date.parse(soon.due_at) > Date.now())
    await must(200, 'PUT', `/api/episodes/homework/${due}`, school.author, { due_at: inHours(22) })
    await tellOfTime(db)
    assert.equal((await told(idle)).length, 2)
  })

  test('tells once of new episodes, together, to those who were there', async () => {
    const school = await aSchool()
    await enroll(school, school.learner)
    await tellOfTime(db)
    assert.deepEqual(await told(school.learner), [])
    const episodes = [
      { id: school.episode_id },
      { title: 'Two' },
      { title: 'Three' },
      { title: 'Hidden', status: 'draft' },
      { title: 'Later', release_at: inHours(1) },
    ]
    await change(school, { episodes })
    const late = await school.another()
    await enroll(school, late)
    await Promise.all([tellOfTime(db), tellOfTime(db)])
    const { items } = await newsOf(school.learner)
    assert.deepEqual([items.length, items[0].kind, items[0].title, items[0].count], [1, 'episode', 'Two', 2])
    assert.deepEqual(await told(late), [])
    await db.pool`
      update learning.episodes set release_at = statement_timestamp(), updated_at = clock_timestamp()
       where tenant_id = ${school.admin.tenant_id} and title = 'Later'`
    await tellOfTime(db)
    assert.deepEqual((await told(school.learner))[0], ['episode', 'Later'])
  })

  test('says nothing in drafts and archived channels', async () => {
    for (const status of ['draft', 'archived']) {
      const school = await aSchool()
      await enroll(school, school.learner)
      await homeworkIn(school, { due_at: inHours(2) })
      await change(school, { status })
      await tellOfTime(db)
      await change(school, { status: 'published' })
      assert.deepEqual(await told(school.learner), [], status)
    }
  })
})

describe('settings of notifications', () => {
  test('keep a kind from the page, from the mail, or from both', async () => {
    const school = await aSchool()
    const url = '/api/notifications/settings'
    const all = { in_page: true, by_mail: true }
    const { learner } = school
    assert.deepEqual(await must(200, 'GET', url, learner), {
      graded: all,
      due: all,
      episode: all,
      answer: all,
    })
    await enroll(school, learner)
    const waiting = async () => {
      const rows = await db.pool<{ is_to_mail: boolean }[]>`
        select is_to_mail from learning.notifications
         where tenant_id = ${school.admin.tenant_id} and user_id = ${learner.user_id} order by created_at`
      return rows.map(({ is_to_mail }) => is_to_mail)
    }
    const only = { in_page: false, by_mail: true }
    const changed = await must(200, 'PUT', url, learner, { answer: only })
    assert.deepEqual([changed.answer, changed.due], [only, all])
    await answered(school, learner.user_id)
    assert.deepEqual([(await newsOf(learner)).total, (await waiting()).length], [0, 1])
    await must(200, 'PUT', url, learner, { answer: { in_page: false, by_mail: false } })
    await answered(school, learner.user_id)
    assert.equal((await waiting()).length, 1)
    await must(200, 'PUT', url, learner, { answer: { in_page: true, by_mail: false } })
    await answered(school, learner.user_id)
    assert.deepEqual([(await newsOf(learner)).total, (await waiting())[1]], [1, false])
    await must(422, 'PUT', url, learner, { answer: { in_page: 'no', by_mail: true } })
    await must(401, 'PUT', url, await nobody(), {})
    assert.deepEqual((await must(200, 'GET', url, school.author)).answer, all)
  })

  test('leave nothing behind when the person is erased', async () => {
    const school = await aSchool()
    const { learner, author } = school
    await enroll(school, learner)
    await enroll(school, author)
    for (const { user_id } of [learner, author]) await answered(school, user_id)
    await must(200, 'PUT', '/api/notifications/settings', learner, { due: { in_page: true, by_mail: false } })
    const { url } = await must(201, 'POST', '/api/calendar', learner, { language: 'en' })
    const newcomer = await anAdmin()
    await must(201, 'POST', '/api/calendar', newcomer, { language: 'en' })
    for (const { user_id } of [learner, newcomer]) await forgetUser(db, user_id)
    for (const table of ['notifications', 'notification_settings', 'calendars']) {
      const left = await db.pool`
        select from ${db.pool(`learning.${table}`)}
         where user_id in (${learner.user_id}, ${newcomer.user_id})`
      assert.equal(left.count, 0, table)
    }
    assert.equal((await call('GET', new URL(url).pathname, { headers: {} })).status, 404)
    assert.equal((await newsOf(author)).total, 1)
  })
})
