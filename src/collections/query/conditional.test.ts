import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aUser, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { collections } = await world()

const read = (url: string, { headers }: { headers: Headers }, more: Headers = {}) =>
  collections.inject({ url, headers: { ...headers, ...more } })

const anna = await aUser()
const museum = await aCollection(anna, { name: 'Museum' })
for (let i = 0; i < 20; i++) await anItem(anna, museum, { name: `Vase ${i}` })

for (const url of [
  '/api/collections',
  `/api/collections/${museum}/items`,
  `/api/collections/${museum}/members`,
  '/api/items?q=vase',
])
  test(`${url.replace(museum, '{id}')} is 304 without a body until something changes`, async () => {
    const first = await read(url, anna)
    const etag = String(first.headers.etag)
    assert.match(etag, /^W\/"[\w-]{43}"$/)
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await read(url, anna, { 'if-none-match': known })
      assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag], known)
    }
    assert.equal((await read(url, anna, { 'if-none-match': '"other"' })).body, first.body)
    await anItem(anna, museum, { name: 'Vase more' })
    await join(anna, museum, await aUser(), 'viewer')
    const after = await read(url, anna, { 'if-none-match': etag })
    assert.equal(after.statusCode, 200)
    assert.notEqual(after.headers.etag, etag)
  })

test('a list is compressed for whom accepts it, with the same tag', async () => {
  const url = `/api/collections/${museum}/items`
  const plain = await read(url, anna)
  const packed = await read(url, anna, { 'accept-encoding': 'gzip' })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.equal(packed.headers.etag, plain.headers.etag)
  assert.equal(gunzipSync(packed.rawPayload).toString(), plain.body)
  assert.ok(packed.rawPayload.length < plain.rawPayload.length / 2)
})

test('a known tag gives nobody an answer who may not read', async () => {
  const url = `/api/collections/${museum}/items`
  const etag = String((await read(url, anna)).headers.etag)
  const known = { 'if-none-match': etag }
  assert.equal((await read(url, await aUser(), known)).statusCode, 404)
  assert.equal((await read(url, { headers: {} }, known)).statusCode, 401)
  const ben = await aUser()
  await join(anna, museum, ben, 'viewer')
  const seen = String((await read(url, ben)).headers.etag)
  await call('DELETE', `/api/collections/${museum}/members/${ben.user_id}`, anna)
  assert.equal((await read(url, ben, { 'if-none-match': seen })).statusCode, 404)
})
