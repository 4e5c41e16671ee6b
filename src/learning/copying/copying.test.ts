import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, call, must, SEVEN, type Who } from '#testing/exams.ts'
import { download, mustUpload, PNG } from '#testing/files.ts'
import { anAdmin, nobody } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()

/** A school whose only episode has a video, homework, a test of every kind of question, and a picture in its text. */
async function aFullSchool() {
  const school = await aSchool({ channel: { title: 'Tides', visibility: 'private' }, questions: SEVEN })
  const { author, channel_id, episode_id } = school
  const picture = await mustUpload(`/api/channels/${channel_id}/files?purpose=picture`, author, PNG)
  await must(200, 'PUT', `/api/channels/${channel_id}`, author, {
    thumbnail_url: picture.url,
    episodes: [
      {
        id: episode_id,
        title: 'High water',
        description: `![The sea](${picture.url})`,
        video: { url: 'https://media.example.org/1.mp4', duration_seconds: 100, transcript: 'Words' },
      },
    ],
  })
  await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
    title: 'Draw it',
    instructions: `Like ![this](${picture.url})`,
    rubric: [{ criterion: 'Style', max_points: 10 }],
  })
  return { ...school, picture }
}
const another = (who: Who, more: object = {}) =>
  must(201, 'POST', '/api/channels', who, { title: 'Other', episodes: [{ title: 'First' }], ...more })
const channelOf = (id: string, who: Who) => must(200, 'GET', `/api/channels/${id}`, who)
const workOf = async (episode_id: string, who: Who) => {
  const homework = await must(200, 'GET', `/api/episodes/${episode_id}/homework`, who)
  const tests = await must(200, 'GET', `/api/episodes/${episode_id}/tests`, who)
  return { homework: homework.items, tests: tests.items }
}
const questionsOf = async (test_id: string, who: Who) => {
  const { items } = await must(
    200,
    'GET',
    `/api/episodes/tests/${test_id}/questions?view=author&per_page=100`,
    who,
  )
  const OWN = new Set(['id', 'test_id', 'created_at', 'updated_at'])
  return (items as object[]).map((one) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !OWN.has(name))),
  )
}

describe('POST /api/channels/{id}/copy', () => {
  test('copies everything an author made, and nothing of learners', async () => {
    const { admin, author, learner, channel_id, episode_id, test_id, picture } = await aFullSchool()
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { instructor_ids: [learner.user_id] })
    const copy = await must(201, 'POST', `/api/channels/${channel_id}/copy`, admin, { title: 'Tides, again' })
    assert.deepEqual(
      [
        copy.title,
        copy.status,
        copy.owner_id,
        copy.instructor_ids,
        copy.enrollment_count,
        copy.episode_count,
      ],
      ['Tides, again', 'draft', admin.user_id, [], 0, 1],
    )
    const [episode] = copy.episodes
    assert.notEqual(episode.id, episode_id)
    assert.deepEqual([episode.title, episode.duration_seconds, episode.test_count], ['High water', 100, 1])
    const own = new RegExp(`/files/${copy.id}/[0-9a-f-]{36}`)
    const { homework, tests } = await workOf(episode.id, admin)
    for (const text of [copy.thumbnail_url, episode.description, homework[0].instructions]) {
      const [url = ''] = own.exec(text) ?? []
      assert.ok(url !== '' && !text.includes(picture.url), text)
      assert.ok((await download(url, admin)).bytes.equals(PNG))
    }
    assert.equal(homework[0].rubric[0].criterion, 'Style')
    assert.deepEqual(await questionsOf(tests[0].id, admin), await questionsOf(test_id, author))
    assert.equal((await call('GET', `/api/channels/${copy.id}`, author)).status, 404)
    assert.equal((await must(200, 'GET', '/api/channels?mine=1', admin)).total, 1)
  })

  test('is for editors of the channel only', async () => {
    const { learner, author, channel_id } = await aSchool()
    assert.equal((await call('POST', `/api/channels/${channel_id}/copy`, await nobody(), {})).status, 401)
    assert.equal((await call('POST', `/api/channels/${channel_id}/copy`, learner, {})).status, 403)
    assert.equal((await call('POST', `/api/channels/${channel_id}/copy`, await anAdmin(), {})).status, 404)
    assert.equal((await call('POST', `/api/channels/${newId()}/copy`, author, {})).status, 404)
    assert.equal((await call('POST', `/api/channels/${channel_id}/copy`, author, { title: '' })).status, 422)
  })
})

describe('POST /api/episodes/{id}/copy', () => {
  test('makes a draft behind the others, again and again', async () => {
    const { author, channel_id, episode_id } = await aFullSchool()
    for (const position of [2, 3]) {
      const made = await must(201, 'POST', `/api/episodes/${episode_id}/copy`, author, {})
      const { episodes } = await channelOf(channel_id, author)
      const copy = episodes.at(-1)
      assert.deepEqual([copy.id, copy.position, copy.status], [made.episode_id, position, 'draft'])
      assert.equal(copy.video.url, 'https://media.example.org/1.mp4')
    }
  })

  test('into another channel takes its pictures along', async () => {
    const { author, episode_id, picture } = await aFullSchool()
    const { id } = await another(author)
    const made = await must(201, 'POST', `/api/episodes/${episode_id}/copy`, author, { channel_id: id })
    assert.equal(made.channel_id, id)
    const { description } = (await channelOf(id, author)).episodes.at(-1)
    assert.match(description, new RegExp(`^!\\[The sea\\]\\(/files/${id}/`))
    assert.ok(!description.includes(picture.id))
  })

  test('needs the right to change both channels', async () => {
    const { admin, author, learner, episode_id } = await aSchool()
    const { id: foreign } = await another(admin)
    const { id: own } = await another(learner)
    const path = `/api/episodes/${episode_id}/copy`
    assert.equal((await call('POST', path, await nobody(), {})).status, 401)
    assert.equal((await call('POST', path, author, { channel_id: foreign })).status, 403)
    assert.equal((await call('POST', path, learner, { channel_id: own })).status, 403)
    assert.equal((await call('POST', path, author, { channel_id: newId() })).status, 404)
    assert.equal((await call('POST', path, await anAdmin(), {})).status, 404)
    assert.equal((await call('POST', path, author, { channel_id: 'x' })).status, 422)
  })

  test('stops at 500 episodes', async () => {
    const { author } = await aSchool()
    const episodes = Array.from({ length: 500 }, (_, no) => ({ title: `E${no}` }))
    const full = await another(author, { episodes })
    const refused = await call('POST', `/api/episodes/${full.episodes[0].id}/copy`, author, {})
    assert.deepEqual([refused.status, (await channelOf(full.id, author)).episode_count], [400, 500])
  })
})

describe('POST /api/episodes/{id}/move', () => {
  test('keeps the work and what learners handed in', async () => {
    const { author, learner, episode_id, channel_id } = await aSchool()
    const homework = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
      title: 'Draw it',
      submission_types: ['text', 'file'],
    })
    const hand_in = `/api/episodes/homework/${homework.id}`
    const { url } = await mustUpload(`${hand_in}/files`, learner, 'mine')
    await must(201, 'POST', `${hand_in}/submit`, learner, { attachments: [{ url }] })
    const { id } = await another(author)
    await must(200, 'POST', `/api/episodes/${episode_id}/move`, author, { channel_id: id })
    const [left, now] = [await channelOf(channel_id, author), await channelOf(id, author)]
    assert.deepEqual([left.episode_count, now.episode_count, now.episodes[1].id], [0, 2, episode_id])
    const { homework: moved } = await workOf(episode_id, author)
    assert.equal(moved[0].submissions[0].user_id, learner.user_id)
    assert.equal((await download(url, author)).status, 200)
    assert.equal(
      (await call('POST', `/api/episodes/${episode_id}/move`, author, { channel_id: id })).status,
      400,
    )
  })

  test('at once to two channels ends in one', async () => {
    const { author, episode_id, channel_id } = await aSchool()
    const targets = await Promise.all([another(author), another(author)])
    const replies = await Promise.all(
      targets.map(({ id }) => call('POST', `/api/episodes/${episode_id}/move`, author, { channel_id: id })),
    )
    assert.ok(replies.every(({ status }) => status === 200 || status === 404))
    const ids = [channel_id, ...targets.map(({ id }) => id)]
    const counts = await db.pool<{ id: string; counted: number; held: number }[]>`
      select c.id, c.episode_count as counted,
             (select count(*)::int from learning.episodes e where e.channel_id = c.id and e.deleted_at is null) as held
        from learning.channels c where c.id = any(${ids})`
    assert.ok(counts.every(({ counted, held }) => counted === held))
    assert.equal(
      counts.reduce((sum, { held }) => sum + held, 0),
      3,
    )
  })

  test('needs the right to change both channels', async () => {
    const { admin, author, learner, episode_id } = await aSchool()
    const { id } = await another(admin)
    const path = `/api/episodes/${episode_id}/move`
    assert.equal((await call('POST', path, await nobody(), { channel_id: id })).status, 401)
    for (const who of [author, learner])
      assert.equal((await call('POST', path, who, { channel_id: id })).status, 403)
    assert.equal((await call('POST', path, author, {})).status, 422)
    assert.equal((await call('POST', path, await anAdmin(), { channel_id: id })).status, 404)
  })
})

describe('POST /api/episodes/tests/{id}/copy', () => {
  test('makes a draft with the same questions and no attempts', async () => {
    const { author, learner, episode_id, test_id } = await aSchool({ questions: SEVEN })
    await must(200, 'GET', `/api/episodes/tests/${test_id}/questions`, learner)
    await must(201, 'POST', `/api/episodes/tests/${test_id}/attempt`, learner, { answers: [] })
    const copy = await must(201, 'POST', `/api/episodes/tests/${test_id}/copy`, author, {})
    assert.deepEqual([copy.status, copy.question_count, copy.episode_id], ['draft', SEVEN.length, episode_id])
    assert.deepEqual(await questionsOf(copy.id, author), await questionsOf(test_id, author))
    const { episodes } = await channelOf(
      (await must(200, 'GET', '/api/channels', author)).items[0].id,
      author,
    )
    assert.equal(episodes[0].test_count, 2)
    await must(200, 'PUT', `/api/episodes/tests/${copy.id}`, author, { status: 'published' })
    const paper = await must(200, 'GET', `/api/episodes/tests/${copy.id}/questions`, learner)
    assert.equal(paper.items.length, SEVEN.length)
    await must(201, 'POST', `/api/episodes/tests/${copy.id}/attempt`, learner, { answers: [] })
  })

  test('goes into an episode of another channel of the same author', async () => {
    const { admin, author, learner, test_id } = await aSchool({ questions: SEVEN })
    const other = await another(author)
    const foreign = await another(admin)
    const path = `/api/episodes/tests/${test_id}/copy`
    const copy = await must(201, 'POST', path, author, { episode_id: other.episodes[0].id })
    assert.equal(copy.episode_id, other.episodes[0].id)
    assert.equal((await call('POST', path, author, { episode_id: foreign.episodes[0].id })).status, 403)
    assert.equal((await call('POST', path, learner, {})).status, 403)
    assert.equal((await call('POST', path, await nobody(), {})).status, 401)
    assert.equal((await call('POST', path, await anAdmin(), {})).status, 404)
    assert.equal((await call('POST', path, author, { episode_id: newId() })).status, 404)
  })
})
