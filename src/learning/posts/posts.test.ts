import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, type School, type Who } from '#testing/exams.ts'
import { nobody } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { POSTS_PER_HOUR } from './post.ts'

const { db, sso } = await world()

type Post = { id: string; text: string; [name: string]: unknown }
const urlOf = ({ episode_id }: School) => `/api/episodes/${episode_id}/posts`
const ask = (school: School, who: Who, more: object = {}): Promise<Post> =>
  must(201, 'POST', urlOf(school), who, { text: 'Why is it so?', ...more })
const read = (school: School, who: Who) => must(200, 'GET', urlOf(school), who)
const textsSeen = async (school: School, who: Who) =>
  (await read(school, who)).items.map(({ text }: Post) => text)
const refused = async (status: number, ...request: Parameters<typeof call>) =>
  assert.equal((await call(...request)).status, status, `${request[0]} ${request[1]}`)

describe('questions below an episode', () => {
  test('are asked by learners, answered by teachers and read by all', async () => {
    const school = await aSchool()
    const { author, learner } = school
    const question = await ask(school, learner, { at_seconds: 12.5 })
    const answer = await ask(school, author, { text: 'Because **it** is.', question_id: question.id })
    const { items, total, may_moderate, may_write } = await read(school, await school.another())
    assert.deepEqual([total, may_moderate, may_write], [1, false, true])
    const [shown] = items
    assert.deepEqual(
      [shown.id, shown.at_seconds, shown.answer_count, shown.author.is_teacher, shown.author.is_you],
      [question.id, 12.5, 1, false, false],
    )
    assert.equal(shown.answers[0].id, answer.id)
    assert.equal(shown.answers[0].text, 'Because **it** is.')
    assert.equal(shown.answers[0].author.is_teacher, true)
    assert.equal((await read(school, author)).may_moderate, true)
  })

  test('show learners names and never addresses', async () => {
    const school = await aSchool()
    const { learner, author } = school
    await ask(school, learner)
    const rename = { method: 'PATCH' as const, url: `/api/v1/users/${learner.user_id}` }
    const reply = await sso.inject({
      ...rename,
      headers: learner.headers,
      payload: { display_name: 'Ada ‏עדה' },
    })
    assert.equal(reply.statusCode, 200, reply.body)
    const other = await read(school, await school.another())
    assert.equal(other.items[0].author.name, 'Ada ‏עדה')
    assert.ok(!JSON.stringify(other).includes(learner.email))
    assert.equal((await read(school, author)).items[0].author.email, learner.email)
  })

  test('need a token, an open episode and a text', async () => {
    const school = await aSchool({
      channel: { sequential: true, episodes: [{ title: 'A' }, { title: 'B' }] },
    })
    const { learner } = school
    const stranger = (await aSchool()).learner
    const url = urlOf(school)
    await refused(401, 'GET', url, await nobody())
    await refused(401, 'POST', url, await nobody(), { text: 'x' })
    await refused(404, 'GET', url, stranger)
    await refused(404, 'POST', url, stranger, { text: 'x' })
    await refused(422, 'POST', url, learner, {})
    await refused(422, 'POST', url, learner, { text: '' })
    await refused(422, 'POST', url, learner, { text: ' \n ' })
    await refused(422, 'POST', url, learner, { text: 'x'.repeat(5_001) })
    await refused(422, 'POST', url, learner, { text: 'x', at_seconds: -1 })
    await refused(422, 'POST', url, learner, { text: 'x', question_id: 'y' })
    const { episodes } = await must(200, 'GET', `/api/channels/${school.channel_id}`, learner)
    await refused(403, 'POST', `/api/episodes/${episodes[1].id}/posts`, learner, { text: 'x' })
    await refused(403, 'GET', `/api/episodes/${episodes[1].id}/posts`, learner)
    await must(200, 'PUT', `/api/channels/${school.channel_id}`, school.author, { status: 'archived' })
    await refused(404, 'POST', url, learner, { text: 'x' })
  })

  test('are kept as text, whatever they hold', async () => {
    const school = await aSchool()
    const text = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) 😀 مرحبا'
    await ask(school, school.learner, { text, user_id: school.author.user_id, as_editor: true })
    const [shown] = (await read(school, school.author)).items
    assert.equal(shown.text, text)
    assert.equal(shown.author.is_teacher, false)
    assert.equal(shown.author.email, school.learner.email)
  })

  test('are written once when they are sent again', async () => {
    const school = await aSchool()
    const sent = { text: 'Once', client_id: 'c1' }
    const all = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', urlOf(school), school.learner, sent)),
    )
    assert.equal(all.filter(({ status }) => status === 201).length, 1)
    assert.equal(all.filter(({ status }) => status === 200).length, 9)
    assert.equal(new Set(all.map(({ body }) => body.id)).size, 1)
    await must(201, 'POST', urlOf(school), school.author, sent)
  })

  test('end at a limit for each person and hour, also at once', async () => {
    const school = await aSchool()
    const replies = await Promise.all(
      Array.from({ length: POSTS_PER_HOUR + 5 }, () =>
        call('POST', urlOf(school), school.learner, { text: 'Again' }),
      ),
    )
    const late = replies.filter(({ status }) => status === 429)
    assert.equal(late.length, 5)
    assert.ok(Number(late[0]?.headers['retry-after']) > 3_000)
    await ask(school, school.author)
    await db.pool`
      update learning.posts set created_at = created_at - interval '1 hour'
       where tenant_id = ${school.learner.tenant_id} and user_id = ${school.learner.user_id}`
    await ask(school, school.learner)
  })

  test('continue with a cursor, the newest first', async () => {
    const school = await aSchool()
    for (const text of ['1', '2', '3']) await ask(school, school.learner, { text })
    const first = await must(200, 'GET', `${urlOf(school)}?per_page=2`, school.learner)
    assert.deepEqual(
      first.items.map(({ text }: Post) => text),
      ['3', '2'],
    )
    const next = `${urlOf(school)}?per_page=2&cursor=${first.next_cursor}`
    const { items, next_cursor } = await must(200, 'GET', next, school.learner)
    assert.deepEqual([items.map(({ text }: Post) => text), next_cursor], [['1'], null])
  })
})

describe('answers', () => {
  test('beyond the first five come in a list of their own, the oldest first', async () => {
    const school = await aSchool()
    const question = await ask(school, school.learner)
    for (let n = 1; n <= 7; n++) await ask(school, school.author, { text: `${n}`, question_id: question.id })
    const [shown] = (await read(school, school.learner)).items
    assert.deepEqual([shown.answer_count, shown.answers.length], [7, 5])
    const url = `/api/posts/${question.id}/answers`
    const { items } = await must(200, 'GET', url, school.learner)
    assert.deepEqual(items.map(({ text }: Post) => text).join(''), '1234567')
    await refused(401, 'GET', url, await nobody())
    await refused(404, 'GET', `/api/posts/${items[0].id}/answers`, school.learner)
    await refused(404, 'GET', url, (await aSchool()).author)
  })

  test('belong to a question of the same episode, not to an answer', async () => {
    const [school, other] = await Promise.all([aSchool(), aSchool()])
    const question = await ask(school, school.learner)
    const answer = await ask(school, school.author, { question_id: question.id })
    for (const question_id of [answer.id, (await ask(other, other.learner)).id, crypto.randomUUID()])
      await refused(404, 'POST', urlOf(school), school.learner, { text: 'x', question_id })
  })
})

describe('a post', () => {
  test('is changed by its author only, and says so', async () => {
    const school = await aSchool()
    const { id } = await ask(school, school.learner)
    const url = `/api/posts/${id}`
    for (const who of [school.author, school.admin, await school.another()])
      await refused(403, 'PUT', url, who, { text: 'Stolen' })
    await refused(400, 'PUT', url, school.learner, {})
    await refused(422, 'PUT', url, school.learner, { text: '  ' })
    assert.equal((await must(200, 'PUT', url, school.learner, { text: 'Why is it so?' })).edited_at, null)
    const changed = await must(200, 'PUT', url, school.learner, { text: 'How?' })
    assert.equal(changed.text, 'How?')
    assert.ok(changed.edited_at)
    await refused(401, 'PUT', url, await nobody(), { text: 'x' })
  })

  test('is hidden by a teacher from all but teachers and its author', async () => {
    const school = await aSchool()
    const { author, learner } = school
    const other = await school.another()
    const { id } = await ask(school, learner, { text: 'Rude' })
    const url = `/api/posts/${id}`
    for (const who of [learner, other]) await refused(403, 'PUT', url, who, { hidden: true })
    assert.equal((await must(200, 'PUT', url, author, { hidden: true })).hidden, true)
    assert.deepEqual(await textsSeen(school, other), [])
    assert.deepEqual(await textsSeen(school, learner), ['Rude'])
    assert.deepEqual(await textsSeen(school, author), ['Rude'])
    await refused(404, 'GET', `${url}/answers`, other)
    await refused(404, 'POST', urlOf(school), other, { text: 'x', question_id: id })
    // An author who changes a hidden text does not show it again.
    assert.equal((await must(200, 'PUT', url, learner, { text: 'Ruder' })).hidden, true)
    await must(200, 'PUT', url, author, { hidden: false })
    assert.deepEqual(await textsSeen(school, other), ['Ruder'])
  })

  test('is deleted by its author or a teacher, and its answers stay', async () => {
    const school = await aSchool()
    const { author, learner } = school
    const question = await ask(school, learner, { text: 'Secret' })
    const answer = await ask(school, author, { text: 'Known', question_id: question.id })
    const url = `/api/posts/${question.id}`
    await refused(403, 'DELETE', url, await school.another())
    await refused(401, 'DELETE', url, await nobody())
    assert.deepEqual(await must(200, 'DELETE', url, learner), { id: question.id, deleted: true })
    await refused(404, 'DELETE', url, learner)
    await refused(404, 'PUT', url, learner, { text: 'Back' })
    const [shown] = (await read(school, author)).items
    assert.deepEqual([shown.text, shown.deleted, shown.author.email, shown.answer_count], ['', true, null, 1])
    const [row] =
      await db.pool`select text from learning.posts where tenant_id = ${author.tenant_id} and id = ${question.id}`
    assert.equal(row?.['text'], '')
    await must(200, 'DELETE', `/api/posts/${answer.id}`, school.admin)
    assert.deepEqual((await read(school, author)).items, [])
  })
})
