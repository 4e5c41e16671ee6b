import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, must } from '#testing/exams.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { buildWorld, world } from '#testing/world.ts'
import { ChannelPreview } from './preview.ts'

const { learning } = await world()
const preview = (id: string) => learning.inject({ url: `/api/public/channels/${id}` })

describe('GET /api/public/channels/:id', () => {
  test('shows a public channel and the titles of released episodes, and nothing about people', async () => {
    const school = await aSchool({
      channel: {
        title: 'Astronomy',
        description: 'Stars',
        visibility: 'public',
        episodes: [
          {
            title: 'One',
            authors: ['Henrietta Leavitt'],
            description: 'Secret of the episode',
            video: { url: '/secret.mp4', duration_seconds: 61, transcript: 'Secret words' },
          },
          { title: 'Hidden draft', status: 'draft' },
          { title: 'Hidden later', release_at: '2999-01-01T00:00:00Z' },
        ],
      },
    })
    const reply = await preview(school.channel_id)
    assert.equal(reply.statusCode, 200, reply.body)
    assertExactly(ChannelPreview, reply.json())
    const { title, description, episodes } = reply.json()
    assert.deepEqual([title, description], ['Astronomy', 'Stars'])
    assert.deepEqual(episodes, [
      { title: 'One', language: null, season: 1, position: 1, duration_seconds: 61 },
    ])
    const { author, admin } = school
    for (const secret of [
      author.user_id,
      author.email,
      admin.tenant_id,
      'Secret',
      'secret',
      'Hidden',
      'Leavitt',
    ])
      assert.ok(!reply.body.includes(secret), secret)
  })

  test('knows no channel that is not published and public', async () => {
    const { author, admin, channel_id } = await aSchool()
    const url = `/api/channels/${channel_id}`
    for (const change of [
      { visibility: 'tenant' },
      { visibility: 'private' },
      { visibility: 'public', status: 'draft' },
      { status: 'archived' },
    ]) {
      await must(200, 'PUT', url, author, change)
      assert.deepEqual(
        [(await preview(channel_id)).statusCode, (await preview(channel_id)).body],
        [404, '{"detail":"Not found"}'],
      )
    }
    await must(200, 'PUT', url, author, { status: 'published' })
    assert.equal((await preview(channel_id)).statusCode, 200)
    await must(200, 'DELETE', url, admin)
    for (const id of [channel_id, newId(), 'nonsense']) assert.equal((await preview(id)).statusCode, 404)
  })

  test('counts against the limit of the address', async () => {
    const small = await buildWorld({ env: { RATE_LIMIT_DEFAULT: '3' } })
    const ask = () => small.learning.inject({ url: `/api/public/channels/${newId()}` })
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await ask()).statusCode)
    assert.deepEqual(statuses, [404, 404, 404, 429])
  })
})
