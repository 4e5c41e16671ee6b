import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, aUser, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { Video } from '../media/video.ts'

const { learning } = await world()

type Who = { headers: Headers }
const post = (id: string, { headers }: Who, payload: object) =>
  learning.inject({ method: 'POST', url: `/api/episodes/${id}/video`, headers, payload })
const get = (id: string, { headers }: Who) => learning.inject({ url: `/api/episodes/${id}/video`, headers })
const aChannel = async ({ headers }: Who, payload: object = {}) => {
  const reply = await learning.inject({
    method: 'POST',
    url: '/api/channels',
    headers,
    payload: { title: 'C', episodes: [{ title: 'One' }], ...payload },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  const channel = reply.json()
  return { id: channel.id as string, episode_id: channel.episodes[0]?.id as string }
}
const channelOf = async (id: string, { headers }: Who) =>
  (await learning.inject({ url: `/api/channels/${id}`, headers })).json()

const full = {
  url: 'https://example.org/a.mp4',
  poster_url: '/a.png',
  duration_seconds: 62.125,
  width: 1920,
  height: 1080,
  size_bytes: Number.MAX_SAFE_INTEGER,
  sha256: 'AB'.repeat(32),
  sources: [{ url: 'https://example.org/a.webm', height: 720 }],
  chapters: [
    { start_seconds: 30, title: ' End ' },
    { start_seconds: 0, title: 'Start' },
  ],
  captions: [{ lang: 'eng', url: '/a.vtt', kind: 'captions', default: true }],
  transcript: 'words',
  completion_threshold: 0.75,
  strict_watch: true,
}

describe('POST /api/episodes/{id}/video', () => {
  test('creates the asset with 201 and every field', async () => {
    const anna = await aUser()
    const { id, episode_id } = await aChannel(anna)
    const reply = await post(episode_id, anna, full)
    assert.equal(reply.statusCode, 201, reply.body)
    const video = reply.json()
    assertExactly(Video, video)
    const { id: asset_id, created_at, updated_at, ...rest } = video
    assert.ok(asset_id && created_at && updated_at)
    assert.deepEqual(rest, {
      ...full,
      episode_id,
      kind: 'file',
      mime_type: 'video/mp4',
      sha256: 'ab'.repeat(32),
      sources: [
        { url: 'https://example.org/a.webm', mime_type: 'video/webm', height: 720, size_bytes: null },
      ],
      chapters: [
        { start_seconds: 0, title: 'Start' },
        { start_seconds: 30, title: 'End' },
      ],
      captions: [{ lang: 'en', label: '', url: '/a.vtt', kind: 'captions', default: true }],
      trackable: true,
      embed_url: null,
      asset_version: 1,
    })
    assert.deepEqual((await get(episode_id, anna)).json(), video)
    const channel = await channelOf(id, anna)
    assert.deepEqual(
      [channel.version, channel.duration_seconds, channel.episodes[0].video.has_captions],
      [2, 62.125, true],
    )
  })

  test('merges with 200, and a new address decides kind and type', async () => {
    const anna = await aUser()
    const { episode_id } = await aChannel(anna)
    const first = (await post(episode_id, anna, full)).json()
    const merged = await post(episode_id, anna, { poster_url: null, strict_watch: null })
    assert.equal(merged.statusCode, 200)
    assert.deepEqual(merged.json(), {
      ...first,
      poster_url: null,
      strict_watch: false,
      updated_at: merged.json().updated_at,
    })
    const moved = (await post(episode_id, anna, { url: 'https://vimeo.com/1' })).json()
    assert.deepEqual(
      [
        moved.id,
        moved.kind,
        moved.mime_type,
        moved.trackable,
        moved.embed_url,
        moved.asset_version,
        moved.transcript,
      ],
      [first.id, 'embed', 'text/html', false, 'https://player.vimeo.com/video/1', 2, 'words'],
    )
    const longer = (await post(episode_id, anna, { duration_seconds: 63 })).json()
    assert.deepEqual([longer.asset_version, longer.kind], [3, 'embed'])
    const told = (await post(episode_id, anna, { kind: 'file', mime_type: 'video/webm' })).json()
    assert.deepEqual(
      [told.asset_version, told.kind, told.mime_type, told.embed_url],
      [3, 'file', 'video/webm', null],
    )
  })

  test('creates an unknown episode last in the named channel', async () => {
    const anna = await aUser()
    const { id } = await aChannel(anna)
    const [second, third] = [newId(), newId()]
    const reply = await post(second, anna, { url: '/1.mp4', channel_id: id, duration_seconds: 5 })
    assert.equal(reply.statusCode, 201, reply.body)
    await post(third.toUpperCase(), anna, { url: '/2.mp4', channel_id: id.toUpperCase(), title: ' Third ' })
    assert.equal(
      (await post(second, anna, { url: '/3.mp4', channel_id: id, title: 'Ignored now' })).statusCode,
      200,
    )
    const { episodes, episode_count, duration_seconds, version } = await channelOf(id, anna)
    assert.deepEqual(
      episodes
        .map((e: { id: string; title: string; position: number }) => [e.id, e.title, e.position])
        .slice(1),
      [
        [second, 'Episode 2', 2],
        [third, 'Third', 3],
      ],
    )
    assert.deepEqual([episode_count, duration_seconds, version], [3, 5, 4])
  })

  test('creates one episode and asset for 50 concurrent callers', async () => {
    const anna = await aUser()
    const { id } = await aChannel(anna)
    const episode_id = newId()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        post(episode_id, anna, { url: `/${index}.mp4`, channel_id: id }),
      ),
    )
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [...Array<number>(49).fill(200), 201],
    )
    assert.equal(new Set(replies.map((reply) => reply.json().id)).size, 1)
    const channel = await channelOf(id, anna)
    assert.deepEqual([channel.episodes.length, channel.version], [2, 51])
  })

  test('gives a new id to one of two concurrent channels', async () => {
    const anna = await aUser()
    const channels = [await aChannel(anna), await aChannel(anna)]
    const episode_id = newId()
    const replies = await Promise.all(
      channels.map(({ id }) => post(episode_id, anna, { url: '/1.mp4', channel_id: id })),
    )
    const statuses = replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    assert.equal(statuses[0], 201)
    assert.ok(statuses[1] === 400 || statuses[1] === 404, replies.map(({ body }) => body).join())
    const counts = await Promise.all(
      channels.map(async ({ id }) => (await channelOf(id, anna)).episodes.length),
    )
    assert.deepEqual(
      counts.toSorted((a, b) => a - b),
      [1, 2],
    )
  })

  test('takes an id that another tenant uses as free, and leaves theirs alone', async () => {
    const [owner, stranger] = [await aUser(), await anAdmin()]
    const { episode_id } = await aChannel(owner)
    await post(episode_id, owner, { url: '/1.mp4' })
    const theirs = await get(episode_id, owner)
    const own = await aChannel(stranger)
    const reply = await post(episode_id, stranger, { url: '/2.mp4', title: 'Mine', channel_id: own.id })
    assert.equal(reply.statusCode, 201, reply.body)
    assert.equal((await get(episode_id, stranger)).json().url, '/2.mp4')
    assert.deepEqual((await get(episode_id, owner)).json(), theirs.json())
  })

  test('answers 404 for invisible, 403 for read-only, 400 for other channels', async () => {
    const admin = await anAdmin()
    const [owner, learner, stranger] = [await aColleague(admin), await aColleague(admin), await aUser()]
    const { id, episode_id } = await aChannel(owner)
    const draft = await aChannel(owner, { status: 'draft' })
    const status = async (episode: string, who: Who, payload: object = {}) =>
      (await post(episode, who, { url: '/1.mp4', ...payload })).statusCode
    assert.equal(await status(episode_id, await nobody()), 401)
    assert.equal(await status(episode_id, learner), 403)
    assert.equal(await status(newId(), learner, { channel_id: id }), 403)
    assert.equal(await status(episode_id, stranger), 404)
    assert.equal(await status(draft.episode_id, learner), 404)
    assert.equal(await status(newId(), owner), 404)
    assert.equal(await status(newId(), owner, { channel_id: newId() }), 404)
    assert.equal(await status(newId(), stranger, { channel_id: id }), 404)
    assert.equal(await status('nonsense', owner), 404)
    assert.equal(await status(episode_id, owner, { channel_id: draft.id }), 400)
    assert.equal((await get(episode_id, owner)).statusCode, 404)
    await learning.inject({
      method: 'PUT',
      url: `/api/channels/${id}`,
      headers: owner.headers,
      payload: { episodes: [{ id: episode_id, deleted: true }] },
    })
    assert.equal(await status(episode_id, owner), 404)
    assert.equal(await status(episode_id, owner, { channel_id: id }), 404)
  })

  const wrong: [string, object, string][] = [
    ['no url at the first time', { url: undefined }, 'url: is required'],
    ['a url that is null', { url: null }, 'url: must be text'],
    [
      'a data url',
      { url: 'data:text/html,x' },
      'url: must be an http or https address or a path that begins with one slash',
    ],
    [
      'a url with a line feed',
      { url: 'https://example.org/\n' },
      'url: must be an http or https address or a path that begins with one slash',
    ],
    ['a duration of 0', { duration_seconds: 0 }, 'duration_seconds: must be more than 0'],
    [
      'a duration with 4 decimals',
      { duration_seconds: 1.2345 },
      'duration_seconds: must have at most 3 decimals',
    ],
    ['a duration over a day', { duration_seconds: 86_401 }, 'duration_seconds: must be at most 86400'],
    ['a hash that is none', { sha256: 'xyz' }, 'sha256: does not have the right form'],
    [
      '11 sources',
      { sources: Array.from({ length: 11 }, () => ({ url: '/a.mp4' })) },
      'sources: must have at most 10 entries',
    ],
    [
      'two default captions',
      {
        captions: [
          { lang: 'en', url: '/a.vtt', default: true },
          { lang: 'de', url: '/b.vtt', default: true },
        ],
      },
      'captions: may have one default at most',
    ],
    [
      'captions that are no .vtt',
      { captions: [{ lang: 'en', url: '/a.srt' }] },
      'captions: must name .vtt files',
    ],
    [
      'a blank chapter title',
      { chapters: [{ start_seconds: 0, title: ' ' }] },
      'chapters: must not be blank',
    ],
    ['a malformed channel_id', { channel_id: 'x' }, 'channel_id: must be a UUID'],
  ]
  for (const [name, payload, detail] of wrong)
    test(`refuses ${name}`, async () => {
      const anna = await aUser()
      const { id, episode_id } = await aChannel(anna)
      const reply = await post(episode_id, anna, { url: '/a.mp4', ...payload })
      assert.deepEqual([reply.statusCode, reply.json()], [422, { detail }])
      assert.equal((await channelOf(id, anna)).version, 1)
    })

  test('accepts a transcript of 200,000 four-byte characters', async () => {
    const anna = await aUser()
    const { episode_id } = await aChannel(anna)
    const transcript = '𝄞'.repeat(200_000)
    assert.equal((await post(episode_id, anna, { url: '/a.mp4', transcript })).json().transcript, transcript)
  })
})

describe('GET /api/episodes/{id}/video', () => {
  test('shows learners released assets, editors also those of drafts', async () => {
    const admin = await anAdmin()
    const [owner, learner] = [await aColleague(admin), await aColleague(admin)]
    const payload = {
      episodes: [
        { title: 'Draft', status: 'draft', video: { url: '/1.mp4' } },
        { title: 'Later', release_at: '2999-01-01T00:00:00Z', video: { url: '/2.mp4' } },
        { title: 'Out', video: { url: '/3.mp4' } },
      ],
    }
    const { id } = await aChannel(owner, payload)
    const { episodes } = await channelOf(id, owner)
    const statuses = (who: Who) =>
      Promise.all(episodes.map(async (e: { id: string }) => (await get(e.id, who)).statusCode))
    assert.deepEqual(await statuses(learner), [404, 404, 200])
    assert.deepEqual(await statuses(owner), [200, 200, 200])
    assert.deepEqual(await statuses(await aUser()), [404, 404, 404])
    assert.deepEqual(await statuses(await nobody()), [401, 401, 401])
  })

  test('answers 404 for an episode without asset', async () => {
    const anna = await aUser()
    const { episode_id } = await aChannel(anna)
    const reply = await get(episode_id, anna)
    assert.deepEqual([reply.statusCode, reply.json()], [404, { detail: 'Not found' }])
  })
})
