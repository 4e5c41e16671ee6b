import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { anAdmin, anOperator, aUser, type Person, signIn } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld, type World, world } from '#testing/world.ts'

/** What people try at the console who may do less than they would like. */
const { db, firstRun, learning, sso } = await world()

const SSO = 'http://127.0.0.1:8064'
const unique = () => randomBytes(5).toString('hex')

type Account = Pick<Person, 'email' | 'password'>

/** A browser in which the person has just signed in at the console, or at `learning`. */
async function signedIn({ email, password }: Account, lyceum?: World, at = 'console') {
  const visitor = aVisitor(lyceum && { lyceum })
  const reply = await visitor.submit(`/sign-in?site_code=${at}`, { name: email, password })
  assert.equal(reply.statusCode, 303, reply.body)
  return visitor
}
/** A page that asks the API for nothing first. */
const PAGE = '/console/sites/new'

/** A site as the wizard makes it. */
async function makeSite({ headers }: Pick<Person, 'headers'>, environment = 'sandbox') {
  const payload = { name: `Partner ${unique()}`, environment, token_signing: 'HS256', is_apart: true }
  const made = await sso.inject({ method: 'POST', url: '/api/v1/sites', headers, payload })
  assert.equal(made.statusCode, 201, made.body)
  return made.json() as Record<'site_id' | 'site_code' | 'site_key' | 'webhook_secret' | 'jwt_secret', string>
}

describe('a site that an operator makes', () => {
  test('gives its ADMIN no courses of ours', async () => {
    const [operator, teacher, partner] = [await anOperator(), await aUser(), await aUser()]
    const drafted = await learning.inject({
      method: 'POST',
      url: '/api/channels',
      headers: teacher.headers,
      payload: { title: 'Not for partners', status: 'draft' },
    })
    assert.equal(drafted.statusCode, 201, drafted.body)
    const site = await makeSite(operator, 'production')
    const assigned = await sso.inject({
      method: 'POST',
      url: `/api/v1/users/${partner.user_id}/roles`,
      headers: operator.headers,
      payload: { site_code: site.site_code, role: 'ADMIN' },
    })
    assert.equal(assigned.statusCode, 201, assigned.body)
    const at = {
      ...site,
      tenant_id: '',
      environment: '',
      headers: { 'x-sso-site-key': site.site_key },
    }
    const { headers } = await signIn(partner, { at })
    const read = await learning.inject({ url: `/api/channels/${drafted.json().id}`, headers })
    assert.equal(read.statusCode, 404, read.body)
  })
})

describe('sites of others', () => {
  test('are to an ADMIN what does not exist, in every page and filter', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const [visitor, { site }] = [await signedIn(admin), stranger]
    for (const code of [site.site_code, 'no-such-site']) {
      const people = await visitor.get(`/console/people?site_code=${code}`)
      assert.ok(people.statusCode === 200 && !people.body.includes(stranger.user_id))
    }
    for (const thing of [`people/${stranger.user_id}`, `sites/${site.site_id}`])
      assert.equal((await visitor.get(`/console/${thing}`)).statusCode, 404, thing)
    const log = await visitor.get(`/console/audit?site_code=${site.site_code}`)
    assert.ok(!log.body.includes('site.created'))
    for (const query of [`q=${site.site_code}`, 'status=active']) {
      const { body } = await visitor.get(`/console/sites?${query}`)
      assert.ok(body.includes('"total":') && !body.includes(site.site_id), query)
    }
  })

  test('are shown with their settings to nobody who is a plain member', async () => {
    const [admin, anna] = [await anAdmin(), await aUser()]
    await signIn(anna, { at: admin.site })
    const visitor = await signedIn(anna)
    assert.equal((await visitor.get(`/console/sites/${admin.site.site_id}`)).statusCode, 404)
  })
})

describe('a browser', () => {
  test('gets nothing by a session of another site, of a partner, or that has ended', async () => {
    const [admin, atLearning] = [await anAdmin(), await signedIn(firstRun.admin, undefined, 'learning')]
    const [partner, left, anna] = [aVisitor(), await signedIn(firstRun.admin), await aUser()]
    partner.jar.set('access_token', { value: admin.access_token, path: '/' })
    const page = `/console/people/${anna.user_id}`
    const replay = aVisitor({ jar: new Map(left.jar) })
    assert.equal((await left.post('/sign-in/out', {})).statusCode, 200)
    for (const [who, visitor] of Object.entries({ atLearning, partner, replay })) {
      for (const reply of [await visitor.get(page), await visitor.get(PAGE)]) {
        assert.equal(reply.statusCode, 303, who)
        assert.match(String(reply.headers.location), /^\/sign-in\?site_code=console/)
      }
    }
  })

  test('is led to the sign-in and back to us, whatever the address says', async () => {
    for (const path of [
      '/console?return_to=//evil.example',
      '/console/people?q=%0d%0aSet-Cookie:%20a=b&site_code=other',
      '/console/audit?action=%5C%5Cevil.example/&site_code=%22%3E%3Cscript%3E',
      `/console/people?q=${'%41'.repeat(80)}`,
    ]) {
      const { statusCode, headers } = await aVisitor().get(path)
      const location = new URL(headers.location ?? '', SSO)
      assert.deepEqual([statusCode, location.origin, location.pathname], [303, SSO, '/sign-in'])
      assert.deepEqual(Object.fromEntries(location.searchParams), {
        site_code: 'console',
        return_to: `${SSO}${path}`,
      })
    }
  })

  test('runs no text of others, wherever it is shown', async () => {
    const hostile = `<img src=x onerror=alert(1)>"'&`
    const [admin, operator] = [await anAdmin(), await signedIn(firstRun.admin)]
    const { user_id, site } = admin
    await db.pool`update sso.users set display_name = ${hostile}, username = ${hostile} where user_id = ${user_id}`
    await db.pool`update sso.memberships set external_id = ${hostile} where user_id = ${user_id}`
    await db.pool`
      update sso.sites set name = ${hostile}, domain = ${hostile}, callback_url = ${`https://a/${hostile}`}
       where site_id = ${site.site_id}`
    await db.pool`
      update sso.audit_log set details = ${db.pool.json({ [hostile]: hostile })}, action = ${hostile}
       where site_id = ${site.site_id}`
    const text = encodeURIComponent(hostile)
    for (const visitor of [operator, await signedIn(admin)])
      for (const page of [
        `/console?x=${text}`,
        `/console/people?q=${text}&status=${text}`,
        `/console/people?site_code=${site.site_code}`,
        `/console/people?cursor=${text}`,
        `/console/people/${user_id}`,
        '/console/sites',
        `/console/sites/${site.site_id}`,
        `/console/audit?site_code=${site.site_code}`,
        `/console/audit?action=${text}&actor=${text}`,
        `/console/audit?site_code=${text}`,
      ]) {
        const { body } = await visitor.get(page)
        assert.match(body, /<h1[ >]/)
        assert.ok(!body.includes('<img src=x'), page)
      }
  })

  test('keeps no page of the console, and no secret is shown again', async () => {
    const person = await aUser()
    const [visitor, site] = [await signedIn(person), await makeSite(person)]
    const shown = await visitor.get(`/console/sites/${site.site_id}`)
    assert.deepEqual([shown.statusCode, shown.headers['cache-control']], [200, 'no-store'])
    assert.match(
      String(shown.headers['content-security-policy']),
      /default-src 'none'.*frame-ancestors 'none'/,
    )
    for (const secret of [site.site_key, site.webhook_secret, site.jwt_secret])
      assert.ok(secret.length > 20 && !shown.body.includes(secret))
  })
})

test('pages of the console count against the same limit as the calls of the person', async () => {
  const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_SITE: '60' } })
  const [anna, ben] = [await aUser({ lyceum }), await aUser({ lyceum })]
  const [visitor, other] = [await signedIn(anna, lyceum), await signedIn(ben, lyceum)]
  const replies = await Promise.all(Array.from({ length: 61 }, () => visitor.get(PAGE)))
  assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 60)
  const refused = replies.find(({ statusCode }) => statusCode === 429)
  assert.match(refused?.body ?? '', /<h1>Too many attempts<\/h1>/)
  assert.ok(Number(refused?.headers['retry-after']) >= 1)
  assert.equal((await lyceum.sso.inject({ url: '/api/v1/sessions', headers: anna.headers })).statusCode, 429)
  assert.equal((await other.get(PAGE)).statusCode, 200)
})
