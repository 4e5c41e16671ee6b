import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { aSite, aUser, signIn } from '#testing/people.ts'
import { aVisitor, cookiesOf } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

async function aSignedInVisitor() {
  const [visitor, anna] = [aVisitor(), await aUser()]
  const { email, password } = anna
  assert.equal((await visitor.submit('/sign-in', { name: email, password })).statusCode, 303)
  return { visitor, anna }
}
const liveSessions = async (user_id: string) => {
  const { db } = await world()
  const rows = await db.fast`select from sso.sessions where user_id = ${user_id} and revoked_at is null`
  return rows.length
}
const learningStatus = async (token: string | undefined) => {
  const { learning } = await world()
  return (await learning.inject({ url: '/api/channels', headers: { cookie: `access_token=${token}` } }))
    .statusCode
}

describe('signing out', () => {
  test('ends the session, clears both cookies and goes back', async () => {
    const { visitor, anna } = await aSignedInVisitor()
    const token = visitor.jar.get('access_token')?.value
    assert.equal(await learningStatus(token), 200)
    const return_to = 'http://127.0.0.1:8065/'
    const reply = await visitor.post('/sign-in/out', { return_to })
    assert.equal(reply.statusCode, 303)
    assert.equal(reply.headers.location, return_to)
    const cookies = cookiesOf(reply)
    assert.deepEqual([...cookies.keys()], ['access_token', 'sso_refresh', 'sso_known'])
    for (const { value, maxAge } of cookies.values()) assert.deepEqual([value, maxAge], ['', 0])
    assert.equal(cookies.get('sso_refresh')?.path, '/sign-in')
    assert.equal(await learningStatus(token), 401)
    assert.equal(await liveSessions(anna.user_id), 1, 'the session of the API lives on')
    assert.match((await visitor.get('/sign-in')).body, /<h1>Sign in<\/h1>/)
    assert.equal((await visitor.post('/sign-in/out', {})).statusCode, 200, 'a repeat says the same')
  })

  test('redirects posts of sibling services with method and body', async () => {
    const { visitor } = await aSignedInVisitor()
    const reply = await visitor.post('/sign-out?x=1', { return_to: 'http://127.0.0.1:8065/' })
    assert.equal(reply.statusCode, 307)
    assert.equal(reply.headers.location, '/sign-in/out?x=1')
  })

  test('works with only one of the cookies', async () => {
    for (const lost of ['access_token', 'sso_refresh']) {
      const { visitor, anna } = await aSignedInVisitor()
      visitor.jar.delete(lost)
      await visitor.post('/sign-in/out', {})
      assert.equal(await liveSessions(anna.user_id), 1, `without ${lost}`)
    }
  })

  test('works with a spent refresh cookie and stale access token', async () => {
    const { visitor, anna } = await aSignedInVisitor()
    const kept = new Map(visitor.jar)
    await visitor.get('/sign-in')
    await signIn(anna)
    const old = aVisitor({ jar: kept })
    assert.equal((await old.post('/sign-in/out', {})).statusCode, 200)
    assert.equal(await liveSessions(anna.user_id), 2, 'the two of the API')
  })

  test('asks after a link, and ends nothing by GET', async () => {
    const { visitor, anna } = await aSignedInVisitor()
    const link = await visitor.get('/sign-out?return_to=http%3A%2F%2F127.0.0.1%3A8065%2F')
    assert.equal(link.statusCode, 303)
    const page = await visitor.get(String(link.headers.location))
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /action="\/sign-in\/out\?return_to=http%3A%2F%2F127\.0\.0\.1%3A8065%2F"/)
    assert.equal(await liveSessions(anna.user_id), 2)
  })

  test('is refused for other sites and unknown origins', async () => {
    const { visitor, anna } = await aSignedInVisitor()
    const { sso } = await world()
    const cookie = [...visitor.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
    const forged: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'null' },
      {},
    ]
    for (const headers of forged) {
      const reply = await sso.inject({
        method: 'POST',
        url: '/sign-in/out',
        headers: { host: '127.0.0.1:8064', cookie, ...headers },
      })
      assert.equal(reply.statusCode, 403, JSON.stringify(headers))
      assert.equal(reply.headers['set-cookie'], undefined)
    }
    assert.equal(await liveSessions(anna.user_id), 2)
  })

  test('ends nothing with a foreign return address', async () => {
    const { visitor, anna } = await aSignedInVisitor()
    const reply = await visitor.post('/sign-in/out', { return_to: 'https://evil.example/' })
    assert.equal(reply.statusCode, 400)
    assert.equal(reply.headers.location, undefined)
    assert.equal(await liveSessions(anna.user_id), 2)
  })

  test('rejects a token a partner signed for our session', async () => {
    const [{ visitor, anna }, site, { parts }] = [await aSignedInVisitor(), await aSite(), await world()]
    const mine = visitor.jar.get('access_token')?.value.split('.')[1] ?? ''
    const claims = JSON.parse(Buffer.from(mine, 'base64url').toString())
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { site_code, tenant_id } = site
    const header = { alg: 'HS256', kid: `hs-${site.site_id}-1`, typ: 'at+jwt' }
    const input = `${encode(header)}.${encode({ ...claims, site_code, tenant_id, aud: site_code, client_id: site_code })}`
    const key = parts.keys.derive(`hs256/production/${site.site_id}/1`)
    const forged = `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
    const jar = new Map([['access_token', { value: forged, path: '/' }]])
    assert.equal((await aVisitor({ jar }).post('/sign-in/out', {})).statusCode, 200)
    assert.equal(await liveSessions(anna.user_id), 2)
  })
})
