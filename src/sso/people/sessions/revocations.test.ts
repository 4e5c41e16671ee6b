import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

type Feed = {
  items: { user_id: string; session_version: number; revoked_at: string }[]
  cursor: string
  has_more: boolean
}

async function ask(headers: Headers, cursor?: string) {
  const { sso } = await world()
  const query = cursor === undefined ? '' : `?cursor=${cursor}`
  return sso.inject({ url: `/api/v1/sessions/revocations${query}`, headers })
}
async function read(headers: Headers, cursor?: string): Promise<Feed> {
  const reply = await ask(headers, cursor)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json()
}
async function endAll(headers: Headers) {
  const { sso } = await world()
  assert.equal((await sso.inject({ method: 'DELETE', url: '/api/v1/sessions', headers })).statusCode, 204)
}
const whose = ({ items }: Feed) => items.map(({ user_id }) => user_id)

describe('GET /api/v1/sessions/revocations', () => {
  test('lists people of the site whose tokens died, with versions', async () => {
    const [site, other] = [await aSite(), await aSite()]
    const [anna, ben, cleo] = [
      await aUser({ at: site }),
      await aUser({ at: site }),
      await aUser({ at: other }),
    ]
    for (const { headers } of [anna, cleo]) await endAll(headers)
    const { items, has_more } = await read(site.headers)
    const [line] = items
    assert.deepEqual(
      [items.length, line?.user_id, line?.session_version, has_more],
      [1, anna.user_id, 2, false],
    )
    assert.match(line?.revoked_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(!whose(await read(other.headers)).includes(ben.user_id))
  })

  test('continues from its cursor and forgets after half an hour', async () => {
    const [site, { db }] = [await aSite(), await world()]
    const [anna, ben] = [await aUser({ at: site }), await aUser({ at: site })]
    await endAll(anna.headers)
    const first = await read(site.headers)
    await endAll(ben.headers)
    assert.ok(whose(await read(site.headers, first.cursor)).includes(ben.user_id))
    await db.pool`
      update sso.session_bumps set revoked_at = revoked_at - interval '30 minutes'
       where user_id = any(${[anna.user_id, ben.user_id]}::uuid[])`
    assert.deepEqual(whose(await read(site.headers)), [])
  })

  test('includes people who left the site with live tokens', async () => {
    const [site, { db }] = [await aSite(), await world()]
    const anna = await aUser({ at: site })
    await db.pool`delete from sso.memberships where user_id = ${anna.user_id} and site_id = ${site.site_id}`
    await db.pool`update sso.users set session_version = session_version + 1 where user_id = ${anna.user_id}`
    assert.deepEqual(whose(await read(site.headers)), [anna.user_id])
  })

  test('misses no transaction that commits late', async () => {
    const [site, { db }] = [await aSite(), await world()]
    const [slow, quick] = [await aUser({ at: site }), await aUser({ at: site })]
    const seen = new Set<string>()
    let cursor: string | undefined
    const walk = async () => {
      const feed = await read(site.headers, cursor)
      for (const user_id of whose(feed)) seen.add(user_id)
      ;({ cursor } = feed)
    }
    await db.pool.begin(async (tx) => {
      await tx`update sso.users set session_version = session_version + 1 where user_id = ${slow.user_id}`
      await endAll(quick.headers)
      for (let i = 0; i < 3; i++) await walk()
      assert.deepEqual([...seen], [quick.user_id])
    })
    await walk()
    assert.deepEqual(seen, new Set([quick.user_id, slow.user_id]))
  })

  test('pages through twelve hundred, each person once', async () => {
    const [site, { db }] = [await aSite(), await world()]
    await db.pool.begin(async (tx) => {
      await tx`
        insert into sso.users (user_id, environment, email, email_fold, registration_source)
        select gen_random_uuid(), 'production', n || ${site.site_code}, n || ${site.site_code}, 'bulk_import'
          from generate_series(1, 1200) n`
      await tx`
        insert into sso.memberships (user_id, site_id, role)
        select user_id, ${site.site_id}, 'USER' from sso.users where email like ${`%${site.site_code}`}`
      await tx`update sso.users set session_version = 2 where email like ${`%${site.site_code}`}`
    })
    const first = await read(site.headers)
    assert.deepEqual([first.items.length, first.has_more], [1_000, true])
    const second = await read(site.headers, first.cursor)
    assert.deepEqual([second.items.length, second.has_more], [200, false])
    assert.equal(new Set([...whose(first), ...whose(second)]).size, 1_200)
  })

  test('restarts for a cursor from the future (restored backup)', async () => {
    const site = await aSite()
    const anna = await aUser({ at: site })
    await endAll(anna.headers)
    assert.deepEqual(whose(await read(site.headers, '9000000000000000000')), [anna.user_id])
  })

  for (const cursor of ['x', '-1', '1.2', '99999999999999999999', '1.00000000-0000-0000-0000-00000000000g.1'])
    test(`refuses the cursor ${cursor} with 422`, async () => {
      assert.equal((await ask((await aSite()).headers, cursor)).statusCode, 422)
    })

  test('needs a site key, not a token', async () => {
    assert.equal((await ask({})).statusCode, 401)
    assert.equal((await ask((await signIn(await aUser())).headers)).statusCode, 401)
  })
})
