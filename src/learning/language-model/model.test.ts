import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { aSchool, must } from '#testing/exams.ts'
import { world } from '#testing/world.ts'
import { runAgent } from '../innovation/run.ts'
import { firstObject } from './first-object.ts'
import { openModel } from './open-model.ts'

const { db, parts } = await world()

type Asked = {
  messages: { role: string; content: string }[]
  response_format?: { type: string; json_schema?: { name: string } }
  model: string
}
type Answer = { status?: number; body?: string; content?: string; silent?: boolean; endless?: boolean }

/** A model server on loopback that answers as the test says and records its requests. */
async function aServer(answer: (asked: Asked, number: number) => Answer) {
  const asked: Asked[] = []
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const body = JSON.parse(text) as Asked
      asked.push(body)
      keys.push(request.headers.authorization)
      const { status = 200, silent, endless, content, body: raw } = answer(body, asked.length)
      if (silent) return
      response.writeHead(status, { 'content-type': 'application/json' })
      if (endless) {
        const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
        response.on('close', () => clearInterval(timer))
        return
      }
      response.end(raw ?? JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const base_url = `http://127.0.0.1:${port}/v1`
  const model = openModel({ base_url, model: 'small', key: 'sk-secret' }, db, parts.log)
  after(async () => {
    await model.close()
    server.closeAllConnections()
    server.close()
  })
  return { model, asked, keys, port }
}

async function readBody(request: IncomingMessage) {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const nameOf = (asked: Asked) => asked.response_format?.json_schema?.name ?? ''

/** An ADMIN, and a channel whose title and description need a draft. */
async function aPoorSchool() {
  const school = await aSchool({
    channel: {
      title: 'Untitled',
      thumbnail_url: '/a.jpg',
      episodes: [{ title: 'Warp and weft', description: 'x'.repeat(40), thumbnail_url: '/b.jpg' }],
    },
    test: { status: 'draft' },
  })
  const { admin } = school
  const viewer = {
    tenant_id: admin.tenant_id,
    user_id: admin.user_id,
    email: '',
    is_admin: true,
    edits_all: true,
  }
  return { ...school, viewer }
}

const GOOD: Record<string, object> = {
  draft_title: { title: 'Weaving for beginners' },
  draft_description: { description: 'Weaving on a simple loom, for people who never did it.' },
}

const suggestionsOf = async (school: { admin: { headers: Record<string, string> } }) =>
  (await must(200, 'GET', '/api/innovation/suggestions?per_page=100', school.admin)).items as {
    id: string
    kind: string
    source: string
    status: string
    model: string | null
    patch: object | null
  }[]
const draftsOf = async (school: Parameters<typeof suggestionsOf>[0]) =>
  (await suggestionsOf(school)).filter(({ source }) => source === 'llm')

describe('a run with a model', () => {
  test('stores answers as pending suggestions, and sends its key only there', async () => {
    const { model, asked, keys } = await aServer((question) => ({
      content: JSON.stringify(GOOD[nameOf(question)]),
    }))
    const school = await aPoorSchool()
    const result = await runAgent(db, model, school.viewer, 'content', {})
    assert.deepEqual([result.mode, result.llm_error], ['llm', null])
    const drafts = await draftsOf(school)
    assert.deepEqual(
      drafts
        .map(({ kind, status, model: by, patch }) => ({ kind, status, by, patch }))
        .toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
      [
        { kind: 'draft_description', status: 'pending', by: 'small', patch: GOOD['draft_description'] },
        { kind: 'draft_title', status: 'pending', by: 'small', patch: GOOD['draft_title'] },
      ],
    )
    const channel = await must(200, 'GET', `/api/channels/${school.channel_id}`, school.admin)
    assert.equal(channel.title, 'Untitled')
    assert.deepEqual(new Set(keys), new Set(['Bearer sk-secret']))
    assert.ok(asked.every((question) => question.model === 'small'))

    const title = drafts.find(({ kind }) => kind === 'draft_title')
    await must(200, 'PUT', `/api/innovation/suggestions/${title?.id}`, school.admin, {
      status: 'approved',
      apply: true,
    })
    assert.equal(
      (await must(200, 'GET', `/api/channels/${school.channel_id}`, school.admin)).title,
      'Weaving for beginners',
    )
  })

  test('asks nothing already pending, and nothing with use_model false', async () => {
    const { model, asked } = await aServer((question) => ({
      content: JSON.stringify(GOOD[nameOf(question)]),
    }))
    const school = await aPoorSchool()
    await runAgent(db, model, school.viewer, 'content', {})
    assert.equal(asked.length, 2)
    const { mode } = await runAgent(db, model, school.viewer, 'content', { use_model: false })
    assert.equal(mode, 'heuristic')
    await runAgent(db, model, school.viewer, 'content', {})
    assert.equal(asked.length, 2)
    assert.equal((await draftsOf(school)).length, 2)
  })

  test('falls back from schema to JSON to prose', async () => {
    for (const understood of ['json_object', 'text']) {
      const { model, asked } = await aServer((question) => {
        const format = question.response_format?.type ?? 'text'
        if (format !== understood) return { status: 400, body: '{"error":"unknown response_format"}' }
        const kind = question.messages[1]?.content.startsWith('Propose a title')
          ? 'draft_title'
          : 'draft_description'
        return {
          content: `Here you are {as asked}:\n\`\`\`json\n${JSON.stringify(GOOD[kind])}\n\`\`\` Enjoy!`,
        }
      })
      const school = await aPoorSchool()
      const result = await runAgent(db, model, school.viewer, 'content', {})
      assert.deepEqual([result.mode, result.llm_error], ['llm', null], understood)
      assert.equal((await draftsOf(school)).length, 2)
      assert.ok(asked.length <= 8)
    }
  })

  test('retries a wrong answer once', async () => {
    const { model, asked } = await aServer((question) =>
      question.messages.length === 2
        ? { content: '{"titel":"Weaving"}' }
        : { content: JSON.stringify(GOOD[nameOf(question)]) },
    )
    const school = await aPoorSchool()
    await runAgent(db, model, school.viewer, 'content', {})
    assert.equal((await draftsOf(school)).length, 2)
    assert.equal(asked.length, 4)
    assert.match(asked.find(({ messages }) => messages.length === 4)?.messages[3]?.content ?? '', /required/)
  })

  const wrong: [string, Answer][] = [
    ['prose', { content: 'I would rather talk about the weather.' }],
    ['broken JSON', { content: '{"title": "Weaving' }],
    ['the wrong form', { content: '{"title": 7}' }],
    ['a control character', { content: '{"title": "Weaving\\u0000"}' }],
    ['half a character', { content: '{"title": "Weaving\\ud83d"}' }],
    ['no chat completion', { body: '[]' }],
    ['an error', { status: 500, body: 'sk-secret at 10.0.0.1' }],
    ['an endless body', { endless: true }],
  ]
  for (const [what, answer] of wrong)
    test(`keeps its computed findings when the server answers ${what}`, async () => {
      const { model, asked, port } = await aServer(() => answer)
      const school = await aPoorSchool()
      const result = await runAgent(db, model, school.viewer, 'content', {})
      assert.equal(result.mode, 'heuristic')
      assert.match(result.llm_error ?? '', /^The (model|answer)/)
      assert.ok(!`${result.llm_error} ${model.status().last_error}`.includes('secret'))
      assert.ok(!String(result.llm_error).includes(String(port)))
      assert.deepEqual(
        (await suggestionsOf(school)).map(({ kind, source }) => `${kind} ${source}`).toSorted(),
        ['description_short heuristic', 'episode_without_video heuristic', 'title_placeholder heuristic'],
      )
      assert.ok(asked.length <= 8)
    })

  test('answers within half a minute of a silent server', { timeout: 35_000 }, async () => {
    const { model } = await aServer(() => ({ silent: true }))
    const school = await aPoorSchool()
    const result = await runAgent(db, model, school.viewer, 'content', {})
    assert.equal(result.llm_error, 'The model server did not answer in time')
    assert.ok(result.duration_ms < 30_000)
    assert.equal((await suggestionsOf(school)).length, 3)
  })

  test('skips a server after three failures in a row, and reports it', async () => {
    const { model, asked } = await aServer(() => ({ status: 503 }))
    for (let round = 0; round < 3; round++)
      await runAgent(db, model, (await aPoorSchool()).viewer, 'content', {})
    const before = asked.length
    const result = await runAgent(db, model, (await aPoorSchool()).viewer, 'content', {})
    assert.match(result.llm_error ?? '', /^The model server failed 3 times in a row/)
    assert.equal(asked.length, before)
    assert.ok(model.status().last_error)
  })

  test('makes at most eight calls, four at a time', async () => {
    let [now, most] = [0, 0]
    const { model, asked } = await aServer((question) => {
      most = Math.max(most, ++now)
      setImmediate(() => now--)
      return { content: JSON.stringify(GOOD[nameOf(question)] ?? {}) }
    })
    const school = await aPoorSchool()
    for (let number = 0; number < 10; number++)
      await must(201, 'POST', '/api/channels', school.author, { title: 'Untitled', episodes: [] })
    await runAgent(db, model, school.viewer, 'content', {})
    assert.equal(asked.length, 8)
    assert.ok(most <= 4)
  })

  test('shuffles drafted options, and adds questions only when applied', async () => {
    const options = ['right', 'wrong 1', 'wrong 2', 'wrong 3', 'wrong 4'].map((text) => ({
      text,
      correct: text === 'right',
    }))
    const questions = Array.from({ length: 5 }, (_, number) => ({
      prompt: `Question ${number}`,
      options,
      explanation: 'So it is.',
    }))
    const { model } = await aServer((question) => ({
      content: JSON.stringify(nameOf(question) === 'draft_questions' ? { questions } : {}),
    }))
    const places: number[] = []
    for (let round = 0; round < 4; round++) {
      const school = await aPoorSchool()
      await must(200, 'PUT', `/api/channels/${school.channel_id}`, school.author, {
        episodes: [
          { id: school.episode_id, description: 'How warp and weft are crossed on a loom. '.repeat(10) },
        ],
      })
      await must(200, 'PUT', `/api/episodes/tests/${school.test_id}`, school.author, { status: 'published' })
      await runAgent(db, model, school.viewer, 'content', {})
      const draft = (await draftsOf(school)).find(({ kind }) => kind === 'draft_questions')
      const patch = draft?.patch as { questions: { options: { correct: boolean }[] }[] } | undefined
      const drafted = patch?.questions ?? []
      places.push(...drafted.map((question) => question.options.findIndex(({ correct }) => correct)))
      await must(200, 'PUT', `/api/innovation/suggestions/${draft?.id}`, school.admin, {
        status: 'approved',
        apply: true,
      })
      const { total } = await must(
        200,
        'GET',
        `/api/episodes/tests/${school.test_id}/questions`,
        school.author,
      )
      assert.equal(total, 5)
    }
    assert.ok(new Set(places).size > 1, 'the right answer always stands at the same place')
  })

  test('sends only numbers about learners and fences course text', async () => {
    const { model, asked } = await aServer(() => ({
      content: JSON.stringify({
        message: 'Come back, there is a new episode.',
        summary: 'Half of them stayed away.',
      }),
    }))
    const school = await aPoorSchool()
    await must(201, 'POST', '/api/enroll', school.learner, { channel_id: school.channel_id })
    await db.pool`
      update learning.enrollments
         set enrolled_at = enrolled_at - interval '20 days', last_activity_at = last_activity_at - interval '20 days'
       where tenant_id = ${school.admin.tenant_id}`
    await runAgent(db, model, school.viewer, 'engagement', {})
    await runAgent(db, model, school.viewer, 'content', {})
    assert.ok(asked.length > 2)
    const { email, user_id } = school.learner
    for (const { messages } of asked) {
      const text = JSON.stringify(messages)
      assert.ok(!text.includes(email) && !text.includes(user_id) && !text.includes('@'), text)
      assert.match(
        messages[1]?.content ?? '',
        /=== course text [0-9a-f]{16} ===[^]*=== course text [0-9a-f]{16} ===/,
      )
    }
  })

  test('shows an ADMIN host and model, nobody path, port or key', async () => {
    const { model, port } = await aServer(() => ({ content: '{}' }))
    const status = model.status()
    assert.deepEqual([status.provider_host, status.model], ['127.0.0.1', 'small'])
    assert.ok(!JSON.stringify(status).includes(String(port)) && !JSON.stringify(status).includes('secret'))
  })
})

describe('the first object of an answer', () => {
  const cases: [string, unknown][] = [
    ['{"a":1}', { a: 1 }],
    ['Sure! {"a":{"b":"}{"}} and {"c":2}', { a: { b: '}{' } }],
    ['{not json} {"a":"\\"}"}', { a: '"}' }],
    ['nothing here', undefined],
    ['{"a":1', undefined],
    ['{'.repeat(50_000), undefined],
    [`${'{x} '.repeat(200)}{"a":1}`, { a: 1 }],
  ]
  for (const [text, expected] of cases)
    test(`of ${JSON.stringify(text.slice(0, 40))} is ${JSON.stringify(expected) ?? 'none'}`, () =>
      assert.deepEqual(firstObject(text), expected))
})
