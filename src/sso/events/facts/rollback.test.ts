import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { anAdmin } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await buildWorld()
const { db, sso } = lyceum

describe('a change whose commit fails', () => {
  test('tells no site', async () => {
    const { headers, site } = await anAdmin({ lyceum })
    await db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events, confirmed_at)
      values (${newId()}, ${site.site_id}, 'https://127.0.0.1:1/', '{*}', clock_timestamp())`
    const facts = async () => (await db.pool`select from sso.webhook_facts`).length
    const create = async (name: string) => {
      const payload = { email: `${name}@rollback.example`, role: 'ADMIN' }
      return (await sso.inject({ method: 'POST', url: '/api/v1/users', headers, payload })).statusCode
    }
    const first = await facts()
    assert.equal(await create('anna'), 201)
    const before = await facts()
    assert.equal(before, first + 2)
    // Raised by the commit itself, so after everything that the change wrote.
    await db.pool`
      create function sso.refuse_commit() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`
    await db.pool`
      create constraint trigger refuse_commit after insert on sso.users deferrable initially deferred
        for each row execute function sso.refuse_commit()`
    assert.equal(await create('bert'), 500)
    assert.equal(await facts(), before)
  })
})
