import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, call } from '#testing/collections.ts'
import { type Book, bringIn } from '#testing/imports.ts'
import { aColleague, anAdmin, aUser, type Person, signIn, type TestSite } from '#testing/people.ts'
import { world } from '#testing/world.ts'

/** An import has the rights of its upload token, limited to those its sender has when it runs. */
const { sso } = await world()

const renaming = (key: string): Book => ({
  Collections: [
    ['collection_key', 'name'],
    [key, 'Taken'],
  ],
})

let keys = 0
/** The ADMIN of a site, and a collection of another user of the tenant. */
async function aTenant() {
  const admin = await anAdmin()
  const keeper = await aColleague(admin)
  const id = await aCollection(keeper, { name: 'Kept' })
  const key = `kept-${keys++}`
  assert.equal((await call('PATCH', `/api/collections/${id}`, keeper, { external_key: key })).statusCode, 200)
  const nameNow = async () => (await call('GET', `/api/collections/${id}`, keeper)).json().name as string
  return { admin, key, nameNow }
}

const grant = async (by: Person, user_id: string, role: string) => {
  const url = `/api/v1/users/${user_id}/roles`
  const reply = await sso.inject({ method: 'POST', url, headers: by.headers, payload: { role } })
  assert.equal(reply.statusCode, 201, reply.body)
}

/** Another site of the tenant with its own ADMIN. The first ADMIN is a plain member there. */
async function atOtherSite(admin: Person & { site: TestSite }): Promise<Person> {
  const carl = await aUser()
  await grant(admin, (await signIn(carl, { at: admin.site })).user_id, 'ADMIN')
  const made = await sso.inject({
    method: 'POST',
    url: '/api/v1/sites',
    headers: carl.headers,
    payload: { name: 'Other', environment: 'production', tenant_id: admin.tenant_id },
  })
  assert.equal(made.statusCode, 201, made.body)
  const site = made.json()
  return signIn(admin, { at: { ...site, headers: { 'x-sso-site-key': site.site_key } } })
}

describe('a workbook that changes a collection of somebody else', () => {
  test('succeeds with a token of a site the sender administers', async () => {
    const { admin, key, nameNow } = await aTenant()
    const job = await bringIn(admin, renaming(key))
    assert.deepEqual([job.state, await nameNow()], ['completed', 'Taken'])
  })

  test('fails with a token of a site the sender only belongs to', async () => {
    const { admin, key, nameNow } = await aTenant()
    await bringIn(await atOtherSite(admin), renaming(key))
    assert.equal(await nameNow(), 'Kept')
  })

  test('fails with such a token also as atomic or dry run', async () => {
    const { admin, key, nameNow } = await aTenant()
    const member = await atOtherSite(admin)
    for (const options of [{ dry_run: 'true' }, { mode: 'atomic' }]) {
      const job = await bringIn(member, renaming(key), { options })
      assert.deepEqual([job.counts.collections.updated, await nameNow()], [0, 'Kept'])
    }
  })
})
