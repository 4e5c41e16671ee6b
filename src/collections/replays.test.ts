import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

await world()

const KEY = { 'idempotency-key': 'k' }

describe('An answer kept for an Idempotency-Key', () => {
  const POSTS: Record<
    string,
    (of: { ben: Person; carl: Person; box: string; item_id: string }) => [string, object]
  > = {
    'a child that was made': ({ box }) => ['/api/collections', { name: 'Child', parent_id: box }],
    'an item that was added': ({ box }) => [`/api/collections/${box}/items`, { name: 'Vase' }],
    'items that were linked': ({ box, item_id }) => [
      `/api/collections/${box}/items/batch`,
      { item_ids: [item_id] },
    ],
    'a member who was invited': ({ box, carl }) => [
      `/api/collections/${box}/members`,
      { user_id: carl.user_id, role: 'viewer' },
    ],
  }
  for (const [what, postOf] of Object.entries(POSTS))
    test(`about ${what} is withheld from somebody removed since`, async () => {
      const admin = await anAdmin()
      const [anna, ben, carl] = await Promise.all([aColleague(admin), aColleague(admin), aColleague(admin)])
      const box = await aCollection(anna)
      const item_id = await anItem(anna, box)
      await join(anna, box, ben, 'admin')
      const [url, body] = postOf({ ben, carl, box, item_id })
      const first = await call('POST', url, ben, body, KEY)
      assert.ok(first.statusCode < 300, first.body)
      const replayed = await call('POST', url, ben, body, KEY)
      assert.equal(replayed.body, first.body)
      assert.equal(replayed.headers['idempotency-replayed'], 'true')
      assert.equal(
        (await call('DELETE', `/api/collections/${box}/members/${ben.user_id}`, anna)).statusCode,
        204,
      )
      const refused = await call('POST', url, ben, body, KEY)
      assert.equal(refused.statusCode, 404, refused.body)
      assert.equal(refused.headers['idempotency-replayed'], undefined)
      await join(anna, box, ben, 'admin')
      assert.equal((await call('POST', url, ben, body, KEY)).body, first.body)
    })

  test('hides e-mail addresses from somebody no longer admin', async () => {
    const admin = await anAdmin()
    const [anna, ben, carl] = await Promise.all([aColleague(admin), aColleague(admin), aColleague(admin)])
    const box = await aCollection(anna)
    await join(anna, box, ben, 'admin')
    const invite = () =>
      call('POST', `/api/collections/${box}/members`, ben, { user_id: carl.user_id, role: 'viewer' }, KEY)
    assert.equal((await invite()).json().email, carl.email)
    await call('PATCH', `/api/collections/${box}/members/${ben.user_id}`, anna, { role: 'viewer' })
    const refused = await invite()
    assert.equal(refused.statusCode, 403)
    assert.ok(!refused.body.includes(carl.email))
  })
})
