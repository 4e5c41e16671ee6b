import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { aSite, aUser } from '#testing/people.ts'
import {
  addPasskey,
  aDevice,
  aPasskeyOwner,
  optionsOn,
  signInByPasskey,
  signOnPage,
} from '#testing/passkeys.ts'
import { mailsTo } from '#testing/mail.ts'
import { aVisitor, cookiesOf } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const { db, sso } = await world()
const BACK = '?return_to=http%3A%2F%2F127.0.0.1%3A8065%2Fwelcome'
const tokenOf = (reply: Parameters<typeof cookiesOf>[0]) =>
  decodeJwt(cookiesOf(reply).get('access_token')?.value ?? '')
const sessionsOf = async (user_id: string) =>
  (await db.pool`select from sso.sessions where user_id = ${user_id}`).length

describe('signing in by a passkey', () => {
  test('needs no name and no password, and returns to where the visit began', async () => {
    const anna = await aPasskeyOwner()
    const reply = await signInByPasskey(aVisitor(), anna.device, BACK)
    assert.equal(reply.statusCode, 303, reply.body)
    assert.equal(reply.headers.location, 'http://127.0.0.1:8065/welcome')
    const { sub, amr } = tokenOf(reply)
    assert.equal(sub, anna.user_id)
    assert.deepEqual(amr, ['hwk', 'user', 'mfa'])
  })

  test('names no passkey to a stranger, and asks that the device knows its user', async () => {
    await aPasskeyOwner()
    const { body, headers } = await aVisitor().get('/sign-in')
    const { challenge, ...options } = optionsOn(body)
    assert.ok(Buffer.from(challenge, 'base64url').length >= 16)
    assert.deepEqual(options, {
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'required',
      allowCredentials: [],
    })
    assert.match(body, /autocomplete="username webauthn"/)
    assert.match(String(headers['content-security-policy']), /connect-src 'self'/)
  })

  test('stores nothing for a page that is only looked at', async () => {
    const count = async () => (await db.pool`select from sso.spent_challenges`).length
    const before = await count()
    const visitor = aVisitor()
    for (let n = 0; n < 3; n++) await visitor.get('/sign-in')
    const { headers } = await visitor.get('/sign-in/passkey/options')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(await count(), before)
  })

  test('works with a challenge that the page asked for later', async () => {
    const [anna, visitor] = [await aPasskeyOwner(), aVisitor()]
    const form_token = await visitor.formToken('/sign-in')
    const options = (await visitor.get('/sign-in/passkey/options')).json()
    const credential = JSON.stringify(anna.device.getJSON('http://localhost:8064', options))
    const reply = await visitor.post('/sign-in/passkey', { form_token, credential })
    assert.equal(reply.statusCode, 303, reply.body)
  })

  test('opens the account pages without asking for the password', async () => {
    const [anna, visitor] = [await aPasskeyOwner(), aVisitor()]
    await signInByPasskey(visitor, anna.device)
    assert.equal((await visitor.get('/account/security')).statusCode, 200)
  })

  test('fulfils the second factor that a site demands', async () => {
    const anna = await aPasskeyOwner()
    await db.pool`update sso.sites set require_mfa = 'all' where site_code = 'console'`
    try {
      const reply = await signInByPasskey(aVisitor(), anna.device, '?site_code=console')
      assert.ok(cookiesOf(reply).has('access_token'), reply.body)
    } finally {
      await db.pool`update sso.sites set require_mfa = 'none' where site_code = 'console'`
    }
  })

  test('tells the person of a new device', async () => {
    const anna = await aPasskeyOwner()
    const visitor = aVisitor()
    const signed = await signOnPage(visitor, anna.device)
    await visitor.post(signed.url, signed.form, { headers: { 'user-agent': 'Another Browser' } })
    assert.ok((await mailsTo(anna.email)).some(({ kind }) => kind === 'new_device_notice'))
  })

  test('asks for consent at a partner site, which learns nothing before', async () => {
    const [anna, partner, visitor] = [await aPasskeyOwner(), await aSite(), aVisitor()]
    await db.pool`update sso.sites set callback_url = 'https://partner.example/back' where site_id = ${partner.site_id}`
    const reply = await signInByPasskey(visitor, anna.device, `?site_code=${partner.site_code}`)
    assert.match(String(reply.headers.location), /^\/sign-in\/consent/)
    const members = () =>
      db.pool`select from sso.memberships where user_id = ${anna.user_id} and site_id = ${partner.site_id}`
    assert.equal((await members()).length, 0)
    const allowed = await visitor.allow(reply)
    assert.match(String(allowed.headers.location), /^https:\/\/partner\.example\/back\?code=/)
    assert.equal((await members()).length, 1)
  })

  test('tells an OpenID client, once the person agreed, what was proven', async () => {
    const [anna, client, visitor] = [await aPasskeyOwner(), await aSite(), aVisitor()]
    const redirect_uri = 'https://partner.example/cb'
    const made = await sso.inject({
      method: 'PUT',
      url: `/api/v1/sites/${client.site_id}/openid-client`,
      headers: client.owner.headers,
      payload: { redirect_uris: [redirect_uri] },
    })
    const code_verifier = 'v'.repeat(43)
    const asked = new URLSearchParams({
      client_id: client.site_code,
      redirect_uri,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const start = await visitor.get(`/openid/authorize?${asked.toString()}`)
    const query = String(start.headers.location).replace('/sign-in', '')
    const allowed = await visitor.allow(await signInByPasskey(visitor, anna.device, query))
    const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
    const secret = Buffer.from(`${client.site_code}:${made.json().client_secret}`).toString('base64')
    const tokens = await sso.inject({
      method: 'POST',
      url: '/openid/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${secret}` },
      payload: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        code_verifier,
        redirect_uri,
      }).toString(),
    })
    assert.equal(tokens.statusCode, 200, tokens.body)
    assert.deepEqual(decodeJwt(tokens.json().id_token)['amr'], ['hwk', 'user', 'mfa'])
  })
})

describe('a passkey is refused', () => {
  /** Posts the form and expects the page again. */
  async function refused(visitor: ReturnType<typeof aVisitor>, form: Record<string, string>) {
    const reply = await visitor.post('/sign-in/passkey', form)
    assert.equal(reply.statusCode, 401, reply.body)
    assert.match(reply.body, /This passkey was not accepted/)
    assert.deepEqual([...cookiesOf(reply).keys()], ['sso_form'])
  }

  test('when its answer comes a second time, whether it counts or not', async () => {
    for (const counts of [true, false]) {
      const [anna, visitor] = [await aPasskeyOwner({ counts }), aVisitor()]
      const { form } = await signOnPage(visitor, anna.device)
      assert.equal((await visitor.post('/sign-in/passkey', form)).statusCode, 303)
      await refused(visitor, form)
      assert.equal(await sessionsOf(anna.user_id), 2)
    }
  })

  test('for all but one of fifty answers at once', async () => {
    for (const counts of [true, false]) {
      const [anna, visitor] = [await aPasskeyOwner({ counts }), aVisitor()]
      const { form } = await signOnPage(visitor, anna.device)
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => visitor.post('/sign-in/passkey', form)),
      )
      assert.equal(replies.filter(({ statusCode }) => statusCode === 303).length, 1)
      assert.equal(await sessionsOf(anna.user_id), 2)
    }
  })

  test('when another browser posts the form', async () => {
    const [anna, mallory, victim] = [await aPasskeyOwner(), aVisitor(), aVisitor()]
    const { form } = await signOnPage(mallory, anna.device)
    const form_token = await victim.formToken('/sign-in')
    assert.equal((await victim.post('/sign-in/passkey', form)).statusCode, 403)
    await refused(victim, { ...form, form_token })
    assert.equal(await sessionsOf(anna.user_id), 1)
  })

  test('when it answered another origin or another name', async () => {
    const [anna, visitor] = [await aPasskeyOwner(), aVisitor()]
    const elsewhere = await signOnPage(visitor, anna.device, '', 'http://evil.localhost:8064')
    await refused(visitor, elsewhere.form)
    const { form, signed } = await signOnPage(visitor, anna.device)
    const data = Buffer.from(signed.response.authenticatorData, 'base64url')
    data[0] = (data[0] ?? 0) ^ 1
    const other = { ...signed.response, authenticatorData: data.toString('base64url') }
    await refused(visitor, { ...form, credential: JSON.stringify({ ...signed, response: other }) })
  })

  test('on the callback address of a partner, where it is no sign-in of ours', async () => {
    const [anna, partner, visitor] = [await aPasskeyOwner(), await aSite(), aVisitor()]
    await db.pool`update sso.sites set callback_url = 'http://sub.localhost:8064/back' where site_id = ${partner.site_id}`
    const query = `?site_code=${partner.site_code}`
    const { url, form } = await signOnPage(visitor, anna.device, query, 'http://sub.localhost:8064')
    assert.equal((await visitor.post(url, form)).statusCode, 401)
  })

  test('when it does not know its user', async () => {
    const [anna, visitor] = [await aPasskeyOwner(), aVisitor()]
    const { form, signed } = await signOnPage(visitor, anna.device)
    const weak = aDevice({ knowsUser: false })
    const ben = await aUser()
    await addPasskey(ben, weak)
    const data = Buffer.from(signed.response.authenticatorData, 'base64url')
    data[32] = (data[32] ?? 0) & ~0x04
    const unverified = { ...signed.response, authenticatorData: data.toString('base64url') }
    await refused(visitor, { ...form, credential: JSON.stringify({ ...signed, response: unverified }) })
    const { body } = await visitor.get('/sign-in')
    const options = { ...optionsOn(body), userVerification: 'discouraged' }
    const touched = weak.getJSON('http://localhost:8064', options)
    assert.equal((Buffer.from(touched.response.authenticatorData, 'base64url')[32] ?? 0) & 0x04, 0)
    await refused(visitor, { form_token: form.form_token, credential: JSON.stringify(touched) })
  })

  test('under the name of another person, with the same answer as an unknown one', async () => {
    const [anna, ben, visitor] = [await aPasskeyOwner(), await aPasskeyOwner(), aVisitor()]
    const [mine, theirs] = [await signOnPage(visitor, anna.device), await signOnPage(aVisitor(), ben.device)]
    const { id, rawId } = theirs.signed
    await refused(visitor, { ...mine.form, credential: JSON.stringify({ ...mine.signed, id, rawId }) })
    const { userHandle } = theirs.signed.response
    const posed = { ...mine.signed, response: { ...mine.signed.response, userHandle } }
    await refused(visitor, { ...mine.form, credential: JSON.stringify(posed) })
    await refused(visitor, {
      ...mine.form,
      credential: JSON.stringify({ ...mine.signed, id: 'x', rawId: 'x' }),
    })
    for (const credential of ['{}', '{"id":{}}', '{"id":"x","response":null}'])
      await refused(visitor, { ...mine.form, credential })
    for (const credential of ['', 'null', '[', '7']) {
      const { statusCode } = await visitor.post('/sign-in/passkey', { ...mine.form, credential })
      assert.ok([400, 422].includes(statusCode), `${credential}: ${statusCode}`)
    }
    assert.equal((await visitor.post('/sign-in/passkey', mine.form)).statusCode, 303)
  })

  test('in the sandbox, if it belongs to somebody in production', async () => {
    const [anna, partner, visitor] = [
      await aPasskeyOwner(),
      await aSite({ environment: 'sandbox' }),
      aVisitor(),
    ]
    await db.pool`update sso.sites set callback_url = 'https://partner.example/back' where site_id = ${partner.site_id}`
    const { url, form } = await signOnPage(visitor, anna.device, `?site_code=${partner.site_code}`)
    assert.equal((await visitor.post(url, form)).statusCode, 401)
  })

  test('in production, if it belongs to somebody in the sandbox', async () => {
    const [anna, visitor] = [await aPasskeyOwner(), aVisitor()]
    await db.pool`update sso.users set environment = 'sandbox' where user_id = ${anna.user_id}`
    await refused(visitor, (await signOnPage(visitor, anna.device)).form)
  })

  test('of a suspended account with its own answer, and only if it was right', async () => {
    const [anna, visitor] = [await aPasskeyOwner(), aVisitor()]
    const { form, signed } = await signOnPage(visitor, anna.device)
    await db.pool`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`
    const wrong = { ...signed, response: { ...signed.response, userHandle: 'x' } }
    await refused(visitor, { ...form, credential: JSON.stringify(wrong) })
    const reply = await visitor.post('/sign-in/passkey', form)
    assert.equal(reply.statusCode, 401)
    assert.match(reply.body, /This account is suspended/)
  })

  test('when its challenge is older than five minutes', async () => {
    const [anna, visitor] = [await aPasskeyOwner(), aVisitor()]
    const { form } = await signOnPage(visitor, anna.device)
    const now = Date.now
    Date.now = () => now() + 301_000
    try {
      await refused(visitor, form)
    } finally {
      Date.now = now
    }
  })

  test('once it was removed, and the failure stands in the audit log', async () => {
    const [anna, visitor] = [await aPasskeyOwner(), aVisitor()]
    const { form } = await signOnPage(visitor, anna.device)
    const removed = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/mfa/factors/${anna.factor_id}`,
      headers: anna.headers,
      payload: { password: anna.password },
    })
    assert.equal(removed.statusCode, 204, removed.body)
    await refused(visitor, form)
    const kept = await aPasskeyOwner()
    const { form: theirs, signed } = await signOnPage(visitor, kept.device)
    const wrong = { ...signed, response: { ...signed.response, signature: 'AAAA' } }
    await refused(visitor, { ...theirs, credential: JSON.stringify(wrong) })
    const [act] = await db.pool<{ details: object }[]>`
      select details from sso.audit_log where subject_user_id = ${kept.user_id} and action = 'login.failed'`
    assert.deepEqual(act?.details, { method: 'webauthn', reason: 'passkey_invalid' })
  })
})
