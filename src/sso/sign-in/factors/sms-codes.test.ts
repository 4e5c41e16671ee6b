import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { addTotp, challenge } from '#testing/mfa.ts'
import {
  anOperator,
  aSite,
  aUser,
  type Headers,
  homeSite,
  type Person,
  signIn,
  type TestSite,
} from '#testing/people.ts'
import { startSmsProvider } from '#testing/sms.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld } from '#testing/world.ts'

const provider = await startSmsProvider()
after(() => provider.close())
const lyceum = await buildWorld({ env: { SMS_URL: provider.url, SMS_TOKEN: 'sms-secret' } })
await lyceum.startJobs()
const { sso, db } = lyceum
const site = await homeSite(lyceum)

const post = (url: string, headers: Record<string, string>, payload: object) =>
  sso.inject({ method: 'POST', url: `/api/v1${url}`, headers, payload })
const enrol = (person: Person, body: object) => post('/mfa/factors', person.headers, { type: 'sms', ...body })
const activate = (person: Person, factor_id: string, code: string) =>
  post(`/mfa/factors/${factor_id}/activate`, person.headers, { code })
const send = (mfa_token: string) => post('/auth/mfa/options', site.headers, { mfa_token, method: 'sms' })
const verify = (payload: object) => post('/auth/mfa/verify', site.headers, payload)
const ask = (person: Person) => challenge(person, site.headers, lyceum)
const aNumber = () => `+4930${randomInt(10 ** 8, 10 ** 9)}`

/** As if so many seconds had passed since every SMS. */
const pass = (seconds: number) => db.pool`
  update sso.sms_sent set sent_at = array(
    select t - make_interval(secs => ${seconds}) from unnest(sent_at) with ordinality as s (t, n) order by n)`

/** A person who gets codes at a number of their own; a minute has passed since. */
async function withSms(): Promise<Person & { factor_id: string; phone: string }> {
  const [person, phone] = [await aUser({ lyceum }), aNumber()]
  const begun = await enrol(person, { phone })
  assert.equal(begun.statusCode, 201, begun.body)
  const { factor_id } = begun.json()
  const active = await activate(person, factor_id, await provider.code(phone))
  assert.equal(active.statusCode, 200, active.body)
  await pass(61)
  return { ...person, factor_id, phone }
}

describe('codes by SMS', () => {
  test('prove the number at enrolment, through the provider', async () => {
    const [anna, phone] = [await aUser({ lyceum }), aNumber()]
    const begun = await enrol(anna, { phone, name: 'Old phone' })
    const { factor_id, ...shown } = begun.json()
    assert.deepEqual(shown, { type: 'sms', name: 'Old phone', expires_in: 600, sent_to: phone })
    const code = await provider.code(phone)
    assert.equal(provider.requests.at(-1)?.headers['authorization'], 'Bearer sms-secret')
    assert.match(provider.to(phone)[0]?.text ?? '', /^\d{6} is your code for learning\. .{1,100}$/)
    const active = await activate(anna, factor_id, code)
    assert.equal(active.statusCode, 200, active.body)
    assert.ok(!active.body.includes(phone))
    const listed = await sso.inject({ url: '/api/v1/mfa/factors', headers: anna.headers })
    assert.equal(listed.json().items[0].type, 'sms')
    assert.ok(!listed.body.includes(phone))
    await pass(61)
    const again = await enrol(anna, { phone: aNumber(), password: anna.password })
    assert.deepEqual([again.statusCode, again.json().code], [409, 'factor_exists'], again.body)
  })

  test('complete the sign-in they were sent for, once', async () => {
    const anna = await withSms()
    const { mfa_token, mfa_methods } = await ask(anna)
    assert.deepEqual(mfa_methods, ['sms'])
    const none = await verify({ mfa_token, code: '000000' })
    assert.equal(none.json().code, 'mfa_code_invalid', 'none was sent')
    const sent = await send(mfa_token)
    assert.deepEqual(sent.json(), {
      method: 'sms',
      sent_to: `+49***${anna.phone.slice(-2)}`,
      resend_after: 60,
    })
    const code = await provider.code(anna.phone, 2)
    const replies = await Promise.all(Array.from({ length: 50 }, () => verify({ mfa_token, code })))
    const [good, ...others] = replies.filter((reply) => reply.statusCode === 200)
    assert.deepEqual(decodeJwt(good?.json().access_token)['amr'], ['pwd', 'sms'])
    assert.equal(others.length, 0)
    assert.equal((await verify({ ...(await ask(anna)), code })).json().code, 'mfa_code_invalid')
  })

  test('are worth nothing at another sign-in, or as another method', async () => {
    const anna = await withSms()
    await db.pool`
      insert into sso.mfa_factors (factor_id, user_id, type, email, activated_at)
      values (gen_random_uuid(), ${anna.user_id}, 'email', ${anna.email}, clock_timestamp())`
    const [{ mfa_token, mfa_methods }, other] = [await ask(anna), await ask(anna)]
    assert.deepEqual(mfa_methods, ['email', 'sms'])
    assert.equal((await send(mfa_token)).statusCode, 200)
    const code = await provider.code(anna.phone, 2)
    assert.equal((await verify({ mfa_token: other.mfa_token, code, method: 'sms' })).statusCode, 401)
    assert.equal((await verify({ mfa_token, code, method: 'email' })).statusCode, 401)
    assert.equal((await verify({ mfa_token, code })).statusCode, 200)
  })

  test('burn the sign-in with the fifth wrong one, and the enrolment', async () => {
    const anna = await withSms()
    const { mfa_token } = await ask(anna)
    await send(mfa_token)
    const code = await provider.code(anna.phone, 2)
    const wrong = code === '000000' ? '000001' : '000000'
    for (let guess = 1; guess <= 5; guess++)
      assert.equal((await verify({ mfa_token, code: wrong })).json().code, 'mfa_code_invalid')
    assert.equal((await verify({ mfa_token, code })).json().code, 'mfa_token_invalid')

    const [ben, phone] = [await aUser({ lyceum }), aNumber()]
    const { factor_id } = (await enrol(ben, { phone })).json()
    const first = await provider.code(phone)
    for (let guess = 1; guess <= 5; guess++)
      assert.equal((await activate(ben, factor_id, first === '000000' ? '000001' : '000000')).statusCode, 422)
    assert.equal((await activate(ben, factor_id, first)).statusCode, 404)
  })

  test('go to the profile’s number without another, which is verified then', async () => {
    const anna = await aUser({ lyceum })
    const missing = await enrol(anna, {})
    assert.deepEqual([missing.statusCode, missing.json().code], [422, 'phone_required'], missing.body)
    const phone = aNumber()
    await db.pool`update sso.users set phone = ${phone} where user_id = ${anna.user_id}`
    const isVerified = async () => {
      const me = await sso.inject({ url: `/api/v1/users/${anna.user_id}`, headers: anna.headers })
      return me.json().phone_verified
    }
    const { factor_id, sent_to } = (await enrol(anna, {})).json()
    assert.equal(sent_to, phone)
    assert.equal(await isVerified(), false)
    await activate(anna, factor_id, await provider.code(phone))
    assert.equal(await isVerified(), true)

    const ben = await aUser({ lyceum })
    await db.pool`update sso.users set phone = ${aNumber()} where user_id = ${ben.user_id}`
    const other = aNumber()
    const begun = (await enrol(ben, { phone: other })).json()
    assert.equal((await activate(ben, begun.factor_id, await provider.code(other))).statusCode, 200)
    const rows = await db.pool`select from sso.users where user_id = ${ben.user_id} and phone_verified`
    assert.equal(rows.length, 0)
  })

  test('stand in the export, and go with a reset of factors and with the account', async () => {
    const [anna, ben] = [await withSms(), await withSms()]
    const { mfa_token } = await ask(anna)
    await send(mfa_token)
    const code = await provider.code(anna.phone, 2)
    const headers = { authorization: `Bearer ${(await verify({ mfa_token, code })).json().access_token}` }
    const own = { url: `/api/v1/users/${anna.user_id}` }
    const exported = await sso.inject({ url: `${own.url}/export`, headers })
    assert.equal(exported.json().factors[0].phone, anna.phone)
    const erased = await sso.inject({ method: 'DELETE', ...own, headers })
    assert.ok(erased.statusCode < 300, erased.body)
    const operator = await anOperator(lyceum)
    const reset = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/users/${ben.user_id}/mfa`,
      headers: operator.headers,
      payload: {},
    })
    assert.equal(reset.statusCode, 204, reset.body)
    for (const { user_id, phone } of [anna, ben]) {
      const left = await db.pool`select from sso.mfa_factors where user_id = ${user_id}`
      assert.equal(left.length, 0)
      const counts =
        await db.pool`select from sso.sms_sent where strpos(encode(counted_hmac, 'escape'), ${phone}) > 0`
      assert.equal(counts.length, 0)
    }
    await signIn(ben, { at: site, lyceum })
  })
})

describe('the limits on SMS', () => {
  test('let one of fifty requests at once send one', async () => {
    const anna = await withSms()
    const { mfa_token } = await ask(anna)
    const others = await Promise.all(Array.from({ length: 5 }, () => ask(anna)))
    const tokens = [mfa_token, ...others.map((other) => other.mfa_token)]
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => send(tokens[i % tokens.length] ?? '')),
    )
    assert.equal(replies.filter((reply) => reply.statusCode === 200).length, 1)
    const refused = replies.filter((reply) => reply.statusCode === 429)
    assert.equal(refused.length, 49)
    for (const reply of refused) assert.ok(Number(reply.headers['retry-after']) > 50)
    await provider.code(anna.phone, 2)
    const sent = await db.pool`
      select from sso.messages where user_id = ${anna.user_id} and channel = 'sms'`
    assert.equal(sent.length, 2)
    assert.equal(provider.to(anna.phone).length, 2)
  })

  test('are five an hour and ten a day for one person', async () => {
    const anna = await withSms()
    const { mfa_token } = await ask(anna)
    const sendNext = async () => {
      await pass(61)
      return send(mfa_token)
    }
    const refusedFor = async (least: number, most: number) => {
      const reply = await sendNext()
      assert.deepEqual([reply.statusCode, reply.json().code], [429, 'too_many_attempts'])
      const seconds = Number(reply.headers['retry-after'])
      assert.ok(seconds > least && seconds <= most, `${seconds}`)
    }
    // The code of the enrolment was the first.
    for (let sms = 2; sms <= 5; sms++) assert.equal((await sendNext()).statusCode, 200)
    await refusedFor(3_000, 3_300)
    await pass(3_600)
    for (let sms = 6; sms <= 10; sms++) assert.equal((await sendNext()).statusCode, 200)
    await pass(3_600)
    await refusedFor(78_000, 79_000)
    await pass(79_000)
    assert.equal((await send(mfa_token)).statusCode, 200)
  })

  test('are three a day for a number that people set up, and none for its owner', async () => {
    const anna = await withSms()
    const crowd = await Promise.all(Array.from({ length: 6 }, () => aUser({ lyceum })))
    const replies = await Promise.all(crowd.map((person) => enrol(person, { phone: anna.phone })))
    const sent = crowd.filter((_, i) => replies[i]?.statusCode === 201)
    // The owner's own enrolment was the first.
    assert.equal(sent.length, 2)
    const refused = replies.filter((reply) => reply.statusCode === 429)
    assert.equal(refused.length, 4)
    for (const reply of refused) assert.ok(Number(reply.headers['retry-after']) > 86_000)
    for (const { user_id, headers } of sent) {
      const erased = await sso.inject({ method: 'DELETE', url: `/api/v1/users/${user_id}`, headers })
      assert.ok(erased.statusCode < 300, erased.body)
    }
    const fresh = await aUser({ lyceum })
    assert.equal((await enrol(fresh, { phone: anna.phone })).statusCode, 429, 'an erasure lifts nothing')
    assert.equal(
      (await enrol(fresh, { phone: aNumber() })).statusCode,
      201,
      'what was refused does not count',
    )
    assert.equal((await send((await ask(anna)).mfa_token)).statusCode, 200)
  })
})

describe('the pages with codes by SMS', () => {
  const query = '?site_code=learning&return_to=http%3A%2F%2F127.0.0.1%3A8065%2Fx'
  const fieldOf = (page: string, name: string) =>
    new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? assert.fail(`no ${name} in ${page}`)

  test('send one to who has an app as well, and take it', async () => {
    const anna = await withSms()
    await addTotp(anna, lyceum)
    const visitor = aVisitor({ lyceum })
    await visitor.submit(`/sign-in${query}`, { name: anna.email, password: anna.password })
    const { body } = await visitor.get(`/sign-in/mfa${query}`)
    assert.match(body, /Send a code by SMS/)
    assert.ok(!body.includes('Send a code by e-mail'))
    const sent = await visitor.post(`/sign-in/mfa/sms${query}`, { form_token: fieldOf(body, 'form_token') })
    assert.ok(sent.body.includes(`A code is on its way to +49***${anna.phone.slice(-2)}`), sent.body)
    const [form_token, method] = [fieldOf(sent.body, 'form_token'), fieldOf(sent.body, 'method')]
    const soon = await visitor.post(`/sign-in/mfa/sms${query}`, { form_token, method })
    assert.equal(soon.statusCode, 429)
    assert.equal(fieldOf(soon.body, 'method'), 'sms', 'the first is still on its way')
    const wrong = await visitor.submit(`/sign-in/mfa${query}`, { code: '000000', method })
    assert.equal(fieldOf(wrong.body, 'method'), 'sms')
    const code = await provider.code(anna.phone, 2)
    const done = await visitor.submit(`/sign-in/mfa${query}`, { code, method })
    assert.deepEqual([done.statusCode, done.headers.location], [303, 'http://127.0.0.1:8065/x'])
  })

  test('confirm an account', async () => {
    const anna = await withSms()
    await db.pool`
      update sso.sessions set proven_at = proven_at - interval '20 minutes' where user_id = ${anna.user_id}`
    const visitor = aVisitor({ lyceum })
    visitor.jar.set('access_token', { value: anna.access_token, path: '/' })
    const asked = await visitor.submit('/account/confirm?to=%2Faccount%2Femail', { password: anna.password })
    const page = asked.headers.location ?? ''
    const form_token = await visitor.formToken(page)
    const sent = await visitor.post(page.replace('/factor', '/factor/sms'), { form_token })
    assert.match(sent.body, /A code is on its way to \+49\*\*\*\d\d/)
    const code = await provider.code(anna.phone, 2)
    const done = await visitor.submit(page, { code, method: fieldOf(sent.body, 'method') })
    assert.deepEqual([done.statusCode, done.headers.location], [303, '/account/email'])
  })

  test('set one up where a site requires a factor, with the number typed in groups', async () => {
    const [anna, phone] = [await aUser({ lyceum }), aNumber()]
    await db.pool`update sso.sites set require_mfa = 'all' where site_code = 'learning'`
    const visitor = aVisitor({ lyceum })
    try {
      const asked = await visitor.submit(`/sign-in${query}`, { name: anna.email, password: anna.password })
      assert.equal(asked.headers.location, `/sign-in/mfa/enrol${query}`)
      const begin = (typed: string) =>
        visitor.submit(`/sign-in/mfa/enrol${query}`, { type: 'sms', phone: typed })
      const refused = await begin('030 123456')
      assert.equal(refused.statusCode, 422)
      assert.match(refused.body, /id="phone-fault">\s*Phone number must be a number such as/)
      assert.match((await begin('')).body, /Phone number is required/)
      const { body } = await begin(phone.replace(/(\d{3})/g, '$1 '))
      assert.ok(body.includes(`on its way to ${phone}`), body)
      const done = await visitor.post(`/sign-in/mfa/enrol/activate${query}`, {
        form_token: fieldOf(body, 'form_token'),
        factor_id: fieldOf(body, 'factor_id'),
        type: fieldOf(body, 'type'),
        code: await provider.code(phone),
      })
      assert.deepEqual([done.statusCode, done.headers.location], [303, 'http://127.0.0.1:8065/x'], done.body)
    } finally {
      await db.pool`update sso.sites set require_mfa = 'none' where site_code = 'learning'`
    }
  })

  test('of collections send one too', async () => {
    const anna = await withSms()
    const at = (path: string, payload: object) =>
      lyceum.collections.inject({ method: 'POST', url: `/api/auth/${path}`, payload })
    const { mfa_token } = (await at('login', { email: anna.email, password: anna.password })).json()
    assert.equal((await at('mfa/sms', { mfa_token })).statusCode, 200)
    const code = await provider.code(anna.phone, 2)
    assert.equal((await at('mfa/verify', { mfa_token, code })).statusCode, 200)
  })
})

describe('without an SMS provider', async () => {
  const bare = await buildWorld()

  test('production has no codes by SMS, and who had them is not let in without', async () => {
    const home = await homeSite(bare)
    const anna = await aUser({ lyceum: bare })
    const request = (url: string, headers: Headers, payload: object) =>
      bare.sso.inject({ method: 'POST', url: `/api/v1${url}`, headers, payload })
    const refused = await request('/mfa/factors', anna.headers, { type: 'sms', phone: aNumber() })
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'sms_unavailable'])
    await bare.db.pool`
      insert into sso.mfa_factors (factor_id, user_id, type, phone, activated_at)
      values (gen_random_uuid(), ${anna.user_id}, 'sms', ${aNumber()}, clock_timestamp())`
    const { mfa_token, mfa_methods } = await challenge(anna, home.headers, bare)
    assert.deepEqual(mfa_methods, ['sms'])
    const sent = await request('/auth/mfa/options', home.headers, { mfa_token, method: 'sms' })
    assert.deepEqual([sent.statusCode, sent.json().code], [409, 'sms_unavailable'])
    const visitor = aVisitor({ lyceum: bare })
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    const { statusCode, body } = await visitor.get('/sign-in/mfa')
    assert.deepEqual([statusCode, body.includes('Send a code by SMS')], [200, false])
    assert.equal((await bare.db.pool`select from sso.messages where channel = 'sms'`).length, 0)
  })

  test('a sandbox logs them for its ADMINs, and its page offers them', async () => {
    const sandbox = await aSite({ environment: 'sandbox', lyceum: bare })
    const [callback, phone] = ['https://partner.example.org/home', aNumber()]
    const anna = await aUser({ at: sandbox, lyceum: bare })
    const setUp = async ({ site_id, site_code }: TestSite) => {
      await bare.db.pool`
        update sso.sites set callback_url = ${callback}, require_mfa = 'all' where site_id = ${site_id}`
      return `?${new URLSearchParams({ site_code, return_to: callback }).toString()}`
    }
    const walk = async (person: Person, at: TestSite) => {
      const [visitor, query] = [aVisitor({ lyceum: bare }), await setUp(at)]
      const who = { name: person.email, password: person.password }
      await visitor.allow(await visitor.submit(`/sign-in${query}`, who))
      return { visitor, query, choice: await visitor.get(`/sign-in/mfa/enrol${query}`) }
    }
    const { visitor, query, choice } = await walk(anna, sandbox)
    assert.match(choice.body, /Get codes by SMS/)
    const begun = await visitor.submit(`/sign-in/mfa/enrol${query}`, { type: 'sms', phone })
    assert.ok(begun.body.includes(`on its way to ${phone}`), begun.body)
    const log = await bare.sso.inject({
      url: `/api/v1/messages?site_code=${sandbox.site_code}`,
      headers: sandbox.owner.headers,
    })
    const [{ channel, recipient, status, text }] = log.json().items
    assert.deepEqual([channel, recipient, status], ['sms', phone, 'logged'])
    assert.match(text, /^\d{6} is your code/)

    const production = await aSite({ lyceum: bare })
    const there = await walk(await aUser({ lyceum: bare }), production)
    assert.match(there.choice.body, /Use an authenticator app/)
    assert.ok(!there.choice.body.includes('SMS'))
  })
})
