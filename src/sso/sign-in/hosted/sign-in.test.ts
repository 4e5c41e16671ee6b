import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSite, aUser, homeSite, type Person } from '#testing/people.ts'
import { aVisitor, cookiesOf } from '#testing/visitor.ts'
import { buildWorld, world } from '#testing/world.ts'

const credentials = ({ email, password }: Person) => ({ name: email, password })
const toLearning = (path = '/courses?page=2') =>
  `/sign-in?${new URLSearchParams({ return_to: `http://127.0.0.1:8065${path}` }).toString()}`

async function aSignedInVisitor(anna?: Person) {
  const visitor = aVisitor()
  const reply = await visitor.submit('/sign-in', credentials(anna ?? (await aUser())))
  assert.equal(reply.statusCode, 303, reply.body)
  return visitor
}

describe('the sign-in page', () => {
  test('cannot be framed, scripted or cached', async () => {
    const { statusCode, headers, body } = await aVisitor().get(toLearning())
    assert.equal(statusCode, 200)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self' http://127.0.0.1:8065; base-uri 'none'; frame-ancestors 'none'",
    )
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.doesNotMatch(body, /<script(?! src="\/assets\/)|\sstyle=|\son\w+=/)
  })

  test('serves immutable files under a digest', async () => {
    const visitor = aVisitor()
    const { body } = await visitor.get('/sign-in')
    const [, stylesheet = ''] = /href="(\/assets\/[0-9a-f]{16}\/hosted\.css)"/.exec(body) ?? []
    const { statusCode, headers } = await visitor.get(stylesheet)
    assert.equal(statusCode, 200)
    assert.equal(headers['content-type'], 'text/css; charset=utf-8')
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal((await visitor.get('/assets/latest/hosted.css')).statusCode, 404)
    assert.equal((await visitor.get('/assets/..%2froutes.ts')).statusCode, 404)
  })

  test('escapes what was typed', async () => {
    const name = '"><script>alert(1)</script>'
    const { body } = await aVisitor().submit('/sign-in', { name, password: 'battery staple 7' })
    assert.ok(body.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"'))
    assert.ok(!body.includes('<script>alert'))
  })
})

describe('signing in on the page', () => {
  test('sets cookies with narrow scopes and returns', async () => {
    const anna = await aUser()
    const reply = await aVisitor().submit(toLearning(), credentials(anna))
    assert.equal(reply.statusCode, 303)
    assert.equal(reply.headers.location, 'http://127.0.0.1:8065/courses?page=2')
    assert.equal(reply.headers['cache-control'], 'no-store')
    const cookies = cookiesOf(reply)
    assert.deepEqual([...cookies.keys()], ['access_token', 'sso_refresh', 'sso_known'])
    const { value: access, ...accessRest } = cookies.get('access_token') ?? {}
    assert.deepEqual(accessRest, {
      name: 'access_token',
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      maxAge: 1800,
    })
    const { value: refresh, ...refreshRest } = cookies.get('sso_refresh') ?? {}
    assert.deepEqual(refreshRest, {
      name: 'sso_refresh',
      path: '/sign-in',
      httpOnly: true,
      sameSite: 'strict',
      maxAge: 2_592_000,
    })
    assert.match(refresh ?? '', /^rt_[\w-]{43}$/)
    const { value: known, ...knownRest } = cookies.get('sso_known') ?? {}
    assert.deepEqual(knownRest, { ...refreshRest, name: 'sso_known', sameSite: 'lax' })
    assert.ok(!Buffer.from(known ?? '', 'base64url').includes(anna.user_id), 'it is sealed')
    assert.ok(!reply.headers.location.includes('rt_') && !reply.body.includes(access ?? 'x'))
  })

  test('opens the learning service with the cookie', async () => {
    const visitor = await aSignedInVisitor()
    const { learning } = await world()
    const cookie = `access_token=${visitor.jar.get('access_token')?.value}`
    assert.equal((await learning.inject({ url: '/api/channels', headers: { cookie } })).statusCode, 200)
    const info = await learning.inject({ url: '/api/info', headers: { cookie } })
    assert.match(info.json().user.email, /@example\.org$/)
    assert.equal((await learning.inject({ url: '/api/channels' })).statusCode, 401)
  })

  test('accepts the username, and trims what was typed', async () => {
    const [{ sso }, { headers }] = [await world(), await homeSite()]
    const username = `mia.${Math.random().toString(36).slice(2)}`
    const payload = { email: `${username}@example.org`, username, password: 'battery staple 7' }
    await sso.inject({ method: 'POST', url: '/api/v1/auth/register', headers, payload })
    const reply = await aVisitor().submit('/sign-in', { name: ` ${username} `, password: 'battery staple 7' })
    assert.equal(reply.statusCode, 303)
    assert.equal(reply.headers.location, '/sign-in/done?site_code=learning')
  })

  test('answers unknown names and wrong passwords alike, with one hash', async () => {
    const [anna, { passwords }] = [await aUser(), await world()]
    const pages = []
    for (const name of ['nobody-knows@example.org', 'nobody-knows', anna.email]) {
      const before = passwords.hashCalls()
      const reply = await aVisitor().submit('/sign-in', { name, password: 'battery staple 8' })
      assert.equal(passwords.hashCalls() - before, 1)
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.headers['www-authenticate'], undefined)
      assert.match(reply.body, /role="alert"[\s\S]+E-mail address or password is wrong/)
      assert.deepEqual([...cookiesOf(reply).keys()], ['sso_form'])
      pages.push(
        reply.body
          .replaceAll(name, '')
          .replaceAll(/name="form_token" value="[^"]+"|challenge&quot;:&quot;\w+/g, ''),
      )
    }
    assert.equal(new Set(pages).size, 1)
  })

  test('never shows a password again', async () => {
    const { body } = await aVisitor().submit('/sign-in', { name: 'anna', password: 'hunter2 and more' })
    assert.ok(!body.includes('hunter2'))
  })

  for (const [fields, message] of [
    [{ name: ' ', password: 'x' }, 'Enter your e-mail address or username'],
    [{ name: 'anna', password: '' }, 'Enter your password'],
  ] as const)
    test(`shows "${message}" without hashing`, async () => {
      const { passwords } = await world()
      const before = passwords.hashCalls()
      const reply = await aVisitor().submit('/sign-in', fields)
      assert.equal(reply.statusCode, 422)
      assert.ok(reply.body.includes(message))
      assert.equal(passwords.hashCalls(), before)
    })

  test('shows when to retry after ten forms a minute', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10' } })
    const visitor = aVisitor({ lyceum })
    const form_token = await visitor.formToken('/sign-in')
    const fields = { form_token, name: 'anna@example.org', password: '' }
    const statuses = []
    for (let i = 0; i < 10; i++) statuses.push((await visitor.post(toLearning(), fields)).statusCode)
    assert.deepEqual(new Set(statuses), new Set([422]))
    const refused = await visitor.post(toLearning(), fields)
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) >= 1)
    assert.match(refused.body, /<h1>Too many attempts<\/h1>/)
    assert.match(refused.body, /href="\/sign-in\?return_to=http%3A%2F%2F127/)
    assert.ok(String(refused.headers['content-security-policy']).includes("style-src 'self'"))
    assert.equal((await visitor.get('/sign-in')).statusCode, 200)
  })
})

describe('guessing a password on the page', () => {
  test('slows down after five wrong ones and shows the wait', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '1000' } })
    const [anna, visitor] = [await aUser({ lyceum }), aVisitor({ lyceum })]
    const guess = async () => visitor.submit('/sign-in', { name: anna.email, password: 'battery staple 8' })
    for (let guesses = 0; guesses < 5; guesses++) assert.equal((await guess()).statusCode, 401)
    const refused = await guess()
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) >= 1)
    assert.match(refused.body, /id="name-fault">\s*Too many failed attempts, come back in \d+ s/)
  })
})

describe('without a database', () => {
  test('shows when to retry and keeps the cookies', async () => {
    const lyceum = await buildWorld()
    await lyceum.db.close()
    const jar = new Map([['sso_refresh', { value: `rt_${'A'.repeat(43)}`, path: '/sign-in' }]])
    const reply = await aVisitor({ lyceum, jar }).get('/sign-in')
    assert.equal(reply.statusCode, 503)
    assert.equal(reply.headers['retry-after'], '1')
    assert.equal(reply.headers['set-cookie'], undefined)
    assert.match(reply.body, /<h1>Please try again shortly<\/h1>[\s\S]+The database does not answer\./)
    assert.ok(reply.body.includes(String(reply.headers['x-request-id'])))
  })
})

describe('a forged form', () => {
  test('is refused with any part missing, and signs nobody in', async () => {
    const [anna, visitor, stranger] = [await aUser(), aVisitor(), aVisitor()]
    const form_token = await visitor.formToken('/sign-in')
    const other_token = await stranger.formToken('/sign-in')
    const fields = { form_token, ...credentials(anna) }
    const forged: [string, Record<string, string>, Record<string, string>][] = [
      ['the token of another browser', { ...fields, form_token: other_token }, {}],
      ['no valid token', { ...fields, form_token: 'x.y' }, {}],
      ['a token that was made longer valid', { ...fields, form_token: `9${form_token}` }, {}],
      ['a form posted from another site', fields, { 'sec-fetch-site': 'cross-site' }],
      ['another origin', fields, { origin: 'https://evil.example' }],
      ['an origin that is hidden', fields, { origin: 'null' }],
      ['another port of this host', fields, { origin: 'http://127.0.0.1:9999' }],
    ]
    for (const [what, body, headers] of forged) {
      const reply = await visitor.post('/sign-in', body, { headers })
      assert.equal(reply.statusCode, 403, what)
      assert.match(reply.body, /<h1>Please try once more<\/h1>/)
      assert.equal(reply.headers['set-cookie'], undefined)
    }
    visitor.jar.delete('sso_form')
    assert.equal((await visitor.post('/sign-in', fields)).statusCode, 403, 'without the cookie')
    assert.equal((await visitor.post('/sign-in', { name: 'a', password: 'b' })).statusCode, 400, 'no token')
  })

  test('is refused after twelve hours', async (t) => {
    const visitor = aVisitor()
    const form_token = await visitor.formToken('/sign-in')
    t.mock.method(
      Date,
      'now',
      (
        (now) => () =>
          now
      )(Date.now() + 12 * 3_600_000 + 1_000),
    )
    const reply = await visitor.post('/sign-in', { form_token, name: 'anna', password: 'x' })
    assert.equal(reply.statusCode, 403)
  })

  test('stays valid while another tab reloads the page', async () => {
    const visitor = aVisitor()
    const first = await visitor.formToken('/sign-in')
    await visitor.formToken('/sign-in')
    const reply = await visitor.post('/sign-in', { form_token: first, name: 'anna', password: '' })
    assert.equal(reply.statusCode, 422)
  })
})

describe('the address to return to', () => {
  for (const return_to of [
    'https://evil.example/',
    '//evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://user:pass@127.0.0.1:8065/',
    'javascript:alert(1)//127.0.0.1',
    'data:text/html,x',
    '/sign-in',
    'nonsense',
    '',
  ])
    test(`refuses ${return_to || 'empty'} with 400 on GET and POST`, async () => {
      const visitor = aVisitor()
      const url = `/sign-in?${new URLSearchParams({ return_to }).toString()}`
      const shown = await visitor.get(url)
      assert.equal(shown.statusCode, 400)
      assert.equal(shown.headers.location, undefined)
      assert.match(shown.body, /<h1>This link does not work<\/h1>/)
      const anna = await aUser()
      const form_token = await visitor.formToken('/sign-in')
      const posted = await visitor.post(url, { form_token, ...credentials(anna) })
      assert.equal(posted.statusCode, 400)
      assert.equal(cookiesOf(posted).size, 0)
    })

  test('must belong to LEARNING_URL, COLLECTIONS_URL or the sso when set', async () => {
    const lyceum = await buildWorld({
      env: {
        SSO_URL: 'https://id.school.example',
        LEARNING_URL: 'https://learn.school.example',
        COLLECTIONS_URL: 'https://collect.school.example:8443',
        COOKIE_DOMAIN: 'school.example',
      },
    })
    const visitor = aVisitor({ lyceum })
    const status = async (return_to: string) =>
      (await visitor.get(`/sign-in?${new URLSearchParams({ return_to }).toString()}`)).statusCode
    assert.equal(await status('https://learn.school.example/a'), 200)
    assert.equal(await status('https://collect.school.example:8443/'), 200)
    assert.equal(await status('https://id.school.example/'), 200)
    assert.equal(await status('http://learn.school.example/a'), 400)
    assert.equal(await status('https://learn.school.example:444/'), 400)
    assert.equal(await status('https://id.school.example:444/'), 400)
    const anna = await aUser({ lyceum })
    const origin = { headers: { origin: 'https://id.school.example' } }
    const reply = await visitor.submit('/sign-in', credentials(anna), origin)
    assert.equal(reply.statusCode, 303)
    const cookies = cookiesOf(reply)
    assert.deepEqual([...cookies.keys()], ['access_token', '__Secure-sso_refresh', '__Secure-sso_known'])
    assert.equal(cookies.get('access_token')?.domain, 'school.example')
    for (const cookie of cookies.values()) assert.equal(cookie.secure && cookie.httpOnly, true)
    assert.equal(cookies.get('__Secure-sso_refresh')?.domain, undefined)
    assert.equal(reply.headers['strict-transport-security'], 'max-age=31536000')
  })

  test('leads a visitor of localhost to the sso on localhost', async () => {
    const lyceum = await buildWorld({ env: { SSO_URL: '' } })
    const return_to = 'http://localhost:8065/a?b=c'
    const url = `/sign-in?${new URLSearchParams({ return_to }).toString()}`
    const reply = await aVisitor({ lyceum }).get(url)
    assert.equal(reply.statusCode, 303)
    const location = new URL(reply.headers.location ?? '')
    assert.equal(location.origin, 'http://localhost:8064')
    assert.equal(location.searchParams.get('return_to'), return_to)
    const there = await aVisitor({ lyceum }).get(url, { host: 'localhost:8064' })
    assert.equal(there.statusCode, 200)
  })

  test('needs an existing site', async () => {
    assert.equal((await aVisitor().get('/sign-in?site_code=nowhere')).statusCode, 400)
  })
})

describe('silent renewal', () => {
  test('spends the refresh cookie and goes on without a form', async () => {
    const visitor = await aSignedInVisitor()
    const before = visitor.jar.get('sso_refresh')?.value
    const reply = await visitor.get(toLearning('/x'))
    assert.equal(reply.statusCode, 303)
    assert.equal(reply.headers.location, 'http://127.0.0.1:8065/x')
    assert.notEqual(visitor.jar.get('sso_refresh')?.value, before)
    const { learning } = await world()
    const cookie = `access_token=${visitor.jar.get('access_token')?.value}`
    assert.equal((await learning.inject({ url: '/api/channels', headers: { cookie } })).statusCode, 200)
  })

  test('retries once for the slower of two tabs', async () => {
    const visitor = await aSignedInVisitor()
    const replies = await Promise.all([visitor.get(toLearning('/1')), visitor.get(toLearning('/2'))])
    const round = replies.find(({ headers }) => String(headers.location).startsWith('/sign-in?'))
    assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([303]))
    assert.equal(replies.filter(({ headers }) => String(headers.location).startsWith('http')).length, 1)
    assert.match(String(round?.headers.location), /&again=1$/)
    const reply = await visitor.get(String(round?.headers.location))
    assert.equal(reply.statusCode, 303)
    assert.match(String(reply.headers.location), /^http:\/\/127\.0\.0\.1:8065\/[12]$/)
  })

  test('shows the form when the cookie stays spent', async () => {
    const visitor = await aSignedInVisitor()
    const spent = visitor.jar.get('sso_refresh')
    assert.ok(spent)
    await visitor.get('/sign-in')
    visitor.jar.set('sso_refresh', spent)
    const round = await visitor.get('/sign-in')
    assert.equal(round.headers.location, '/sign-in?site_code=learning&again=1')
    const reply = await visitor.get(round.headers.location)
    assert.equal(reply.statusCode, 200)
    assert.match(reply.body, /<h1>Sign in<\/h1>/)
    assert.equal(cookiesOf(reply).has('sso_refresh'), false, 'a new one of another tab must not be lost')
  })

  for (const value of ['nonsense', `rt_${'A'.repeat(43)}`])
    test(`shows the form for a cookie of ${value.slice(0, 8)}`, async () => {
      const visitor = aVisitor({ jar: new Map([['sso_refresh', { value, path: '/sign-in' }]]) })
      assert.equal((await visitor.get('/sign-in')).statusCode, 200)
    })

  test('ends with the account', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const visitor = await aSignedInVisitor(anna)
    await db.pool`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`
    assert.equal((await visitor.get('/sign-in')).statusCode, 200)
  })

  test('redirects visitors of other sites through our own page', async () => {
    const elsewhere = { headers: { 'sec-fetch-site': 'cross-site' } }
    const reply = await aVisitor().get(toLearning('/x'), elsewhere)
    assert.equal(reply.statusCode, 200)
    const [, next = ''] = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(reply.body) ?? []
    assert.match(next, /^\/sign-in\?site_code=learning&amp;return_to=.+&amp;again=1$/)
    const again = await aVisitor().get(next.replaceAll('&amp;', '&'), elsewhere)
    assert.match(again.body, /<h1>Sign in<\/h1>/)
  })
})

describe('signing in for a partner', () => {
  const callback_url = 'https://partner.example/callback?state=7'

  async function aPartner() {
    const [site, { db }] = [await aSite(), await world()]
    await db.pool`update sso.sites set callback_url = ${callback_url} where site_id = ${site.site_id}`
    return site
  }
  async function exchange(site: { headers: Record<string, string> }, code: string) {
    const { sso } = await world()
    return sso.inject({
      method: 'POST',
      url: '/api/v1/auth/exchange',
      headers: site.headers,
      payload: { code },
    })
  }
  const codeOf = ({ headers }: { headers: NodeJS.Dict<number | string | string[]> }) =>
    new URL(String(headers['location'])).searchParams.get('code') ?? ''

  test('sets no session cookie and gives a one-time code', async () => {
    const [anna, site] = [await aUser(), await aPartner()]
    const visitor = aVisitor()
    const reply = await visitor.allow(
      await visitor.submit(`/sign-in?site_code=${site.site_code}`, credentials(anna)),
    )
    assert.equal(reply.statusCode, 303)
    assert.deepEqual([...visitor.jar.keys()], ['sso_form'])
    const location = new URL(String(reply.headers.location))
    assert.equal(location.origin + location.pathname, 'https://partner.example/callback')
    assert.equal(location.searchParams.get('state'), '7')
    const code = codeOf(reply)
    assert.match(code, /^code_[\w-]{43}$/)
    const replies = await Promise.all(Array.from({ length: 50 }, () => exchange(site, code)))
    const won = replies.filter(({ statusCode }) => statusCode === 200)
    assert.equal(won.length, 1)
    assert.equal(won[0]?.json().user.user_id, anna.user_id)
    assert.deepEqual(won[0]?.json().user.roles, [{ site_code: site.site_code, role: 'USER' }])
    for (const lost of replies.filter(({ statusCode }) => statusCode !== 200))
      assert.equal(lost.json().code, 'code_invalid')
  })

  test('gives a code useless to others, without key, after a minute', async () => {
    const [anna, site, other, { sso, db }] = [
      await aUser(),
      await aPartner(),
      await aPartner(),
      await world(),
    ]
    const visitor = aVisitor()
    const code = codeOf(
      await visitor.allow(await visitor.submit(`/sign-in?site_code=${site.site_code}`, credentials(anna))),
    )
    assert.equal((await exchange(other, code)).statusCode, 401)
    assert.equal((await exchange(await homeSite(), code)).statusCode, 401)
    const url = '/api/v1/auth/exchange'
    assert.equal((await sso.inject({ method: 'POST', url, payload: { code } })).statusCode, 401)
    assert.equal(
      (await sso.inject({ method: 'POST', url, headers: site.headers, payload: {} })).statusCode,
      400,
    )
    await db.pool`
      update sso.sign_in_codes c set expires_at = clock_timestamp() - interval '1 second'
        from sso.sessions s where s.session_id = c.session_id and s.site_id = ${site.site_id}`
    assert.equal((await exchange(site, code)).statusCode, 401)
  })

  test('returns only to the callback and the return_urls', async () => {
    const [site, { db }] = [await aPartner(), await world()]
    await db.pool`
      update sso.sites set return_urls = '{https://app.partner.example:8443/in}' where site_id = ${site.site_id}`
    const status = async (return_to: string) => {
      const query = new URLSearchParams({ site_code: site.site_code, return_to })
      return (await aVisitor().get(`/sign-in?${query.toString()}`)).statusCode
    }
    assert.equal(await status('https://partner.example/callback'), 200)
    assert.equal(await status('https://partner.example/callback?state=another'), 200)
    assert.equal(await status('https://app.partner.example:8443/in?x=1'), 200)
    assert.equal(await status('https://partner.example/elsewhere'), 400)
    assert.equal(await status('https://partner.example/callback/'), 400)
    assert.equal(await status('https://partner.example/callback/../elsewhere'), 400)
    assert.equal(await status('https://partner.example/callback#code'), 400)
    assert.equal(await status('https://partner.example:8443/callback'), 400)
    assert.equal(await status('https://app.partner.example/in'), 400)
    assert.equal(await status('https://partner.example.evil.example/'), 400)
    assert.equal(await status('http://partner.example/'), 400)
    assert.equal(await status('http://127.0.0.1:8065/'), 400)
    const without = await aSite()
    assert.equal((await aVisitor().get(`/sign-in?site_code=${without.site_code}`)).statusCode, 400)
  })

  test('skips the form after consent, and signing out ends both', async () => {
    const [anna, site, { sso }] = [await aUser(), await aPartner(), await world()]
    const visitor = await aSignedInVisitor(anna)
    await visitor.allow(await visitor.get(`/sign-in?site_code=${site.site_code}`))
    const before = visitor.jar.get('sso_refresh')?.value
    const reply = await visitor.get(`/sign-in?site_code=${site.site_code}`)
    assert.equal(reply.statusCode, 303)
    assert.equal(visitor.jar.get('sso_refresh')?.value, before)
    const { access_token } = (await exchange(site, codeOf(reply))).json()
    const mine = { url: '/api/v1/sessions', headers: { authorization: `Bearer ${access_token}` } }
    assert.equal((await sso.inject(mine)).statusCode, 200)
    await visitor.post('/sign-in/out', {})
    assert.equal((await sso.inject(mine)).statusCode, 401)
  })

  test('keeps the time when the password was typed', async () => {
    const [anna, site, { db }] = [await aUser(), await aPartner(), await world()]
    const visitor = await aSignedInVisitor(anna)
    await db.pool`
      update sso.sessions set auth_time = auth_time - interval '1 hour', auth_methods = '{pwd,otp}'
       where user_id = ${anna.user_id}`
    const reply = await visitor.allow(await visitor.get(`/sign-in?site_code=${site.site_code}`))
    const { access_token } = (await exchange(site, codeOf(reply))).json()
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
    assert.deepEqual(claims.amr, ['pwd', 'otp'])
    assert.ok(claims.auth_time < claims.iat - 3_000)
  })

  test('refuses a spent refresh cookie', async () => {
    const [anna, site] = [await aUser(), await aPartner()]
    const visitor = await aSignedInVisitor(anna)
    const spent = visitor.jar.get('sso_refresh')
    assert.ok(spent)
    await visitor.get('/sign-in')
    visitor.jar.set('sso_refresh', spent)
    const round = await visitor.get(`/sign-in?site_code=${site.site_code}`)
    assert.match(String(round.headers.location), /^\/sign-in\?.+&again=1$/)
    assert.equal((await visitor.get(String(round.headers.location))).statusCode, 200)
  })
})
