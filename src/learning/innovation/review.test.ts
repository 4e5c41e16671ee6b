import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aSchool, call, must, type School, type Who } from '#testing/exams.ts'
import { overtaken } from '#testing/locks.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { InnovationStatus } from './status.ts'
import { Suggestion } from './suggestion.ts'

const { db } = await world()

const LONG = 'What is taught here, for whom it is made, and what one can do afterwards.'

/** A school with exactly one suggestion: to turn its test, published without questions, back into a draft. */
async function aSuggestion() {
  const school = await aSchool({
    channel: {
      title: 'Weaving',
      description: LONG,
      thumbnail_url: '/weaving.jpg',
      episodes: [
        {
          title: 'The loom',
          description: LONG,
          thumbnail_url: '/loom.jpg',
          video: {
            url: 'https://media.example.org/1.mp4',
            duration_seconds: 100,
            transcript: 'Over and under.',
            captions: [{ url: 'https://media.example.org/1.vtt', lang: 'en', label: 'English' }],
          },
        },
      ],
    },
  })
  await must(200, 'POST', '/api/innovation/run/content', school.admin, {})
  const { items } = await must(200, 'GET', '/api/innovation/suggestions', school.admin)
  assert.equal(items.length, 1)
  const suggestion = items[0] as Suggestion
  return { ...school, suggestion, url: `/api/innovation/suggestions/${suggestion.id}` }
}

const testOf = async (school: School) =>
  (await must(200, 'GET', `/api/episodes/${school.episode_id}/tests`, school.author)).items[0]

describe('PUT /api/innovation/suggestions/{id}', () => {
  test('refuses missing tokens, editors, and foreign or unknown ids', async () => {
    const { url, author } = await aSuggestion()
    const stranger = await aSuggestion()
    const body = { status: 'approved' }
    assert.equal((await call('PUT', url, { headers: {} }, body)).status, 401)
    assert.equal((await call('PUT', url, author, body)).status, 403)
    const foreign = await call('PUT', url, stranger.admin, body)
    const unknown = await call('PUT', `/api/innovation/suggestions/${randomUUID()}`, stranger.admin, body)
    assert.deepEqual([foreign.status, foreign.text], [404, unknown.text])
    assert.equal((await call('PUT', '/api/innovation/suggestions/1', stranger.admin, body)).status, 404)
  })

  test('answers 422 for wrong fields and 400 without any', async () => {
    const { url, admin } = await aSuggestion()
    for (const body of [
      { status: 'done' },
      { status: 1 },
      { review_note: 'x'.repeat(2_001) },
      { apply: 'yes' },
    ])
      assert.equal((await call('PUT', url, admin, body)).status, 422, JSON.stringify(body))
    assert.equal((await call('PUT', url, admin, {})).status, 400)
    assert.equal((await call('PUT', url, admin, { note: 'x' })).status, 400)
  })

  test('accepts every allowed transition and refuses every other', async () => {
    const allowed = new Set([
      'pending approved',
      'pending rejected',
      'approved applied',
      'approved rejected',
      'rejected pending',
      'pending pending',
      'approved approved',
      'rejected rejected',
      'applied applied',
    ])
    const { url, admin, suggestion } = await aSuggestion()
    const states = ['pending', 'approved', 'rejected', 'applied', 'expired']
    for (const from of states)
      for (const to of states) {
        await db.pool`
          update learning.suggestions set status = ${from}, patch = null
           where tenant_id = ${admin.tenant_id} and id = ${suggestion.id}`
        const { status, body } = await call('PUT', url, admin, {
          status: to,
          review_note: `${from} to ${to}`,
        })
        assert.equal(status, allowed.has(`${from} ${to}`) ? 200 : 400, `${from} to ${to}: ${body.detail}`)
        if (status === 200) {
          // The evidence has other fields for each kind.
          assertExactly(Suggestion, { ...body, evidence: {} })
          assert.deepEqual(
            [body.status, body.review_note, body.reviewed_by],
            [to, `${from} to ${to}`, admin.user_id],
          )
        }
      }
  })

  test('approved with apply performs the patch once', async () => {
    const school = await aSuggestion()
    const { version } = await must(200, 'GET', `/api/channels/${school.channel_id}`, school.author)
    const body = { status: 'approved', apply: true, review_note: 'Right' }
    assert.equal((await must(200, 'PUT', school.url, school.admin, body)).status, 'applied')
    assert.equal((await testOf(school)).status, 'draft')
    const after = await must(200, 'GET', `/api/channels/${school.channel_id}`, school.author)
    assert.equal(after.version, version + 1)
    assert.equal((await call('PUT', school.url, school.admin, body)).status, 400)
  })

  test('applied on an approved one performs its patch', async () => {
    const school = await aSuggestion()
    await must(200, 'PUT', school.url, school.admin, { status: 'approved' })
    assert.equal((await testOf(school)).status, 'published')
    await must(200, 'PUT', school.url, school.admin, { status: 'applied' })
    assert.equal((await testOf(school)).status, 'draft')
  })

  test('applies once for fifty concurrent requests and tells the others', async () => {
    const school = await aSuggestion()
    const body = { status: 'approved', apply: true }
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => call('PUT', school.url, school.admin, body)),
    )
    assert.deepEqual(
      [200, 400].map((status) => replies.filter((reply) => reply.status === status).length),
      [1, 49],
    )
  })

  test('refuses when the target changed since, and asks to rerun', async () => {
    const school = await aSuggestion()
    await must(200, 'PUT', `/api/episodes/tests/${school.test_id}`, school.author, { title: 'Renamed' })
    const refused = await call('PUT', school.url, school.admin, { status: 'approved', apply: true })
    assert.deepEqual(
      [refused.status, refused.body.detail],
      [400, 'The target has changed since, run the agent again'],
    )
    assert.equal((await testOf(school)).status, 'published')
    await must(200, 'POST', '/api/innovation/run/content', school.admin, {})
    await must(200, 'PUT', school.url, school.admin, { status: 'approved', apply: true })
  })

  test('refuses when the target changes at that moment', async () => {
    const school = await aSuggestion()
    const refused = await overtaken(
      db,
      async (tx) => {
        await tx`
          select from learning.channels where tenant_id = ${school.admin.tenant_id} and id = ${school.channel_id} for update`
        await tx`
          update learning.tests set title = 'Renamed', updated_at = updated_at + interval '1 second'
           where tenant_id = ${school.admin.tenant_id} and id = ${school.test_id}`
      },
      () => call('PUT', school.url, school.admin, { status: 'approved', apply: true }),
    )
    assert.equal(refused.status, 400)
    assert.equal((await testOf(school)).status, 'published')
  })

  test('hides no channel that has got an episode since', async () => {
    const { admin, author, channel_id, episode_id } = await aSuggestion()
    const url = `/api/channels/${channel_id}`
    const episodeIs = (status: string) =>
      must(200, 'PUT', url, author, { episodes: [{ id: episode_id, status }] })
    await episodeIs('draft')
    await must(200, 'POST', '/api/innovation/run/content', admin, {})
    const { items } = await must(
      200,
      'GET',
      '/api/innovation/suggestions?kind=channel_without_episodes',
      admin,
    )
    await episodeIs('published')
    const suggestion = `/api/innovation/suggestions/${items[0].id}`
    const apply = { status: 'approved', apply: true }
    assert.equal((await call('PUT', suggestion, admin, apply)).status, 400)
    assert.equal((await must(200, 'GET', url, author)).status, 'published')
    await episodeIs('draft')
    await must(200, 'PUT', suggestion, admin, apply)
    assert.equal((await must(200, 'GET', url, author)).status, 'draft')
  })

  test('refuses apply without patch, status or permission', async () => {
    const { url, admin, suggestion, ...school } = await aSuggestion()
    const apply = { status: 'approved', apply: true }
    assert.equal((await call('PUT', url, admin, { status: 'rejected', apply: true })).status, 400)
    assert.equal((await call('PUT', url, admin, { apply: true })).status, 400)
    const patchIs = (patch: object | null) => db.pool`
      update learning.suggestions set patch = ${patch && db.pool.json(patch as never)}
       where tenant_id = ${admin.tenant_id} and id = ${suggestion.id}`
    for (const patch of [
      null,
      { max_attempts: 'many' },
      { max_attempts: 101 },
      {},
      { questions: [{ type: 'riddle' }] },
    ]) {
      await patchIs(patch)
      const refused = await call('PUT', url, admin, apply)
      assert.equal(refused.status, 400, `${JSON.stringify(patch)}: ${refused.text}`)
    }
    assert.equal((await testOf({ ...school, admin } as School)).status, 'published')
    await patchIs({ questions: [{ type: 'true_false', prompt: 'Is it so?', correct: true }] })
    await must(200, 'PUT', url, admin, apply)
    assert.equal((await testOf({ ...school, admin } as School)).question_count, 1)
  })

  test('applies to an episode and keeps the outline', async () => {
    const { url, admin, author, channel_id, suggestion, episode_id } = await aSuggestion()
    const before = await must(200, 'PUT', `/api/channels/${channel_id}`, author, {
      episodes: [{ title: 'First' }, { id: episode_id }, { title: 'Last' }],
    })
    await db.pool`
      update learning.suggestions
         set target_type = 'episode', target_id = ${episode_id}, patch = '{"title": "The frame"}',
             target_stamp = learning.target_stamp(tenant_id, 'episode', ${episode_id})
       where tenant_id = ${admin.tenant_id} and id = ${suggestion.id}`
    await must(200, 'PUT', url, admin, { status: 'approved', apply: true })
    const after = await must(200, 'GET', `/api/channels/${channel_id}`, author)
    const outline = (channel: typeof after) =>
      channel.episodes.map(({ id, title }: { id: string; title: string }) => [id, title])
    assert.deepEqual(
      outline(after),
      outline(before).map(([id, title]: [string, string]) => [id, id === episode_id ? 'The frame' : title]),
    )
  })

  test('creates a draft test with questions from a patch', async () => {
    const { url, admin, author, suggestion, episode_id } = await aSuggestion()
    const patch = {
      test: {
        title: 'What a loom is',
        status: 'published',
        questions: [{ type: 'true_false', prompt: 'Is it so?', correct: true }],
      },
    }
    await db.pool`
      update learning.suggestions
         set target_type = 'episode', target_id = ${episode_id}, patch = ${db.pool.json(patch)},
             target_stamp = learning.target_stamp(tenant_id, 'episode', ${episode_id})
       where tenant_id = ${admin.tenant_id} and id = ${suggestion.id}`
    await must(200, 'PUT', url, admin, { status: 'approved', apply: true })
    const { items } = await must(200, 'GET', `/api/episodes/${episode_id}/tests`, author)
    const made = (items as { title: string; status: string; question_count: number }[]).find(
      ({ title }) => title === 'What a loom is',
    )
    assert.deepEqual([made?.status, made?.question_count], ['draft', 1])
  })

  for (const patch of [
    { id: randomUUID(), title: 'Mine' },
    { owner_id: 'somebody', instructor_ids: ['somebody'], tenant_id: 'other', channel_id: randomUUID() },
  ])
    test(`changes nothing but its target: ${Object.keys(patch).join(', ')}`, async () => {
      const { url, admin, author, channel_id, suggestion, episode_id } = await aSuggestion()
      const before = await must(200, 'GET', `/api/channels/${channel_id}`, author)
      await db.pool`
        update learning.suggestions
           set target_type = 'episode', target_id = ${episode_id}, patch = ${db.pool.json(patch)},
               target_stamp = learning.target_stamp(tenant_id, 'episode', ${episode_id})
         where tenant_id = ${admin.tenant_id} and id = ${suggestion.id}`
      await must(200, 'PUT', url, admin, { status: 'approved', apply: true })
      const after = await must(200, 'GET', `/api/channels/${channel_id}`, author)
      assert.deepEqual(
        after.episodes.map(({ id, title }: { id: string; title: string }) => [id, title]),
        [[episode_id, 'title' in patch ? 'Mine' : 'The loom']],
      )
      assert.deepEqual([after.owner_id, after.instructor_ids], [before.owner_id, before.instructor_ids])
    })

  for (const status of ['pending', 'approved'])
    test(`never applies a patch other than the reviewed one while ${status}`, async () => {
      const { url, admin, author, channel_id, episode_id } = await aSuggestion()
      await must(200, 'PUT', url, admin, { status: 'rejected' })
      const video = `/api/episodes/${episode_id}/video`
      const channel = `/api/channels/${channel_id}`
      await must(200, 'PUT', channel, author, { thumbnail_url: null })
      await must(200, 'POST', video, author, { poster_url: '/seen.jpg' })
      const run = () => must(200, 'POST', '/api/innovation/run/content', admin, {})
      await run()
      const open = async () =>
        (await must(200, 'GET', '/api/innovation/suggestions?kind=thumbnail_missing', admin))
          .items as Suggestion[]
      const [seen] = await open()
      const seenUrl = `/api/innovation/suggestions/${seen?.id}`
      if (status === 'approved') await must(200, 'PUT', seenUrl, admin, { status })
      await must(200, 'POST', video, author, { poster_url: '/unseen.jpg' })
      assert.deepEqual(
        [(await run()).created, (await open()).map((one) => one.status)],
        [1, ['pending', 'expired']],
      )
      const refused = await call('PUT', seenUrl, admin, { status: 'approved', apply: true })
      assert.equal(refused.status, 400)
      assert.equal((await must(200, 'GET', channel, author)).thumbnail_url, null)
    })

  test('silences a rejected one for thirty days unless much worse', async () => {
    const { url, admin, channel_id, author } = await aSuggestion()
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { description: 'x'.repeat(30) })
    const run = () => must(200, 'POST', '/api/innovation/run/content', admin, {})
    await run()
    const { items } = await must(200, 'GET', '/api/innovation/suggestions?kind=description_short', admin)
    await must(200, 'PUT', `/api/innovation/suggestions/${items[0].id}`, admin, { status: 'rejected' })
    await must(200, 'PUT', url, admin, { status: 'rejected' })
    assert.equal((await run()).created, 0)
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { description: 'x'.repeat(29) })
    assert.equal((await run()).created, 0)
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { description: 'x'.repeat(28) })
    assert.equal((await run()).created, 1)
    await db.pool`
      update learning.suggestions set reviewed_at = reviewed_at - interval '30 days 1 second'
       where tenant_id = ${admin.tenant_id} and status = 'rejected'`
    assert.equal((await run()).created, 1)
    // The old suggestion cannot be reopened while the new one is open.
    assert.equal((await call('PUT', url, admin, { status: 'pending' })).status, 400)
  })
})

describe('GET /api/innovation/suggestions', () => {
  test('shows ADMINs the tenant, editors their channels, others nothing', async () => {
    const { admin, author, learner } = await aSuggestion()
    const total = async (who: Who) => (await must(200, 'GET', '/api/innovation/suggestions', who)).total
    assert.deepEqual([await total(admin), await total(author), await total(learner)], [1, 1, 0])
    assert.equal((await call('GET', '/api/innovation/suggestions', { headers: {} })).status, 401)
    assert.equal(await total((await aSuggestion()).author), 1)
  })

  test('omits deleted channels and filters by every field', async () => {
    const { admin, channel_id } = await aSuggestion()
    const total = async (query: string) =>
      (await must(200, 'GET', `/api/innovation/suggestions?${query}`, admin)).total
    for (const query of [
      'agent_type=content',
      'status=pending',
      'kind=test_without_questions',
      'severity=critical',
      `channel_id=${channel_id}`,
    ])
      assert.equal(await total(query), 1, query)
    for (const query of [
      'agent_type=engagement',
      'status=expired',
      'kind=other',
      'severity=info',
      `channel_id=${randomUUID()}`,
    ])
      assert.equal(await total(query), 0, query)
    for (const query of ['agent_type=x', 'status=x', 'severity=x', 'channel_id=x', 'page=0', 'per_page=101'])
      assert.equal((await call('GET', `/api/innovation/suggestions?${query}`, admin)).status, 422, query)
    await must(200, 'DELETE', `/api/channels/${channel_id}`, admin)
    assert.equal(await total('page=1'), 0)
  })
})

describe('GET /api/innovation/status', () => {
  test('reports the missing model, permissions and last runs', async () => {
    const begun = new Date().toISOString()
    const { admin, learner } = await aSuggestion()
    assert.equal((await call('GET', '/api/innovation/status', { headers: {} })).status, 401)
    const told = await must(200, 'GET', '/api/innovation/status', admin)
    assertExactly(InnovationStatus, told)
    const { agents, ...rest } = told
    assert.deepEqual(rest, {
      configured: false,
      mode: 'heuristic',
      provider_host: null,
      model: null,
      last_success_at: null,
      last_error: null,
      can_run: true,
      can_review: true,
    })
    assert.equal(agents.content.pending, 1)
    assert.ok(agents.content.last_run_at >= begun)
    assert.deepEqual(agents.engagement, { last_run_at: null, pending: 0 })
    const seen = await must(200, 'GET', '/api/innovation/status', learner)
    assert.deepEqual([seen.can_run, seen.can_review, seen.agents.content.pending], [false, false, 0])
  })
})
