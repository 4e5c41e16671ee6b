import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aUser, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { learning } = await world()

type Episode = {
  id: string
  title: string
  position: number
  status: string
  updated_at: string
  video: { url: string; asset_version: number } | null
}
type Channel = {
  id: string
  version: number
  episodes: Episode[]
  episode_count: number
  duration_seconds: number
}

const create = async ({ headers }: { headers: Headers }, episodes: object[]): Promise<Channel> => {
  const reply = await learning.inject({
    method: 'POST',
    url: '/api/channels',
    headers,
    payload: { title: 'C', episodes },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json()
}
const put = (id: string, { headers }: { headers: Headers }, payload: object, more: Headers = {}) =>
  learning.inject({ method: 'PUT', url: `/api/channels/${id}`, headers: { ...headers, ...more }, payload })
const outline = ({ episodes }: Channel) => episodes.map(({ title, position }) => `${position} ${title}`)
const four = [{ title: 'a' }, { title: 'b' }, { title: 'c' }, { title: 'z' }]

describe('episodes in PUT /api/channels/{id}', () => {
  test('merge: keeps the sent order, adds new ones, leaves others behind', async () => {
    const anna = await aUser()
    const { id, episodes } = await create(anna, four)
    const [a, b, c, z] = episodes.map((episode) => episode.id)
    for (let version = 1; version < 7; version++) await put(id, anna, { title: 'Algebra' })
    const reply = await put(
      id,
      anna,
      {
        title: 'Algebra I',
        episodes: [
          { id: b, title: 'Fractions, revised' },
          { title: 'Ratios', status: 'draft' },
          { id: a },
          { id: z, deleted: true },
        ],
      },
      { 'if-match': '"7"' },
    )
    assert.equal(reply.statusCode, 200, reply.body)
    const channel: Channel & { title: string } = reply.json()
    assert.deepEqual(outline(channel), ['1 Fractions, revised', '2 Ratios', '3 a', '4 c'])
    assert.deepEqual([channel.version, channel.title, channel.episode_count], [8, 'Algebra I', 4])
    const [first, ratios, third, fourth] = channel.episodes
    assert.deepEqual([first?.id, third?.id, fourth?.id], [b, a, c])
    assert.ok(ratios && !episodes.some((episode) => episode.id === ratios.id))
    assert.equal(ratios.status, 'draft')
    // A new position alone does not change updated_at.
    assert.equal(third?.updated_at, episodes[0]?.updated_at)
    assert.notEqual(first?.updated_at, episodes[1]?.updated_at)
  })

  test('stay untouched by a body without episodes or an empty list', async () => {
    const anna = await aUser()
    const before = await create(anna, four)
    for (const payload of [{ title: 'Other' }, { episodes: [] }, { episodes: null }])
      assert.deepEqual(((await put(before.id, anna, payload)).json() as Channel).episodes, before.episodes)
  })

  test('merge field by field, videos included', async () => {
    const anna = await aUser()
    const { id, episodes } = await create(anna, [
      {
        title: 'One',
        description: 'keep',
        video: { url: '/1.mp4', duration_seconds: 10, transcript: 'words' },
      },
    ])
    const [{ id: episode_id }] = episodes as [Episode]
    const change = { id: episode_id.toUpperCase(), season: 2, video: { duration_seconds: 12 } }
    const after = (await put(id, anna, { episodes: [change] })).json()
    const [episode] = after.episodes
    assert.deepEqual(
      [
        episode.id,
        episode.title,
        episode.description,
        episode.season,
        episode.video.url,
        episode.video.asset_version,
        episode.video.has_transcript,
      ],
      [episode_id, 'One', 'keep', 2, '/1.mp4', 2, true],
    )
    assert.equal(after.duration_seconds, 12)
    const untouched = (await put(id, anna, { episodes: [{ id: episode_id, video: null }] })).json()
    assert.deepEqual(untouched.episodes[0].video, episode.video)
  })

  test('answer 400 for foreign, unknown or deleted episodes', async () => {
    const anna = await aUser()
    const before = await create(anna, four)
    const other = await create(anna, four)
    const [first, last] = [before.episodes[0]?.id, before.episodes[3]?.id]
    assert.equal((await put(before.id, anna, { episodes: [{ id: last, deleted: true }] })).statusCode, 200)
    for (const id of [other.episodes[0]?.id, newId(), last]) {
      const reply = await put(before.id, anna, {
        title: 'No',
        episodes: [{ id: first, title: 'No' }, { id }],
      })
      assert.deepEqual(
        [reply.statusCode, reply.json()],
        [400, { detail: 'episodes[1].id is not an episode of this channel' }],
      )
    }
    const reply = await learning.inject({ url: `/api/channels/${before.id}`, headers: anna.headers })
    assert.deepEqual(
      [reply.json().title, reply.json().version, outline(reply.json())],
      ['C', 2, ['1 a', '2 b', '3 c']],
    )
  })

  test('answer 422 for duplicates, missing titles and malformed ids', async () => {
    const anna = await aUser()
    const { id, episodes } = await create(anna, four)
    const [episode] = episodes as [Episode]
    const cases: [object[], string][] = [
      [[{ id: episode.id }, { id: episode.id.toUpperCase() }], 'episodes[1].id: stands twice in the list'],
      [[{ season: 1 }], 'episodes[0].title: is required'],
      [[{ deleted: true }], 'episodes[0].id: is required with deleted'],
      [[{ id: 'x' }], 'episodes[0].id: must be a UUID'],
      [[{ id: episode.id, title: null }], 'episodes[0].title: must be text'],
    ]
    for (const [list, detail] of cases) {
      const reply = await put(id, anna, { episodes: list })
      assert.deepEqual([reply.statusCode, reply.json()], [422, { detail }])
    }
  })

  test('are at most 500 after the merge', async () => {
    const anna = await aUser()
    const { id, episodes } = await create(
      anna,
      Array.from({ length: 500 }, (_, index) => ({ title: `${index}` })),
    )
    const full = await put(id, anna, { episodes: [{ title: 'One too many' }] })
    assert.deepEqual(
      [full.statusCode, full.json()],
      [400, { detail: 'A channel holds at most 500 episodes' }],
    )
    const upsert = await learning.inject({
      method: 'POST',
      url: `/api/episodes/${newId()}/video`,
      headers: anna.headers,
      payload: { url: '/1.mp4', channel_id: id },
    })
    assert.equal(upsert.statusCode, 400)
    const swapped = await put(id, anna, {
      episodes: [{ id: episodes[0]?.id, deleted: true }, { title: 'Instead' }],
    })
    assert.deepEqual(
      [swapped.statusCode, swapped.json().episodes.length, swapped.json().episodes[0].title],
      [200, 500, 'Instead'],
    )
  })

  test('survive 20 concurrent reorders as one permutation', async () => {
    const anna = await aUser()
    const { id, episodes } = await create(anna, four)
    const ids = episodes.map((episode) => episode.id)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const turned = [...ids.slice(index % 4), ...ids.slice(0, index % 4)]
        return put(id, anna, { episodes: [...turned.map((one) => ({ id: one })), { title: `new ${index}` }] })
      }),
    )
    assert.ok(replies.every(({ statusCode }) => statusCode === 200))
    const after = (
      await learning.inject({ url: `/api/channels/${id}`, headers: anna.headers })
    ).json() as Channel
    assert.deepEqual([after.version, after.episodes.length], [21, 24])
    assert.deepEqual(
      after.episodes.map(({ position }) => position),
      Array.from({ length: 24 }, (_, index) => index + 1),
    )
    assert.equal(new Set(after.episodes.map((episode) => episode.id)).size, 24)
  })
})
