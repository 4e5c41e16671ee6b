import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { mailsTo, tokenFor } from '#testing/mail.ts'
import { addTotp } from '#testing/mfa.ts'
import { aDevice, aPasskeyOwner, optionsOn, PASSKEY_ORIGIN, signInByPasskey } from '#testing/passkeys.ts'
import { aSite, aUser } from '#testing/people.ts'
import { aVisitor, cookiesOf } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const { db, sso } = await world()
const BACK = '?return_to=http%3A%2F%2F127.0.0.1%3A8065%2Fwelcome'
const RESET = '/reset-password'
type Visitor = ReturnType<typeof aVisitor>
type Device = ReturnType<typeof aDevice>
type Start = { visitor: Visitor; page: string; token: string }

const fieldsOf = (body: string) =>
  Object.fromEntries(
    [...body.matchAll(/name="(form_token|token|recovery_code)" value="([^"]*)"/g)].map(([, name, value]) => [
      name ?? '',
      value ?? '',
    ]),
  )
const codesOn = (body: string) => [...body.matchAll(/<li><code>([^<]+)/g)].map(([, code]) => code ?? '')
const pathOf = (page: string) =>
  page.replace('/sign-up/password', '/sign-up/passkey').replace(RESET, `${RESET}/passkey`)
const stepOf = (page: string) => pathOf(page).replace('/passkey', '/passkey/create')

/** Signs up on the page, up to the mailed link. */
async function signedUp(query = BACK): Promise<Start & { email: string }> {
  const email = `new-${randomBytes(5).toString('hex')}@example.org`
  await aVisitor().submit(`/sign-up${query}`, { email, display_name: '' })
  const mail = (await mailsTo(email)).findLast(({ kind }) => kind === 'sign_up')
  const [, page = '', token = ''] = /https?:\/\/[^/]+(\/\S*?)#token=(\S+)/.exec(mail?.text ?? '') ?? []
  return { visitor: aVisitor(), email, page, token }
}

/** Asks for a link by mail, as somebody who lost their passkey does. */
async function recovering(email: string): Promise<Start> {
  await aVisitor().submit('/forgot-password', { email })
  return { visitor: aVisitor(), page: RESET, token: await tokenFor(email, 'password_reset') }
}

/** The page on which the browser makes the passkey, or the one that asks for a code before. */
const begin = ({ visitor, page, token }: Start, fields: Record<string, string> = {}) =>
  visitor.formToken(page).then((form_token) => visitor.post(pathOf(page), { form_token, token, ...fields }))

async function makeOn(start: Start, device: Device, fields: Record<string, string> = {}) {
  const asked = await begin(start, fields)
  const credential = device.createJSON(PASSKEY_ORIGIN, optionsOn(asked.body, 'data-passkey'))
  const form = { ...fieldsOf(asked.body), credential: JSON.stringify(credential) }
  return { form, reply: await start.visitor.post(stepOf(start.page), form) }
}

const accountOf = async (email: string) =>
  (
    await db.pool<{ user_id: string; password_hash: string | null; keys: number }[]>`
      select user_id, password_hash, (select count(*)::int from sso.mfa_factors f
               where f.user_id = u.user_id and activated_at is not null and type = 'webauthn') as keys
        from sso.users u where email = ${email}`
  )[0]

/** A person who never had a password, their device and their recovery codes. */
async function withoutPassword() {
  const [start, device] = [await signedUp(), aDevice()]
  const { reply } = await makeOn(start, device)
  assert.equal(reply.statusCode, 200, reply.body)
  return { ...start, device, codes: codesOn(reply.body) }
}

describe('signing up with a passkey', () => {
  test('makes an account without a password, shows recovery codes once and goes on', async () => {
    const [start, device] = [await signedUp(), aDevice()]
    const page = (await start.visitor.get(start.page)).body
    assert.ok(page.indexOf('Create a passkey') < page.indexOf('Or choose a password'))
    const asked = optionsOn((await begin(start)).body, 'data-passkey')
    assert.deepEqual(asked.authenticatorSelection, {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    })
    assert.equal(asked.attestation, 'none')
    const { reply } = await makeOn(start, device)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(codesOn(reply.body).length, 10)
    assert.match(reply.body, /<a href="http:\/\/127\.0\.0\.1:8065\/welcome">I have kept them/)
    assert.deepEqual([...cookiesOf(reply).keys()], ['access_token', 'sso_refresh', 'sso_known'])
    const { password_hash, keys } = (await accountOf(start.email)) ?? {}
    assert.deepEqual([password_hash, keys], [null, 1])
    const later = await signInByPasskey(aVisitor(), device)
    assert.ok(cookiesOf(later).has('access_token'), later.body)
  })

  test('asks for consent at a partner site once the codes are kept', async () => {
    const partner = await aSite()
    await db.pool`update sso.sites set callback_url = 'https://partner.example/back' where site_id = ${partner.site_id}`
    const start = await signedUp(`?site_code=${partner.site_code}`)
    const { reply } = await makeOn(start, aDevice())
    const [, location = ''] = /<a href="(\/sign-in\/consent[^"]*)"/.exec(reply.body) ?? []
    const shown = await start.visitor.get(location.replaceAll('&amp;', '&'))
    const allowed = await start.visitor.allow(shown)
    assert.match(String(allowed.headers.location), /^https:\/\/partner\.example\/back\?code=/)
  })

  test('spends the link once, also for fifty at once', async () => {
    const [start, device] = [await signedUp(), aDevice()]
    const asked = await begin(start)
    const credential = device.createJSON(PASSKEY_ORIGIN, optionsOn(asked.body, 'data-passkey'))
    const form = { ...fieldsOf(asked.body), credential: JSON.stringify(credential) }
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => start.visitor.post(stepOf(start.page), form)),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal((await accountOf(start.email))?.keys, 1)
    assert.match((await begin(start)).body, /The link does not work any more/)
    const late = await start.visitor.submit(start.page, { token: start.token, password: 'battery staple 7' })
    assert.equal(late.statusCode, 401)
  })

  test('refuses a key that does not know its user, of another origin, or made in another browser', async () => {
    const start = await signedUp()
    const asked = await begin(start)
    const options = optionsOn(asked.body, 'data-passkey')
    const weak = {
      ...options,
      authenticatorSelection: { residentKey: 'required', userVerification: 'discouraged' },
    }
    const refused = async (credential: object, visitor = start.visitor) => {
      const form_token = await visitor.formToken(start.page)
      const form = { ...fieldsOf(asked.body), form_token, credential: JSON.stringify(credential) }
      const reply = await visitor.post(stepOf(start.page), form)
      assert.equal(reply.statusCode, 422, reply.body)
      assert.match(reply.body, /This passkey was not accepted/)
    }
    await refused(aDevice({ knowsUser: false }).createJSON(PASSKEY_ORIGIN, weak))
    await refused(aDevice().createJSON('http://evil.localhost:8064', options))
    await refused(aDevice().createJSON(PASSKEY_ORIGIN, options), aVisitor())
    await refused({})
    assert.equal((await accountOf(start.email))?.keys, 0)
    const forged = await aVisitor().post(stepOf(start.page), { ...fieldsOf(asked.body), credential: '{}' })
    assert.equal(forged.statusCode, 403)
  })

  test('leaves the link good for a password', async () => {
    const start = await signedUp()
    await begin(start)
    const reply = await start.visitor.submit(start.page, { token: start.token, password: 'battery staple 7' })
    assert.equal(reply.statusCode, 303, reply.body)
  })
})

describe('an account without a password', () => {
  test('keeps its last passkey, on the page and by the API, until there is another way in', async () => {
    const { visitor, email } = await withoutPassword()
    const page = (await visitor.get('/account/security')).body
    assert.match(page, /You sign in with a passkey, without a password/)
    const factor_id = /name="factor_id" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const removed = await visitor.post('/account/security/remove', {
      form_token: await visitor.formToken('/account/security'),
      factor_id,
    })
    assert.equal(removed.statusCode, 409)
    assert.match(removed.body, /Without this passkey nothing would open your account/)
    const token = visitor.jar.get('access_token')?.value ?? ''
    const reply = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/mfa/factors/${factor_id}`,
      headers: { authorization: `Bearer ${token}` },
      payload: {},
    })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'last_passkey'])
    assert.equal((await accountOf(email))?.keys, 1)
  })

  test('proves itself again by its passkey alone, and then changes its address and is erased', async () => {
    const { device, visitor, email } = await withoutPassword()
    const { user_id = '' } = (await accountOf(email)) ?? {}
    await db.pool`update sso.sessions set proven_at = proven_at - interval '20 minutes' where user_id = ${user_id}`
    const page = '/account/email'
    const confirm = await visitor.get(page)
    assert.match(String(confirm.headers.location), /^\/account\/confirm/)
    const asked = await visitor.follow(await visitor.submit(String(confirm.headers.location), {}))
    const credential = device.getJSON(PASSKEY_ORIGIN, optionsOn(asked.body, 'data-passkey'))
    const action = /action="([^"]+)" data-passkey/.exec(asked.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const proven = await visitor.post(action, {
      form_token: fieldsOf(asked.body)['form_token'] ?? '',
      credential: JSON.stringify(credential),
    })
    assert.equal(proven.headers.location, page, proven.body)
    const changed = await visitor.submit(page, { email: `other-${email}` })
    assert.match(changed.body, /Look into your new mailbox/)
    const erased = await visitor.submit('/account/erase', { confirmation: email })
    assert.equal(erased.statusCode, 200, erased.body)
    assert.equal(await accountOf(email), undefined)
  })

  test('is led from the page of the password to the mailed link, and told so by the API', async () => {
    const { visitor } = await withoutPassword()
    assert.equal((await visitor.get('/account/password')).headers.location, '/forgot-password')
    const reply = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/password/change',
      headers: { authorization: `Bearer ${visitor.jar.get('access_token')?.value}` },
      payload: { current_password: 'battery staple 7', new_password: 'battery staple 8' },
    })
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'password_not_set'])
  })

  test('is not told that a password is missing', async () => {
    const { visitor } = await withoutPassword()
    assert.ok(!(await visitor.get('/account')).body.includes('You have no password yet'))
  })

  test('may choose a password by mail, and is then asked for the passkey too', async () => {
    const { email } = await withoutPassword()
    const start = await recovering(email)
    await start.visitor.submit(RESET, { token: start.token, password: 'battery staple 7' })
    const reply = await aVisitor().submit('/sign-in', { name: email, password: 'battery staple 7' })
    assert.match(String(reply.headers.location), /^\/sign-in\/mfa/)
  })
})

describe('recovering an account', () => {
  test('takes the mailed link and a recovery code, keeps the other factor and ends all sessions', async () => {
    const { email, codes, visitor } = await withoutPassword()
    const start = await recovering(email)
    const asked = await begin(start)
    assert.match(asked.body, /Recovery code/)
    assert.match(asked.body, /an administrator can remove what you lost/)
    assert.ok(!asked.body.includes('data-passkey='))
    const fresh = aDevice()
    const { reply } = await makeOn(start, fresh, { recovery_code: codes[0]?.toLowerCase() ?? '' })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.match(reply.body, /Your passkey is saved/)
    assert.equal((await accountOf(email))?.keys, 2)
    assert.ok((await mailsTo(email)).some(({ kind }) => kind === 'factor_added_notice'))
    assert.match(String((await visitor.get('/account')).headers.location), /^\/sign-in/)
    assert.equal((await signInByPasskey(aVisitor(), fresh)).statusCode, 303)
    await db.pool`delete from sso.messages where recipient = ${email} and kind = 'password_reset'`
    const next = await recovering(email)
    const spent = await begin(next, { recovery_code: codes[0] ?? '' })
    assert.match(spent.body, /The code is wrong/)
  })

  test('by the mailed link alone is refused, in both steps', async () => {
    const { email } = await withoutPassword()
    const start = await recovering(email)
    for (const recovery_code of ['AAAA-AAAA-AAAA-AAAA', ''])
      assert.ok(!(await begin(start, { recovery_code })).body.includes('data-passkey='))
    // Whoever makes up the second form has a challenge of their own page.
    const other = await signedUp()
    const options = optionsOn((await begin({ ...other, visitor: start.visitor })).body, 'data-passkey')
    const credential = JSON.stringify(aDevice().createJSON(PASSKEY_ORIGIN, options))
    const form_token = await start.visitor.formToken(RESET)
    for (const recovery_code of ['AAAA-AAAA-AAAA-AAAA', '']) {
      const form = { form_token, token: start.token, credential, recovery_code }
      const reply = await start.visitor.post(`${RESET}/passkey/create`, form)
      assert.equal(reply.statusCode, 401, reply.body)
    }
    assert.equal((await accountOf(email))?.keys, 1)
  })

  test('counts wrong recovery codes as wrong second factors, and tells the person', async () => {
    const { email } = await withoutPassword()
    const start = await recovering(email)
    const replies = []
    for (let n = 0; n < 11; n++) replies.push(await begin(start, { recovery_code: `AAAA-${n}` }))
    assert.equal(replies[9]?.statusCode, 401)
    assert.equal(replies[10]?.statusCode, 429)
    assert.ok((await mailsTo(email)).some(({ kind }) => kind === 'second_factor_failed_notice'))
  })

  test('spends a recovery code and the link once for ten at once', async () => {
    const { email, codes } = await withoutPassword()
    const start = await recovering(email)
    const asked = await begin(start, { recovery_code: codes[0] ?? '' })
    const options = optionsOn(asked.body, 'data-passkey')
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        start.visitor.post(`${RESET}/passkey/create`, {
          ...fieldsOf(asked.body),
          credential: JSON.stringify(aDevice().createJSON(PASSKEY_ORIGIN, options)),
        }),
      ),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal((await accountOf(email))?.keys, 2)
  })

  test('of a person with a password and no factor needs no code and shows new ones', async () => {
    const anna = await aUser()
    const start = await recovering(anna.email)
    await db.pool`update sso.users set email_proven_at = clock_timestamp() where user_id = ${anna.user_id}`
    const device = aDevice()
    const { reply } = await makeOn(start, device)
    assert.equal(codesOn(reply.body).length, 10, reply.body)
    assert.equal((await signInByPasskey(aVisitor(), device)).statusCode, 303)
  })

  test('of a person with an app and without codes names who can help', async () => {
    const anna = await aUser()
    await db.pool`update sso.users set email_proven_at = clock_timestamp() where user_id = ${anna.user_id}`
    await addTotp(anna)
    const { body } = await begin(await recovering(anna.email), { recovery_code: 'AAAA' })
    assert.match(body, /it has no recovery codes/)
    assert.ok(!body.includes('name="recovery_code"'))
  })

  test('works by the link alone once an administrator removed the factors', async () => {
    const { email } = await withoutPassword()
    const { user_id = '' } = (await accountOf(email)) ?? {}
    await db.pool`delete from sso.mfa_factors where user_id = ${user_id}`
    await db.pool`delete from sso.recovery_codes where user_id = ${user_id}`
    const device = aDevice()
    await makeOn(await recovering(email), device)
    assert.equal((await signInByPasskey(aVisitor(), device)).statusCode, 303)
  })

  test('never hands over the passkey of another account', async () => {
    const [anna, { email, codes }] = [await aPasskeyOwner(), await withoutPassword()]
    const start = await recovering(email)
    const asked = await begin(start, { recovery_code: codes[0] ?? '' })
    const credential = aDevice().createJSON(PASSKEY_ORIGIN, optionsOn(asked.body, 'data-passkey'))
    await db.pool`update sso.mfa_factors set credential_id = ${credential.id} where user_id = ${anna.user_id}`
    const form = { ...fieldsOf(asked.body), credential: JSON.stringify(credential) }
    assert.equal((await start.visitor.post(`${RESET}/passkey/create`, form)).statusCode, 409)
    assert.equal((await begin(start, { recovery_code: codes[0] ?? '' })).statusCode, 200)
  })
})
