import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { createMetrics } from '#foundation/metrics.ts'
import { aColleague, anAdmin, anOperator, aSite, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { createSso } from '../../index.ts'

async function call(method: 'GET' | 'POST' | 'DELETE', path: string, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ method, url: `/api/v1/sites/${path}`, headers })
}
const list = (site_id: string, headers: Headers) => call('GET', `${site_id}/keys`, headers)
const add = (site_id: string, headers: Headers) => call('POST', `${site_id}/keys`, headers)
const remove = (site_id: string, hint: string, headers: Headers) =>
  call('DELETE', `${site_id}/keys/${hint}`, headers)

/** Whether a call with this key is let in: the wrong password is told only after the key was found good. */
async function isGood(site_key: string): Promise<boolean> {
  const { sso } = await world()
  const reply = await sso.inject({
    method: 'POST',
    url: '/api/v1/auth/introspect',
    headers: { 'x-sso-site-key': site_key },
    payload: { token: 'x' },
  })
  return reply.statusCode === 200
}
const hintOf = (site_key: string) => site_key.slice(-4)
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })

describe('the keys of a site', () => {
  test('rotate without a gap: a second, shown once, replaces the first', async () => {
    const { owner, ...site } = await aSite({ environment: 'sandbox' })
    const added = await add(site.site_id, owner.headers)
    assert.equal(added.statusCode, 201)
    const { site_key, hint, last_used_at } = added.json()
    assert.match(site_key, /^sso_test_[0-9A-Za-z]{49}$/)
    assert.deepEqual([hint, last_used_at], [hintOf(site_key), null])
    assert.deepEqual([await isGood(site_key), await isGood(site.site_key)], [true, true])
    const listed = await list(site.site_id, owner.headers)
    assert.deepEqual(
      listed.json().items.map((key: { hint: string }) => key.hint),
      [hintOf(site.site_key), hint],
    )
    assert.deepEqual(Object.keys(listed.json().items[0]).toSorted(), ['created_at', 'hint', 'last_used_at'])
    assert.equal(listed.json().total, 2)
    assert.ok(!listed.body.includes(site_key))
    assert.equal((await remove(site.site_id, hintOf(site.site_key), owner.headers)).statusCode, 204)
    assert.deepEqual([await isGood(site_key), await isGood(site.site_key)], [true, false])
    assert.equal((await remove(site.site_id, hintOf(site.site_key), owner.headers)).statusCode, 404)
  })

  test('are two at most, also under fifty concurrent calls', async () => {
    const { owner, site_id } = await aSite()
    const replies = await Promise.all(Array.from({ length: 50 }, () => add(site_id, owner.headers)))
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
    const refused = replies.filter(({ statusCode }) => statusCode === 409)
    assert.equal(refused.length, 49)
    assert.ok(refused.every((reply) => reply.json().code === 'key_limit'))
    assert.equal((await list(site_id, owner.headers)).json().total, 2)
  })

  test('are one at least, also under fifty concurrent deletions', async () => {
    const { owner, ...site } = await aSite()
    const second = (await add(site.site_id, owner.headers)).json()
    const hints = [hintOf(site.site_key), second.hint]
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => remove(site.site_id, hints[i % 2] ?? '', owner.headers)),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 204).length, 1)
    const left = (await list(site.site_id, owner.headers)).json().items
    assert.equal(left.length, 1)
    const [kept] = [site.site_key, second.site_key].filter((key) => hintOf(key) === left[0].hint)
    assert.equal(await isGood(kept), true)
    const last = await remove(site.site_id, left[0].hint, owner.headers)
    assert.deepEqual([last.statusCode, last.json().code], [409, 'last_key'])
    assert.equal(await isGood(kept), true)
  })

  test('show when they were last used', async () => {
    const { owner, ...site } = await aSite()
    await isGood(site.site_key)
    let used: string | null = null
    for (let i = 0; i < 100 && used === null; i++)
      used = (await list(site.site_id, owner.headers)).json().items[0].last_used_at
    assert.match(used ?? '', /^\d{4}-/)
  })

  test('are refused once another process deleted them', async () => {
    const [{ owner, ...site }, { parts, passwords }] = [await aSite(), await world()]
    const node = await createSso({ ...parts, metrics: createMetrics() }, { passwords })
    try {
      const ask = () =>
        node.app.inject({
          method: 'POST',
          url: '/api/v1/auth/introspect',
          headers: site.headers,
          payload: { token: 'x' },
        })
      assert.equal((await ask()).statusCode, 200)
      await add(site.site_id, owner.headers)
      const underWay = Array.from({ length: 20 }, ask)
      const gone = await remove(site.site_id, hintOf(site.site_key), owner.headers)
      assert.equal(gone.statusCode, 204)
      assert.equal((await ask()).statusCode, 401)
      for (const reply of await Promise.all(underWay)) assert.ok([200, 401].includes(reply.statusCode))
    } finally {
      await node.close()
    }
  })

  test('are audited by hint, never in full', async () => {
    const [{ owner, site_id }, { db }] = [await aSite(), await world()]
    const { site_key, hint } = (await add(site_id, owner.headers)).json()
    await remove(site_id, hint, owner.headers)
    const lines = await db.fast<{ action: string; details: { hint: string } }[]>`
      select action, details from sso.audit_log where site_id = ${site_id} and action like 'site_key.%' order by audit_id`
    assert.deepEqual(
      lines.map(({ action, details }) => [action, details.hint]),
      [
        ['site_key.created', hint],
        ['site_key.deleted', hint],
      ],
    )
    assert.ok(!JSON.stringify(lines).includes(site_key))
  })

  for (const [name, act] of [
    ['list', list],
    ['make', add],
    ['delete', (site_id: string, headers: Headers) => remove(site_id, 'abcd', headers)],
  ] as const)
    test(`only the ADMIN can ${name}: 401, 403, 404 otherwise`, async () => {
      const [admin, stranger] = [await anAdmin(), await anAdmin()]
      const member = await aColleague(admin)
      const { site_id } = admin.site
      assert.equal((await act(site_id, {})).statusCode, 401)
      assert.equal((await act(site_id, admin.site.headers)).statusCode, 401, 'a key does not make keys')
      assert.equal((await act(site_id, member.headers)).statusCode, 403)
      const foreign = await act(site_id, stranger.headers)
      assert.equal(foreign.statusCode, 404)
      for (const id of [randomUUID(), 'x'])
        assert.deepEqual(withoutId((await act(id, stranger.headers)).body), withoutId(foreign.body))
      assert.equal((await list(site_id, admin.headers)).json().total, 1)
    })

  test('are managed by the operator for every site', async () => {
    const [operator, { site_id }] = [await anOperator(), await aSite({ environment: 'sandbox' })]
    assert.equal((await add(site_id, operator.headers)).statusCode, 201)
  })
})
