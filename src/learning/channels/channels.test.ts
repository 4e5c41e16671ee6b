import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, aUser, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { Channel, DeletedChannel } from './channel.ts'

const { learning, db } = await world()

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const call = (method: Method, url: string, who: { headers: Headers }, payload?: object, more: Headers = {}) =>
  learning.inject({ method, url, headers: { ...who.headers, ...more }, ...(payload && { payload }) })

const create = async (who: { headers: Headers }, payload: object = {}) => {
  const reply = await call('POST', '/api/channels', who, { title: 'Algebra', ...payload })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json()
}

describe('POST /api/channels', () => {
  test('creates a channel with the documented defaults, owned by the caller', async () => {
    const anna = await aUser()
    const reply = await call('POST', '/api/channels', anna, { title: '  Algebra ' })
    assert.equal(reply.statusCode, 201)
    const channel = reply.json()
    assert.equal(reply.headers.location, `/api/channels/${channel.id}`)
    assertExactly(Channel, channel)
    const { id, created_at, updated_at, published_at, ...rest } = channel
    assert.ok(id && created_at && updated_at && published_at)
    assert.deepEqual(rest, {
      title: 'Algebra',
      description: '',
      language: 'en',
      category: null,
      level: 'all',
      tags: [],
      thumbnail_url: null,
      status: 'published',
      enrollment: 'open',
      visibility: 'public',
      sequential: false,
      completion_threshold: 0.9,
      passing_percent: 60,
      grade_weights: null,
      instructor_ids: [],
      owner_id: anna.user_id,
      external_id: null,
      version: 1,
      episode_count: 0,
      duration_seconds: 0,
      enrollment_count: 0,
      episodes: [],
      my: { enrolled: false, progress_percent: 0, next_episode_id: null, can_edit: true, can_delete: false },
    })
  })

  test('creates episodes with videos in order, ignoring sent ids', async () => {
    const channel = await create(await aUser(), {
      episodes: [
        {
          id: newId(),
          deleted: true,
          title: 'One',
          video: { url: 'https://example.org/1.mp4', duration_seconds: 60.5 },
        },
        {
          title: 'Two',
          status: 'draft',
          authors: ['Ada', 'Ada', 'Eve'],
          language: 'heb',
          recorded_on: '2018-05-09',
        },
      ],
    })
    assertExactly(Channel, channel)
    const [one, two] = channel.episodes
    assert.deepEqual([one.title, one.position, two.title, two.position], ['One', 1, 'Two', 2])
    assert.deepEqual(one.video, {
      url: 'https://example.org/1.mp4',
      kind: 'file',
      mime_type: 'video/mp4',
      duration_seconds: 60.5,
      poster_url: null,
      trackable: true,
      has_captions: false,
      has_transcript: false,
      asset_version: 1,
    })
    assert.deepEqual(
      [two.authors, two.language, two.recorded_on, two.video],
      [['Ada', 'Eve'], 'he', '2018-05-09', null],
    )
    assert.deepEqual([channel.episode_count, channel.duration_seconds], [2, 60.5])
  })

  test('creates and reads 81 episodes with videos in two requests', async () => {
    const anna = await aUser()
    const episodes = Array.from({ length: 81 }, (_, index) => ({
      title: `Talk ${index}`,
      video: { url: `https://youtu.be/v${index}`, duration_seconds: 100 },
    }))
    const { id } = await create(anna, { episodes })
    const channel = (await call('GET', `/api/channels/${id}`, anna)).json()
    assert.deepEqual(
      channel.episodes.map(({ title }: { title: string }) => title),
      episodes.map(({ title }) => title),
    )
    assert.equal(channel.duration_seconds, 8100)
  })

  test('creates nothing when one episode is invalid, and names it', async () => {
    const anna = await aUser()
    const reply = await call('POST', '/api/channels', anna, {
      title: 'Half',
      episodes: [
        { title: 'Good' },
        { title: ' ' },
        { title: 'Video', video: { url: 'javascript:alert(1)' } },
        { title: 'None', video: {} },
      ],
    })
    assert.equal(reply.statusCode, 422)
    assert.equal(
      reply.json().detail,
      'episodes[1].title: must not be blank; episodes[2].video.url: must be an http or https address or a path that begins with one slash',
    )
    const noUrl = await call('POST', '/api/channels', anna, {
      title: 'Half',
      episodes: [{ title: 'None', video: {} }],
    })
    assert.deepEqual(
      [noUrl.statusCode, noUrl.json()],
      [422, { detail: 'episodes[0].video.url: is required' }],
    )
    assert.equal((await call('GET', '/api/channels?mine=1', anna)).json().total, 0)
  })

  const wrong: [string, object, number][] = [
    ['no title', { title: undefined }, 422],
    ['a title that is null', { title: null }, 422],
    ['a title of white space', { title: ' \t ' }, 422],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, 422],
    ['a title that is a number', { title: 5 }, 422],
    ['a description of 10,001 characters', { description: 'x'.repeat(10_001) }, 422],
    ['a language that is none', { language: 'not a language' }, 422],
    ['a level that does not exist', { level: 'expert' }, 422],
    ['21 tags', { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, 422],
    ['a flag as text', { sequential: 'true' }, 422],
    ['a threshold with 4 decimals', { completion_threshold: 0.9001 }, 422],
    ['a threshold under a half', { completion_threshold: 0.499 }, 422],
    ['a percent above 100', { passing_percent: 100.5 }, 422],
    ['weights that are both 0', { grade_weights: { homework: 0, tests: 0 } }, 422],
    ['a link with user info', { thumbnail_url: 'https://me:secret@example.org/a.png' }, 422],
    ['a link to another host by two slashes', { thumbnail_url: '//example.org/a.png' }, 422],
    ['a link to another host by a backslash', { thumbnail_url: '/\\example.org/a.png' }, 422],
    ['a release time without offset', { episodes: [{ title: 'a', release_at: '2026-01-01T00:00:00' }] }, 422],
    ['a day that does not exist', { episodes: [{ title: 'a', recorded_on: '2026-02-30' }] }, 422],
    ['501 episodes', { episodes: Array.from({ length: 501 }, () => ({ title: 'a' })) }, 422],
    ['U+0000', { title: 'a\u0000b' }, 422],
  ]
  for (const [name, payload, status] of wrong)
    test(`refuses ${name}`, async () => {
      const reply = await call('POST', '/api/channels', await aUser(), { title: 'Algebra', ...payload })
      assert.equal(reply.statusCode, status, reply.body)
      assert.deepEqual(Object.keys(reply.json()), ['detail'])
    })

  test('refuses times and days the database cannot store', async () => {
    const anna = await aUser()
    for (const episode of [
      { release_at: '2026-01-01T00:00:00+23:59' },
      { release_at: `2026-01-01T00:00:00.${'1'.repeat(200)}Z` },
      { release_at: '9999-12-31T23:59:59.9999Z' },
      { recorded_on: '0000-01-01' },
    ]) {
      const payload = { title: 'C', episodes: [{ title: 'a', ...episode }] }
      const reply = await call('POST', '/api/channels', anna, payload)
      assert.equal(reply.statusCode, 422, JSON.stringify(episode))
    }
  })

  test('reports at most ten faults, each with its place', async () => {
    const episodes = Array.from({ length: 20 }, () => ({ title: 'a', thumbnail_url: 'ftp://x' }))
    const { detail } = (await call('POST', '/api/channels', await aUser(), { title: 'a', episodes })).json()
    assert.equal(detail.split('; ').length, 10)
    assert.match(detail, /^episodes\[0\]\.thumbnail_url: /)
  })

  test('takes null as default and ignores unknown fields', async () => {
    const channel = await create(await aUser(), {
      description: null,
      language: null,
      level: null,
      tags: null,
      status: null,
      episodes: null,
      version: 77,
      tenant_id: 'other',
      id: newId(),
      is_admin: true,
    })
    assert.deepEqual(
      [channel.description, channel.language, channel.level, channel.version],
      ['', 'en', 'all', 1],
    )
  })

  test('makes language tags canonical and drops repeated tags', async () => {
    const channel = await create(await aUser(), { language: 'eng', tags: ['a', ' b ', 'a'] })
    assert.deepEqual([channel.language, channel.tags], ['en', ['a', 'b']])
  })

  test('copies a channel that was read, without its people', async () => {
    const admin = await anAdmin()
    const [anna, ben] = [await aColleague(admin), await aColleague(admin)]
    const original = await create(anna, {
      instructor_ids: ['somebody'],
      episodes: [{ title: 'One', video: { url: '/files/1.webm', duration_seconds: 3 } }],
    })
    const reply = await call('POST', '/api/channels', ben, original)
    assert.equal(reply.statusCode, 201, reply.body)
    const copy = reply.json()
    assert.notEqual(copy.id, original.id)
    assert.deepEqual([copy.owner_id, copy.instructor_ids, copy.external_id], [ben.user_id, [], null])
    assert.notEqual(copy.episodes[0].id, original.episodes[0].id)
    assert.deepEqual(copy.episodes[0].video, original.episodes[0].video)
  })

  test('answers a repeated external_id with the existing channel', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const first = await create(anna, { external_id: 'urn:x', title: 'First' })
    const again = await call('POST', '/api/channels', anna, { external_id: 'urn:x', title: 'Second' })
    assert.deepEqual([again.statusCode, again.json().id, again.json().title], [200, first.id, 'First'])
    assert.notEqual((await create(ben, { external_id: 'urn:x' })).id, first.id)
  })

  test('creates one channel for 50 concurrent requests with one external_id', async () => {
    const anna = await aUser()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        call('POST', '/api/channels', anna, { title: 'Race', external_id: 'race' }),
      ),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.equal(new Set(replies.map((reply) => reply.json().id)).size, 1)
    assert.equal((await call('GET', '/api/channels?mine=1', anna)).json().total, 1)
  })

  test('refuses a caller without token', async () => {
    const reply = await call('POST', '/api/channels', await nobody(), { title: 'x' })
    assert.deepEqual([reply.statusCode, reply.headers['www-authenticate']], [401, 'Bearer'])
  })

  test('refuses invalid JSON and __proto__', async () => {
    const { headers } = await aUser()
    for (const payload of ['{', '{"title":"a","__proto__":{}}']) {
      const reply = await learning.inject({
        method: 'POST',
        url: '/api/channels',
        headers: { ...headers, 'content-type': 'application/json' },
        payload,
      })
      assert.equal(reply.statusCode, 400)
    }
  })
})

describe('GET /api/channels/{id}', () => {
  test('shows learners published and released episodes with matching counts', async () => {
    const admin = await anAdmin()
    const [author, learner] = [await aColleague(admin), await aColleague(admin)]
    const { id } = await create(author, {
      episodes: [
        { title: 'Out', video: { url: '/1.mp4', duration_seconds: 10 } },
        { title: 'Draft', status: 'draft', video: { url: '/2.mp4', duration_seconds: 20 } },
        {
          title: 'Later',
          release_at: '2999-01-01T00:00:00+01:00',
          video: { url: '/3.mp4', duration_seconds: 30 },
        },
        {
          title: 'Before',
          release_at: '2001-01-01T00:00:00Z',
          video: { url: '/4.mp4', duration_seconds: 40 },
        },
      ],
    })
    const seen = (await call('GET', `/api/channels/${id}`, learner)).json()
    assertExactly(Channel, seen)
    assert.deepEqual(
      seen.episodes.map((e: { title: string; position: number }) => [e.title, e.position]),
      [
        ['Out', 1],
        ['Before', 4],
      ],
    )
    assert.deepEqual(
      [seen.episode_count, seen.duration_seconds, seen.my.can_edit, seen.my.can_delete],
      [2, 50, false, false],
    )
    const all = (await call('GET', `/api/channels/${id}`, admin)).json()
    assert.deepEqual(
      [all.episode_count, all.duration_seconds, all.my.can_edit, all.my.can_delete],
      [4, 100, true, true],
    )
    assert.equal(all.episodes[2].release_at, '2998-12-31T23:00:00.000Z')
  })

  test('hides drafts, private channels and other tenants like unknown ids', async () => {
    const admin = await anAdmin()
    const [author, learner, stranger] = [await aColleague(admin), await aColleague(admin), await aUser()]
    const draft = await create(author, { status: 'draft' })
    const closed = await create(author, { visibility: 'private' })
    const shown = await create(author)
    const unknown = await call('GET', `/api/channels/${newId()}`, learner)
    const answers = [
      await call('GET', `/api/channels/${draft.id}`, learner),
      await call('GET', `/api/channels/${closed.id}`, learner),
      await call('GET', `/api/channels/${shown.id}`, stranger),
      await call('GET', '/api/channels/not-an-id', learner),
    ]
    for (const { statusCode, body } of [unknown, ...answers])
      assert.deepEqual([statusCode, body], [404, '{"detail":"Not found"}'])
    for (const { id } of [draft, closed]) {
      assert.equal((await call('GET', `/api/channels/${id}`, author)).statusCode, 200)
      assert.equal((await call('GET', `/api/channels/${id}`, admin)).statusCode, 200)
    }
  })

  test('accepts an id in capital letters', async () => {
    const anna = await aUser()
    const { id } = await create(anna)
    assert.equal((await call('GET', `/api/channels/${id.toUpperCase()}`, anna)).json().id, id)
  })

  test('refuses a caller without token, and forbids caching', async () => {
    const anna = await aUser()
    const { id } = await create(anna)
    assert.equal((await call('GET', `/api/channels/${id}`, await nobody())).statusCode, 401)
    assert.equal((await call('GET', `/api/channels/${id}`, anna)).headers['cache-control'], 'no-store')
  })
})

describe('PUT /api/channels/{id}', () => {
  test('changes what is sent and nothing else', async () => {
    const anna = await aUser()
    const before = await create(anna, { description: 'old', tags: ['x'], episodes: [{ title: 'One' }] })
    const reply = await call('PUT', `/api/channels/${before.id}`, anna, { description: 'new', tags: null })
    assert.equal(reply.statusCode, 200, reply.body)
    const after = reply.json()
    assertExactly(Channel, after)
    assert.deepEqual(after, {
      ...before,
      description: 'new',
      tags: [],
      version: 2,
      updated_at: after.updated_at,
    })
    assert.deepEqual(after, (await call('GET', `/api/channels/${before.id}`, anna)).json())
  })

  test('accepts a channel as it was read', async () => {
    const anna = await aUser()
    const before = await create(anna, {
      instructor_ids: ['x'],
      grade_weights: { homework: 60, tests: 40 },
      episodes: [{ title: 'One', video: { url: '/1.mp4' } }, { title: 'Two' }],
    })
    const reply = await call('PUT', `/api/channels/${before.id}`, anna, before)
    assert.equal(reply.statusCode, 200, reply.body)
    const after = reply.json()
    assert.equal(after.version, 2)
    assert.deepEqual(after.grade_weights, { homework: 60, tests: 40 })
    assert.deepEqual(
      after.episodes.map((e: { id: string; video: unknown }) => [e.id, e.video]),
      before.episodes.map((e: { id: string; video: unknown }) => [e.id, e.video]),
    )
  })

  test('accepts the current version in If-Match and refuses any other', async () => {
    const anna = await aUser()
    const { id } = await create(anna)
    const stale = await call('PUT', `/api/channels/${id}`, anna, { title: 'B' }, { 'if-match': '"2"' })
    assert.deepEqual([stale.statusCode, stale.json()], [400, { detail: 'Channel changed, reload' }])
    const odd = await call('PUT', `/api/channels/${id}`, anna, { title: 'B' }, { 'if-match': 'x' })
    assert.deepEqual([odd.statusCode, odd.json()], [400, { detail: 'Channel changed, reload' }])
    const good = await call('PUT', `/api/channels/${id}`, anna, { title: 'B' }, { 'if-match': '"1"' })
    assert.deepEqual([good.statusCode, good.json().version], [200, 2])
  })

  test('accepts one of 50 callers with the same If-Match', async () => {
    const anna = await aUser()
    const { id } = await create(anna)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        call('PUT', `/api/channels/${id}`, anna, { title: `Title ${index}` }, { 'if-match': '"1"' }),
      ),
    )
    const won = replies.filter(({ statusCode }) => statusCode === 200)
    assert.equal(won.length, 1)
    assert.ok(replies.every(({ statusCode }) => statusCode === 200 || statusCode === 400))
    const now = (await call('GET', `/api/channels/${id}`, anna)).json()
    assert.deepEqual([now.version, now.title], [2, won[0]?.json().title])
  })

  test('refuses a body without a writable field', async () => {
    const anna = await aUser()
    const { id } = await create(anna)
    for (const payload of [{}, { version: 5, created_at: 'x', unknown: true }]) {
      const reply = await call('PUT', `/api/channels/${id}`, anna, payload)
      assert.equal(reply.statusCode, 400)
    }
    assert.equal((await call('GET', `/api/channels/${id}`, anna)).json().version, 1)
  })

  test('answers 403 to viewers, 404 to others, and changes nothing', async () => {
    const admin = await anAdmin()
    const [owner, instructor, learner] = [
      await aColleague(admin),
      await aColleague(admin),
      await aColleague(admin),
    ]
    const before = await create(owner, { instructor_ids: [instructor.user_id] })
    const put = (who: { headers: Headers }) =>
      call('PUT', `/api/channels/${before.id}`, who, { title: 'Taken' })
    assert.deepEqual(
      [
        (await put(await nobody())).statusCode,
        (await put(learner)).statusCode,
        (await put(await aUser())).statusCode,
      ],
      [401, 403, 404],
    )
    assert.deepEqual((await call('GET', `/api/channels/${before.id}`, owner)).json(), before)
    assert.equal((await put(instructor)).statusCode, 200)
    assert.equal((await put(admin)).statusCode, 200)
  })

  test('restricts owner changes to ADMINs, instructor changes to owner and ADMINs', async () => {
    const admin = await anAdmin()
    const [owner, instructor] = [await aColleague(admin), await aColleague(admin)]
    const { id, version } = await create(owner, { instructor_ids: [instructor.user_id] })
    const put = async (who: { headers: Headers }, payload: object) =>
      (await call('PUT', `/api/channels/${id}`, who, payload)).statusCode
    assert.equal(await put(owner, { owner_id: instructor.user_id }), 403)
    assert.equal(await put(instructor, { instructor_ids: [] }), 403)
    assert.equal((await call('GET', `/api/channels/${id}`, owner)).json().version, version)
    assert.equal(
      await put(instructor, { owner_id: owner.user_id, instructor_ids: [instructor.user_id] }),
      200,
    )
    assert.equal(await put(owner, { instructor_ids: [] }), 200)
    assert.equal(await put(instructor, { title: 'Not mine any more' }), 403)
    assert.equal(await put(admin, { owner_id: instructor.user_id }), 200)
    assert.equal(await put(owner, { title: 'Not mine any more' }), 403)
    assert.equal(await put(instructor, { title: 'Mine' }), 200)
  })

  test('refuses an owner_id and external_id too long to index', async () => {
    const admin = await anAdmin()
    // Random text, so that PostgreSQL cannot compress it.
    const wide = (length: number) =>
      Array.from({ length }, () => String.fromCodePoint(0x10000 + Math.floor(Math.random() * 0xf0000))).join(
        '',
      )
    const { id } = await create(admin, { external_id: wide(500) })
    const reply = await call('PUT', `/api/channels/${id}`, admin, { owner_id: wide(200) })
    assert.equal(reply.statusCode, 422, reply.body)
    assert.equal((await call('GET', `/api/channels/${id}`, admin)).json().owner_id, admin.user_id)
  })

  test('sets published_at at the first publication only', async () => {
    const anna = await aUser()
    const draft = await create(anna, { status: 'draft' })
    assert.equal(draft.published_at, null)
    const put = async (status: string) =>
      (await call('PUT', `/api/channels/${draft.id}`, anna, { status })).json()
    const { published_at } = await put('published')
    assert.ok(published_at)
    await put('archived')
    assert.equal((await put('published')).published_at, published_at)
  })
})

describe('DELETE /api/channels/{id}', () => {
  test('keeps the rows, and everything of the channel answers 404', async () => {
    const admin = await anAdmin()
    const owner = await aColleague(admin)
    const { id, episodes } = await create(owner, { episodes: [{ title: 'One', video: { url: '/1.mp4' } }] })
    const [{ id: episode_id }] = episodes
    assert.equal((await learning.inject(`/api/device/feed/${id}`)).statusCode, 200)
    const reply = await call('DELETE', `/api/channels/${id}`, admin)
    assert.equal(reply.statusCode, 200)
    assertExactly(DeletedChannel, reply.json())
    assert.deepEqual([reply.json().id, reply.json().deleted], [id, true])
    for (const who of [owner, admin]) {
      assert.equal((await call('GET', `/api/channels/${id}`, who)).statusCode, 404)
      assert.equal((await call('PUT', `/api/channels/${id}`, who, { title: 'x' })).statusCode, 404)
      assert.equal((await call('GET', `/api/episodes/${episode_id}/video`, who)).statusCode, 404)
      assert.equal(
        (await call('POST', `/api/episodes/${episode_id}/video`, who, { url: '/2.mp4' })).statusCode,
        404,
      )
      const revived = await call('POST', `/api/episodes/${newId()}/video`, who, {
        url: '/2.mp4',
        channel_id: id,
      })
      assert.equal(revived.statusCode, 404)
      const list = (await call('GET', '/api/channels', who)).json()
      assert.deepEqual([list.total, list.items], [0, []])
    }
    assert.equal((await learning.inject(`/api/device/feed/${id}`)).statusCode, 404)
    assert.equal((await call('DELETE', `/api/channels/${id}`, admin)).statusCode, 404)
    const [rows] = await db.fast<{ channels: number; videos: number }[]>`
      select (select count(*) from learning.channels where tenant_id = ${admin.tenant_id} and id = ${id}) as channels,
             (select count(*) from learning.videos where tenant_id = ${admin.tenant_id} and episode_id = ${episode_id}) as videos`
    assert.deepEqual({ ...rows }, { channels: 1, videos: 1 })
  })

  test('is for ADMINs of the tenant, not for the owner', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const owner = await aColleague(admin)
    const { id } = await create(owner)
    const answers = [await nobody(), owner, stranger].map(async (who) =>
      call('DELETE', `/api/channels/${id}`, who),
    )
    assert.deepEqual(
      (await Promise.all(answers)).map(({ statusCode }) => statusCode),
      [401, 403, 404],
    )
    assert.equal((await call('GET', `/api/channels/${id}`, owner)).statusCode, 200)
  })
})

describe('text', () => {
  const naughty = [
    '<script>alert(1)</script>',
    "'; drop table learning.channels; --",
    '${7*7} {{7*7}}',
    '../../etc/passwd',
    '%00 %s %n',
    'עברית مرحبا',
    '田中さんにあげて下さい',
    '👩‍👩‍👧‍👦 \u202Eabc',
    'Ω≈ç√∫˜µ',
    '\u0001\u001f\u007f',
    '"quoted" \\ \\u0041',
    'cafe\u0301',
    'null',
    'NaN',
    '1e400',
    '\uFEFFbom',
    'x'.repeat(200),
  ]
  for (const text of naughty)
    test(`keeps ${JSON.stringify(text.slice(0, 20))} in every field, up to NFC`, async () => {
      const anna = await aUser()
      const kept = text.normalize('NFC')
      const body = {
        description: text,
        tags: [text.slice(0, 40)],
        category: text.slice(0, 80),
        external_id: text,
      }
      const { id } = await create(anna, {
        ...body,
        title: `a${text.slice(0, 199)}`,
        episodes: [
          { title: `a${text.slice(0, 199)}`, description: text, authors: [`a${text.slice(0, 119)}`] },
        ],
      })
      const read = (await call('GET', `/api/channels/${id}`, anna)).json()
      assert.deepEqual(
        [read.title, read.description, read.episodes[0].title, read.episodes[0].description],
        [`a${kept.slice(0, 199)}`.trim(), kept, `a${kept.slice(0, 199)}`.trim(), kept],
      )
      const query = new URLSearchParams({ q: text.slice(0, 200), tag: 'a', category: text.slice(0, 80) })
      assert.ok((await call('GET', `/api/channels?${query.toString()}`, anna)).statusCode < 500)
    })

  test('accepts a 10,000 character word and long Hebrew texts', async () => {
    const anna = await aUser()
    for (const description of ['x'.repeat(10_000), 'שלום '.repeat(2_000)])
      assert.equal((await create(anna, { description })).description, description)
  })
})
