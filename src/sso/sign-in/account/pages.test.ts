import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { tokenFor } from '#testing/mail.ts'
import { addTotp, freshStep, mailedCode } from '#testing/mfa.ts'
import { anOperator, aSite, aUser, type Person, signIn } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const { db } = await world()

const SSO = 'http://127.0.0.1:8064'
const CALLBACK = 'https://partner.example.org/callback'
const query = (return_to: string) => `?${new URLSearchParams({ return_to }).toString()}`

/** A browser in which the person has just signed in. */
async function signedIn(person: Pick<Person, 'email' | 'password'>) {
  const visitor = aVisitor()
  const reply = await visitor.submit('/sign-in', { name: person.email, password: person.password })
  assert.equal(reply.statusCode, 303, reply.body)
  return visitor
}
/** The same, twenty minutes later. */
async function signedInLongAgo(person: Person) {
  const visitor = await signedIn(person)
  await db.pool`
    update sso.sessions set proven_at = proven_at - interval '20 minutes' where user_id = ${person.user_id}`
  return visitor
}
const statusOf = async ({ user_id }: Person) =>
  (await db.pool<{ status: string }[]>`select status from sso.users where user_id = ${user_id}`)[0]?.status

async function aPartner(member?: Person) {
  const site = await aSite()
  await db.pool`update sso.sites set callback_url = ${CALLBACK} where site_id = ${site.site_id}`
  if (member) await signIn(member, { at: site })
  return site
}

describe('the pages of an account', () => {
  for (const page of [
    '/account',
    '/account/erase',
    '/account/confirm',
    '/account/email',
    '/account/password',
  ])
    test(`${page} leads through the sign-in and back when signed out`, async () => {
      const reply = await aVisitor().get(page)
      assert.equal(reply.statusCode, 303)
      const location = new URL(reply.headers.location ?? '', SSO)
      assert.equal(location.pathname, '/sign-in')
      assert.ok(location.searchParams.get('return_to')?.startsWith(`${SSO}${page}`))
    })

  test('accept no access token of a partner site as sign-in', async () => {
    const there = await aUser({ at: await aSite() })
    const visitor = aVisitor()
    visitor.jar.set('access_token', { value: there.access_token, path: '/' })
    assert.match(String((await visitor.get('/account')).headers.location), /^\/sign-in/)
  })

  test('return to themselves after the sign-in, silently while it lasts', async () => {
    const visitor = await signedIn(await aUser())
    visitor.jar.delete('access_token')
    const away = await visitor.get('/account/email')
    const back = await visitor.get(away.headers.location ?? '')
    assert.equal(back.headers.location, `${SSO}/account/email`)
    assert.equal((await visitor.get('/account/email')).statusCode, 200)
  })

  test('cannot be framed, cached or run scripts', async () => {
    const visitor = await signedIn(await aUser())
    const { headers } = await visitor.get('/account')
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
    assert.equal(headers['cache-control'], 'no-store')
  })

  test('export all data by a form, never by a link', async () => {
    const anna = await aUser()
    const visitor = await signedIn(anna)
    const form_token = await visitor.formToken('/account')
    const reply = await visitor.post('/account/export', { form_token })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(reply.json().user.email, anna.email)
    assert.match(String(reply.headers['content-disposition']), /^attachment/)
    assert.equal((await visitor.get('/account/export')).statusCode, 405)
  })
})

describe('/account/erase', () => {
  test('erases after the address was typed, and returns to the partner', async () => {
    const anna = await aUser()
    await aPartner(anna)
    const visitor = await signedIn(anna)
    const page = `/account/erase${query(`${CALLBACK}?erased=1`)}`
    const wrong = await visitor.submit(page, { confirmation: 'somebody@example.org' })
    assert.equal(wrong.statusCode, 422)
    assert.equal(await statusOf(anna), 'active')
    const done = await visitor.submit(page, { confirmation: ` ${anna.email.toUpperCase()} ` })
    assert.deepEqual([done.statusCode, done.headers.location], [303, `${CALLBACK}?erased=1`])
    assert.equal(await statusOf(anna), 'deleted')
    const gone = ['access_token', 'sso_refresh'].filter((name) => visitor.jar.has(name))
    assert.deepEqual(gone, [])
  })

  test('confirms on our page without a return address', async () => {
    const anna = await aUser()
    const visitor = await signedIn(anna)
    const done = await visitor.submit('/account/erase', { confirmation: anna.email })
    assert.equal(done.statusCode, 200)
    assert.match(done.body, /Your account is erased/)
    assert.equal(await statusOf(anna), 'deleted')
  })

  test('asks for a fresh proof first and returns', async () => {
    const anna = await aUser()
    const visitor = await signedInLongAgo(anna)
    const page = `/account/erase${query(`${SSO}/account`)}`
    const early = await visitor.submit(page, { confirmation: anna.email })
    assert.equal(early.statusCode, 303)
    const confirm = early.headers.location ?? ''
    assert.match(confirm, /^\/account\/confirm\?/)
    assert.equal(await statusOf(anna), 'active')
    const wrong = await visitor.submit(confirm, { password: 'not the password' })
    assert.deepEqual([wrong.statusCode, /The password is wrong/.test(wrong.body)], [422, true])
    const right = await visitor.submit(confirm, { password: anna.password })
    assert.deepEqual([right.statusCode, right.headers.location], [303, page])
    assert.equal((await visitor.submit(page, { confirmation: anna.email })).statusCode, 303)
    assert.equal(await statusOf(anna), 'deleted')
  })
})

describe('an attacker tries to erase or redirect somebody', () => {
  test('a form on another site gets 403', async () => {
    const anna = await aUser()
    const visitor = await signedIn(anna)
    const form_token = await visitor.formToken('/account/erase')
    const confirmation = anna.email
    for (const headers of [
      { origin: 'https://stranger.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://stranger.example' },
    ]) {
      const reply = await visitor.post('/account/erase', { form_token, confirmation }, { headers })
      assert.equal(reply.statusCode, 403)
    }
    const own = await aVisitor().formToken('/sign-in')
    const planted = await visitor.post('/account/erase', { form_token: own, confirmation })
    assert.equal(planted.statusCode, 403)
    assert.equal(await statusOf(anna), 'active')
  })

  test('a link followed by an operator does nothing', async () => {
    const operator = await anOperator()
    const visitor = aVisitor()
    visitor.jar.set('access_token', { value: operator.access_token, path: '/' })
    const before = await db.pool`select count(*)::int as n from sso.audit_log`
    for (const page of [
      `/account/erase?confirmation=${operator.email}`,
      '/account/email?email=thief@example.org',
      '/account/confirm?password=x',
      '/account/email-undo?token=x',
      '/account/email-confirm?token=x',
    ])
      assert.equal(
        (await visitor.get(page, { headers: { 'sec-fetch-site': 'cross-site' } })).statusCode < 400,
        true,
        page,
      )
    assert.deepEqual(await db.pool`select count(*)::int as n from sso.audit_log`, before)
    assert.equal(await statusOf(operator), 'active')
  })

  test('an unregistered return address gets 400 and erases nothing', async () => {
    const [anna, stranger] = [await aUser(), await aPartner()]
    await db.pool`update sso.sites set callback_url = 'https://foreign.example/x' where site_id = ${stranger.site_id}`
    await aPartner(anna)
    const visitor = await signedIn(anna)
    const form_token = await visitor.formToken('/account/erase')
    for (const return_to of [
      'https://stranger.example/',
      'https://foreign.example/x',
      `${CALLBACK}/deeper`,
      'https://partner.example.org/',
      'https://partner.example.org@stranger.example/callback',
      'https://anna:x@partner.example.org/callback',
      '//stranger.example/callback',
      'javascript:alert(1)',
      '/account',
    ]) {
      const page = `/account/erase${query(return_to)}`
      assert.equal((await visitor.get(page)).statusCode, 400, return_to)
      const reply = await visitor.post(page, { form_token, confirmation: anna.email })
      assert.deepEqual([reply.statusCode, reply.headers.location], [400, undefined], return_to)
    }
    assert.equal(await statusOf(anna), 'active')
  })

  test('a foreign page as next step gets 400', async () => {
    const anna = await aUser()
    const visitor = await signedIn(anna)
    for (const to of [
      'https://stranger.example/account',
      '//stranger.example/account',
      '/\\stranger.example/account',
      '/account/..//stranger.example',
      '/sign-out',
      '/accounts',
    ]) {
      const reply = await visitor.get(`/account/confirm?${new URLSearchParams({ to }).toString()}`)
      assert.equal(reply.statusCode, 400, to)
    }
    const fine = await visitor.get(
      `/account/confirm?${new URLSearchParams({ to: '/account/email' }).toString()}`,
    )
    assert.equal(fine.headers.location, '/account/email')
  })
})

describe('/account/confirm', () => {
  test('asks for password, then factor, and neither twice', async () => {
    const anna = await aUser()
    const visitor = await signedIn(anna)
    const own = { headers: { authorization: `Bearer ${visitor.jar.get('access_token')?.value ?? ''}` } }
    const totp = await addTotp({ ...anna, ...own })
    const token = async () => visitor.get('/sign-in?return_to=' + encodeURIComponent(`${SSO}/account`))
    await token()
    await db.pool`
      update sso.sessions set proven_at = proven_at - interval '20 minutes' where user_id = ${anna.user_id}`
    await freshStep(anna.user_id)
    const page = '/account/confirm?to=%2Faccount%2Femail'
    const asked = await visitor.submit(page, { password: anna.password })
    assert.equal(asked.headers.location, '/account/confirm/factor?to=%2Faccount%2Femail')
    assert.match(String((await visitor.get('/account/email')).headers.location), /^\/account\/confirm/)
    const factor = asked.headers.location
    const wrong = await visitor.submit(factor, { code: '000000' })
    assert.deepEqual([wrong.statusCode, /The code is wrong/.test(wrong.body)], [422, true])
    const right = await visitor.submit(factor, { code: totp.code() })
    assert.deepEqual([right.statusCode, right.headers.location], [303, '/account/email'])
    assert.equal((await visitor.get('/account/email')).statusCode, 200)
    assert.equal(visitor.jar.has('sso_proof'), false)
  })

  test('mails a code to people who use codes by e-mail', async () => {
    const anna = await aUser()
    await db.pool`
      insert into sso.mfa_factors (factor_id, user_id, type, email, activated_at)
      values (gen_random_uuid(), ${anna.user_id}, 'email', ${anna.email}, clock_timestamp())`
    const visitor = aVisitor()
    visitor.jar.set('access_token', { value: anna.access_token, path: '/' })
    const asked = await visitor.submit('/account/confirm', { password: anna.password })
    const page = asked.headers.location ?? ''
    const form_token = await visitor.formToken(page)
    const sent = await visitor.post(page.replace('/factor', '/factor/email'), { form_token })
    assert.match(sent.body, /A code is on its way to p\*\*\*@example.org/)
    const done = await visitor.submit(page, { code: await mailedCode(anna.user_id) })
    assert.deepEqual([done.statusCode, done.headers.location], [303, '/account'])
  })

  test('sends people without any credential to choose a password', async () => {
    const anna = await aUser()
    const visitor = await signedInLongAgo(anna)
    await db.pool`update sso.users set password_hash = null where user_id = ${anna.user_id}`
    const reply = await visitor.get('/account/confirm')
    assert.match(reply.body, /Choose a password first/)
    assert.match(reply.body, /href="\/forgot-password"/)
  })
})

describe('changing what belongs to the person', () => {
  test('the new address waits for the link in its mailbox', async () => {
    const anna = await aUser()
    const visitor = await signedIn(anna)
    const email = `new-${randomBytes(5).toString('hex')}@example.org`
    assert.equal((await visitor.submit('/account/email', { email: 'no address' })).statusCode, 422)
    const asked = await visitor.submit('/account/email', { email })
    assert.match(asked.body, /Look into your new mailbox/)
    assert.ok((await visitor.get('/account')).body.includes(`${email} takes its place`))
    const done = await visitor.submit('/account/email-confirm', {
      token: await tokenFor(email, 'email_change'),
    })
    assert.match(done.body, /Your e-mail address is changed/)
  })

  test('the password needs the present one', async () => {
    const anna = await aUser()
    const visitor = await signedIn(anna)
    const change = (current_password: string, password: string) =>
      visitor.submit('/account/password', { current_password, password })
    const wrong = await change('not the password', 'another horse 77')
    assert.deepEqual([wrong.statusCode, /The current password is wrong/.test(wrong.body)], [422, true])
    assert.equal((await change(anna.password, 'short')).statusCode, 422)
    const common = await change(anna.password, 'password1')
    assert.deepEqual([common.statusCode, /Password is one of/.test(common.body)], [422, true])
    const done = await change(anna.password, 'another horse 77')
    assert.match(done.body, /Your password is saved/)
    await signIn({ email: anna.email, password: 'another horse 77' })
  })
})
