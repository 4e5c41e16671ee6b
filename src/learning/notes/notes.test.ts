import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, type School } from '#testing/exams.ts'
import { nobody } from '#testing/people.ts'
import { MAX_NOTES } from './note.ts'

type Note = { id: string; text: string }
const urlOf = ({ episode_id }: School) => `/api/episodes/${episode_id}/notes`
const keep = (school: School, body: object) => must(201, 'POST', urlOf(school), school.learner, body)
const refused = async (status: number, ...request: Parameters<typeof call>) =>
  assert.equal((await call(...request)).status, status, `${request[0]} ${request[1]}`)

describe('notes', () => {
  test('are read by whoever kept them, and by nobody else', async () => {
    const school = await aSchool()
    const note = await keep(school, { at_seconds: 61.25, text: 'Ask <b>why</b>' })
    const { items, total } = await must(
      200,
      'GET',
      `/api/notes?episode_id=${school.episode_id}`,
      school.learner,
    )
    assert.deepEqual([total, items], [1, [note]])
    assert.deepEqual(
      [note.at_seconds, note.text, note.episode_title, note.channel_title],
      [61.25, 'Ask <b>why</b>', 'One', 'Course'],
    )
    for (const who of [school.author, school.admin, await school.another(), (await aSchool()).admin]) {
      const theirs = await must(200, 'GET', '/api/notes', who)
      assert.deepEqual([theirs.total, theirs.items], [0, []])
      await refused(404, 'PUT', `/api/notes/${note.id}`, who, { text: 'x' })
      await refused(404, 'DELETE', `/api/notes/${note.id}`, who)
    }
  })

  test('need a token, an open episode and a second', async () => {
    const school = await aSchool({
      channel: { sequential: true, episodes: [{ title: 'A' }, { title: 'B' }] },
    })
    const url = urlOf(school)
    for (const method of ['PUT', 'DELETE'] as const)
      await refused(401, method, `/api/notes/${crypto.randomUUID()}`, await nobody(), { text: 'x' })
    await refused(401, 'GET', '/api/notes', await nobody())
    await refused(401, 'POST', url, await nobody(), { at_seconds: 1 })
    await refused(404, 'POST', url, (await aSchool()).learner, { at_seconds: 1 })
    await refused(422, 'POST', url, school.learner, { text: 'x' })
    for (const at_seconds of [-1, 86_401, '1', null])
      await refused(422, 'POST', url, school.learner, { at_seconds })
    await refused(422, 'POST', url, school.learner, { at_seconds: 1, text: 'x'.repeat(2_001) })
    const { episodes } = await must(200, 'GET', `/api/channels/${school.channel_id}`, school.learner)
    await refused(403, 'POST', `/api/episodes/${episodes[1].id}/notes`, school.learner, { at_seconds: 1 })
  })

  test('are changed and deleted, for good', async () => {
    const school = await aSchool()
    const { id } = await keep(school, { at_seconds: 3 })
    const url = `/api/notes/${id}`
    await refused(400, 'PUT', url, school.learner, {})
    assert.equal((await must(200, 'PUT', url, school.learner, { text: 'Now' })).at_seconds, 3)
    assert.equal((await must(200, 'PUT', url, school.learner, { at_seconds: 4 })).text, 'Now')
    assert.equal((await must(200, 'PUT', url, school.learner, { text: '' })).text, '')
    await must(200, 'DELETE', url, school.learner)
    await refused(404, 'DELETE', url, school.learner)
    await refused(404, 'PUT', url, school.learner, { text: 'x' })
  })

  test('are kept once when they are sent again', async () => {
    const school = await aSchool()
    const sent = { at_seconds: 1, client_id: 'c1' }
    const all = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', urlOf(school), school.learner, sent)),
    )
    assert.equal(all.filter(({ status }) => status === 201).length, 1)
    assert.equal(all.filter(({ status }) => status === 200).length, 9)
    assert.equal((await must(200, 'GET', '/api/notes', school.learner)).total, 1)
  })

  test('end at a limit in an episode, also at once', async () => {
    const school = await aSchool()
    const replies = await Promise.all(
      Array.from({ length: MAX_NOTES + 2 }, (_, at_seconds) =>
        call('POST', urlOf(school), school.learner, { at_seconds }),
      ),
    )
    assert.equal(replies.filter(({ status }) => status === 400).length, 2)
    const { total, items, next_cursor } = await must(200, 'GET', '/api/notes?per_page=100', school.learner)
    assert.deepEqual([total, items.length], [MAX_NOTES, 100])
    const next = await must(200, 'GET', `/api/notes?per_page=100&cursor=${next_cursor}`, school.learner)
    assert.equal(new Set([...items, ...next.items].map(({ id }: Note) => id)).size, MAX_NOTES)
  })

  test('stay after the channel is private, without its title', async () => {
    const school = await aSchool()
    await keep(school, { at_seconds: 1, text: 'Mine' })
    await must(200, 'PUT', `/api/channels/${school.channel_id}`, school.author, { visibility: 'private' })
    const [note] = (await must(200, 'GET', '/api/notes', school.learner)).items
    assert.deepEqual([note.text, note.episode_title, note.channel_title], ['Mine', null, null])
  })
})
