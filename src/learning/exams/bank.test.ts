import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, SEVEN, SINGLE, TRUE } from '#testing/exams.ts'
import { anAdmin, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { BankPage, Copied } from './bank.ts'

type Question = { id: string; prompt: string; test_title: string; episode_title: string }
const bankOf = (test_id: string, query = '') => `/api/episodes/tests/${test_id}/bank${query}`
const questionsOf = (test_id: string) => `/api/episodes/tests/${test_id}/questions`

/** A channel with a test of all kinds of questions, an empty one in another episode, and a channel beside it. */
async function aBank() {
  const school = await aSchool({
    channel: { status: 'published', episodes: [{ title: 'One' }, { title: 'Two' }] },
    test: { title: 'Full' },
    questions: SEVEN,
  })
  const { author, channel_id } = school
  const { episodes } = await must(200, 'GET', `/api/channels/${channel_id}`, author)
  const testIn = async (episode_id: string, title: string, question: object | undefined) => {
    const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/tests`, author, { title })
    if (question) await must(201, 'POST', questionsOf(id), author, question)
    return String(id)
  }
  const empty = await testIn(episodes[1].id, 'Empty', undefined)
  const other = await must(201, 'POST', '/api/channels', author, { title: 'B', episodes: [{ title: 'E' }] })
  const foreign = await testIn(other.episodes[0].id, 'Elsewhere', TRUE)
  const read = async (query = ''): Promise<Question[]> =>
    (await must(200, 'GET', bankOf(empty, `?per_page=100${query}`), author)).items
  return { ...school, empty, foreign, read }
}

describe('the questions of a channel', () => {
  test('are listed with where they are asked, without those of this test, of other channels and deleted ones', async () => {
    const { author, test_id, empty, read } = await aBank()
    const page = await must(200, 'GET', bankOf(empty), author)
    assertExactly(BankPage, page)
    const all = await read()
    assert.deepEqual(
      all.map(({ prompt, test_title, episode_title }) => [prompt, test_title, episode_title]),
      SEVEN.map(({ prompt }) => [prompt, 'Full', 'One']),
    )
    assert.deepEqual((await must(200, 'GET', bankOf(test_id), author)).items, [])
    await must(200, 'DELETE', `/api/episodes/questions/${all[0]?.id}`, author)
    assert.equal((await read()).length, 6)
    await must(200, 'DELETE', `/api/episodes/tests/${test_id}`, author)
    assert.deepEqual(await read(), [])
  })

  test('are found by a part of their text, whatever case and accents, never by a pattern', async () => {
    const { read } = await aBank()
    assert.deepEqual(
      (await read('&q=CAPITÁL')).map(({ prompt }) => prompt),
      ['Capital of France?'],
    )
    for (const q of ['%25', '_', 'nowhere']) assert.deepEqual(await read(`&q=${q}`), [])
  })

  test('are copied in the order sent, and each copy lives for itself', async () => {
    const { author, test_id, empty, read } = await aBank()
    const [first, second, third] = await read()
    const ids = [third, first, second].map((one) => String(one?.id))
    const made = await must(201, 'POST', bankOf(empty), author, { question_ids: [...ids, ids[0]] })
    assertExactly(Copied, made)
    assert.deepEqual(
      made.items.map((one: Question) => one.prompt),
      [third, first, second].map((one) => one?.prompt),
    )
    const { items } = await must(200, 'GET', questionsOf(empty), author)
    assert.deepEqual(items, made.items)
    const own = ['id', 'test_id', 'position', 'created_at', 'updated_at']
    const strip = (question: object) =>
      Object.fromEntries(Object.entries(question).filter(([name]) => !own.includes(name)))
    const before = (await must(200, 'GET', questionsOf(test_id), author)).items
    assert.deepEqual(items.map(strip), [before[2], before[0], before[1]].map(strip))
    await must(200, 'PUT', `/api/episodes/questions/${items[1].id}`, author, { prompt: 'Changed' })
    assert.deepEqual((await must(200, 'GET', questionsOf(test_id), author)).items, before)
  })

  test('of another channel, of another tenant or unknown make all of them 404, and none is copied', async () => {
    const { author, empty, foreign, read } = await aBank()
    const [own] = await read()
    const [elsewhere] = (await must(200, 'GET', questionsOf(foreign), author)).items
    const stranger = await aSchool({ questions: [SINGLE] })
    const [theirs] = (await must(200, 'GET', questionsOf(stranger.test_id), stranger.author)).items
    for (const bad of [elsewhere.id, theirs.id, crypto.randomUUID()])
      assert.equal((await call('POST', bankOf(empty), author, { question_ids: [own?.id, bad] })).status, 404)
    for (const question_ids of [[], ['x'], Array.from({ length: 101 }, () => crypto.randomUUID())])
      assert.equal((await call('POST', bankOf(empty), author, { question_ids })).status, 422)
    assert.deepEqual((await must(200, 'GET', questionsOf(empty), author)).items, [])
  })

  test('are for editors, and a test holds 500 at most', async () => {
    const { author, admin, learner, test_id, empty, read } = await aBank()
    await must(200, 'PUT', `/api/episodes/tests/${empty}`, author, { status: 'published' })
    const body = { question_ids: (await read()).map(({ id }) => id) }
    for (const [who, status] of [
      [await nobody(), 401],
      [learner, 403],
      [await anAdmin(), 404],
    ] as const)
      for (const method of ['GET', 'POST'] as const)
        assert.equal(
          (await call(method, bankOf(empty), who, method === 'POST' ? body : undefined)).status,
          status,
        )
    await must(201, 'POST', bankOf(empty), admin, body)
    for (let left = 493; left > 0; left -= 100)
      await must(201, 'POST', questionsOf(empty), author, {
        questions: Array.from({ length: Math.min(100, left) }, () => TRUE),
      })
    assert.equal((await call('POST', bankOf(empty), author, body)).status, 400)
    assert.equal((await must(200, 'GET', `${questionsOf(test_id)}`, author)).total, 7)
  })
})
