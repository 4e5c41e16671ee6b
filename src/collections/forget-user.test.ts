import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { forgetUser } from './forget-user.ts'

const { db } = await world()

const get = async (who: { headers: Record<string, string> }, id: string) =>
  (await call('GET', `/api/collections/${id}`, who)).json()

describe('a person who was erased', () => {
  test('disappears everywhere, and the oldest editor inherits as admin', async () => {
    const admin = await anAdmin()
    const [anna, ben, carl] = await Promise.all([aColleague(admin), aColleague(admin), aColleague(admin)])
    const root = await aCollection(anna)
    const child = await aCollection(anna, { parent_id: root })
    await anItem(anna, child)
    await join(anna, root, ben, 'editor')
    await join(anna, root, carl, 'editor')
    await join(anna, child, anna, 'admin')
    await db.pool`
      update collections.members set joined_at = joined_at - interval '1 day' where user_id = ${carl.user_id}`
    await db.pool`
      insert into collections.sessions (token_hash, user_id, tenant_id, sso_session_id, session_version)
      values (sha256(${anna.user_id}::text::bytea), ${anna.user_id}, ${anna.tenant_id}, ${anna.session_id}, 1)`
    await forgetUser(db, anna.user_id)
    await forgetUser(db, anna.user_id)
    const [left] = await db.pool<{ rows: number }[]>`
      select (select count(*) from collections.members where ${anna.user_id} in (user_id, invited_by))
           + (select count(*) from collections.collections where created_by = ${anna.user_id})
           + (select count(*) from collections.items where created_by = ${anna.user_id})
           + (select count(*) from collections.collection_items where added_by = ${anna.user_id})
           + (select count(*) from collections.sessions where user_id = ${anna.user_id}) as rows`
    assert.equal(left?.rows, 0)
    assert.equal((await get(carl, root)).my_role, 'admin')
    assert.equal((await get(ben, root)).my_role, 'editor')
    // The child inherits its admin and needs no direct one.
    assert.equal((await get(carl, child)).member_count, 2)
  })

  test('leaves a collection without editors to site admins', async () => {
    const admin = await anAdmin()
    const [anna, ben] = await Promise.all([aColleague(admin), aColleague(admin)])
    const root = await aCollection(anna)
    await join(anna, root, ben, 'viewer')
    await forgetUser(db, anna.user_id)
    assert.equal((await get(ben, root)).my_role, 'viewer')
    const orphaned = await call('GET', '/api/collections?scope=all&orphaned=true', admin)
    assert.deepEqual(
      orphaned.json().items.map(({ id }: { id: string }) => id),
      [root],
    )
    const given = await call('PATCH', `/api/collections/${root}/members/${ben.user_id}`, admin, {
      role: 'editor',
    })
    assert.equal(given.statusCode, 200, given.body)
    const made = await call('PATCH', `/api/collections/${root}/members/${ben.user_id}`, admin, {
      role: 'admin',
    })
    assert.equal(made.statusCode, 200, made.body)
    assert.deepEqual((await call('GET', '/api/collections?scope=all&orphaned=true', admin)).json().items, [])
  })

  test('finds another admin while the heir is being removed', async () => {
    const admin = await anAdmin()
    const [anna, ben] = await Promise.all([aColleague(admin), aColleague(admin)])
    for (let round = 0; round < 50; round++) {
      const root = await aCollection(anna)
      await join(anna, root, ben, 'editor')
      const [, left] = await Promise.all([
        forgetUser(db, anna.user_id),
        call('POST', `/api/collections/${root}/leave`, ben),
      ])
      const members = await db.pool<{ user_id: string; role: string }[]>`
        select user_id, role from collections.members where collection_id = ${root}`
      if (left.statusCode === 204) assert.deepEqual([...members], [])
      else assert.deepEqual([...members], [{ user_id: ben.user_id, role: 'admin' }])
    }
  })
})
