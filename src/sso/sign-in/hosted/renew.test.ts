import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSite, aUser } from '#testing/people.ts'
import { aVisitor, cookiesOf } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const LEARNING = 'http://127.0.0.1:8065'
const fromLearning = { headers: { origin: LEARNING, 'sec-fetch-site': 'same-site' } }

async function aSignedInVisitor() {
  const [visitor, person] = [aVisitor(), await aUser()]
  await visitor.submit('/sign-in', { name: person.email, password: person.password })
  const renew = (sent: { headers: Record<string, string> } = fromLearning) =>
    visitor.ask('/sign-in/renew', sent)
  return { visitor, person, renew }
}
type Visitor = Awaited<ReturnType<typeof aSignedInVisitor>>['visitor']

const learningStatus = async ({ jar }: Visitor) => {
  const { learning } = await world()
  const cookie = `access_token=${jar.get('access_token')?.value ?? ''}`
  return (await learning.inject({ url: '/api/channels', headers: { cookie } })).statusCode
}

describe('renewing a session from a page of learning', () => {
  test('brings new cookies, and no token in the body', async () => {
    const { visitor, renew } = await aSignedInVisitor()
    visitor.jar.delete('access_token')
    assert.equal(await learningStatus(visitor), 401)
    const reply = await renew()
    assert.equal(reply.statusCode, 200)
    assert.deepEqual(reply.json(), { expires_in: 1_800 })
    assert.deepEqual([...cookiesOf(reply).keys()], ['access_token', 'sso_refresh', 'sso_known'])
    assert.equal(reply.headers['access-control-allow-origin'], LEARNING)
    assert.equal(reply.headers['access-control-allow-credentials'], 'true')
    assert.match(String(reply.headers['vary']), /^Origin\b/)
    assert.equal(await learningStatus(visitor), 200)
  })

  test('stays in the same session and can be repeated', async () => {
    const { person, renew } = await aSignedInVisitor()
    for (let n = 0; n < 3; n++) assert.equal((await renew()).statusCode, 200)
    const { db } = await world()
    const rows =
      await db.fast`select from sso.sessions where user_id = ${person.user_id} and revoked_at is null`
    assert.equal(rows.length, 2, 'that of the browser and that of the API')
  })

  test('is 401 without a cookie, with a dead one and after the sign-out', async () => {
    assert.equal((await aVisitor().ask('/sign-in/renew', fromLearning)).statusCode, 401)
    const { visitor, renew } = await aSignedInVisitor()
    const kept = visitor.jar.get('sso_refresh') ?? { value: '', path: '/sign-in' }
    visitor.jar.set('sso_refresh', { ...kept, value: 'rt_none' })
    assert.equal((await renew()).statusCode, 401)
    visitor.jar.set('sso_refresh', kept)
    await visitor.post('/sign-in/out', {})
    visitor.jar.set('sso_refresh', kept)
    const refused = await renew()
    assert.equal(refused.statusCode, 401)
    assert.equal(refused.headers['set-cookie'], undefined)
  })

  for (const [what, headers] of [
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site that hides its relation', { origin: 'https://evil.example' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a page of ours inside another site', { origin: LEARNING, 'sec-fetch-site': 'cross-site' }],
  ] as const)
    test(`is 403 for ${what} and spends nothing`, async () => {
      const { visitor, renew } = await aSignedInVisitor()
      const before = visitor.jar.get('sso_refresh')?.value
      const reply = await renew({ headers })
      assert.equal(reply.statusCode, 403)
      assert.equal(reply.headers['access-control-allow-origin'], undefined)
      assert.equal(visitor.jar.get('sso_refresh')?.value, before)
      assert.equal((await renew()).statusCode, 200)
    })

  test('by fifty tabs at once spends the token once and ends nothing', async () => {
    const { visitor, renew } = await aSignedInVisitor()
    const replies = await Promise.all(Array.from({ length: 50 }, () => renew()))
    const statuses = replies.map(({ statusCode }) => statusCode)
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    assert.equal(statuses.filter((status) => status === 409).length, 49)
    assert.equal(await learningStatus(visitor), 200)
    assert.equal((await renew()).statusCode, 200)
  })

  test('never opens a site of a partner', async () => {
    const [{ visitor }, partner] = [await aSignedInVisitor(), await aSite()]
    for (const site_code of [partner.site_code, 'no-such-site']) {
      const reply = await visitor.ask(`/sign-in/renew?site_code=${site_code}`, fromLearning)
      assert.equal(reply.statusCode, 400)
      assert.equal(reply.headers['set-cookie'], undefined)
    }
  })
})
