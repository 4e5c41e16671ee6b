import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, somebody } from '#testing/campus.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

test('a teacher publishes a channel, and a learner finds, subscribes and reads it', async () => {
  const product = await sharedProduct()
  const teacher = await somebody(product, 'ada-teaches@example.org')
  const learner = await somebody(product, 'ben-learns@example.org')
  const { id } = await ask(product, teacher, '/api/channels', {
    title: 'Notes on the Analytical Engine',
    visibility: 'public',
    episodes: [{ title: 'Note G', video: { url: 'https://media.example.org/g.mp4', duration_seconds: 600 } }],
  })
  const found = await ask(product, learner, '/api/channels?search=analytical')
  assert.deepEqual(
    found.items.map((channel: { id: string }) => channel.id),
    [id],
  )
  const channel = await ask(product, learner, `/api/channels/${id}`)
  assert.equal(channel.episodes[0].title, 'Note G')
  const change = { headers: learner.headers, method: 'PUT', body: { title: 'Mine now' } }
  assert.equal((await call(`${product.learning}/api/channels/${id}`, change)).status, 403)

  const feed = await call(`${product.learning}/api/device/feed/${id}`)
  assert.equal(feed.body['title'], 'Notes on the Analytical Engine')
  await ask(product, teacher, `/api/channels/${id}`, { visibility: 'private' }, 'PUT')
  assert.equal(
    (await call(`${product.learning}/api/channels/${id}`, { headers: learner.headers })).status,
    404,
  )
  assert.equal((await call(`${product.learning}/api/device/feed/${id}`)).status, 404)
})
