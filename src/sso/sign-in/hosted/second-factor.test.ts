import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tokenFor } from '#testing/mail.ts'
import { addTotp, freshStep, mailedCode } from '#testing/mfa.ts'
import { aUser, type Person } from '#testing/people.ts'
import { aVisitor, cookiesOf } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const query = '?site_code=learning&return_to=http%3A%2F%2F127.0.0.1%3A8065%2Fx'

async function enrolled() {
  const anna = await aUser()
  return { anna, totp: await addTotp(anna) }
}
async function atTheSecondStep({ email, password }: Person) {
  const visitor = aVisitor()
  const reply = await visitor.submit(`/sign-in${query}`, { name: email, password })
  assert.equal(reply.statusCode, 303)
  assert.equal(reply.headers.location, `/sign-in/mfa${query}`)
  return { visitor, reply }
}
const sessionsOf = async ({ user_id }: Person) => {
  const { db } = await world()
  return (await db.fast`select from sso.sessions where user_id = ${user_id}`).length
}

describe('the page for the second factor', () => {
  test('follows the password without session, with a private token', async () => {
    const { anna } = await enrolled()
    const { visitor, reply } = await atTheSecondStep(anna)
    const cookies = cookiesOf(reply)
    assert.deepEqual([...cookies.keys()], ['sso_mfa'])
    const { value = '', ...rest } = cookies.get('sso_mfa') ?? {}
    assert.deepEqual(rest, {
      name: 'sso_mfa',
      path: '/sign-in/mfa',
      httpOnly: true,
      sameSite: 'strict',
      maxAge: 300,
    })
    const { body } = await visitor.get(`/sign-in/mfa${query}`)
    assert.match(body, /autocomplete="one-time-code"/)
    const [token = ''] = value.split('.')
    assert.ok(token.startsWith('mfat_') && !body.includes(token) && !reply.headers.location?.includes(token))
    assert.equal(await sessionsOf(anna), 1)
  })

  test('accepts a code with spaces and clears its cookie', async () => {
    const { anna, totp } = await enrolled()
    const { visitor } = await atTheSecondStep(anna)
    const code = totp.code().replace(/(\d{3})/, '$1 ')
    const reply = await visitor.submit(`/sign-in/mfa${query}`, { code })
    assert.equal(reply.statusCode, 303, reply.body)
    assert.equal(reply.headers.location, 'http://127.0.0.1:8065/x')
    assert.deepEqual([...visitor.jar.keys()].toSorted(), [
      'access_token',
      'sso_form',
      'sso_known',
      'sso_refresh',
    ])
    await freshStep(anna.user_id)
    assert.equal((await visitor.get(`/sign-in${query}`)).headers.location, 'http://127.0.0.1:8065/x')
  })

  test('accepts one of fifty forms with the same code', async () => {
    const { anna, totp } = await enrolled()
    const { visitor } = await atTheSecondStep(anna)
    const fields = { form_token: await visitor.formToken(`/sign-in/mfa${query}`), code: totp.code() }
    const jars = Array.from({ length: 50 }, () => new Map(visitor.jar))
    const replies = await Promise.all(
      jars.map((jar) => aVisitor({ jar }).post(`/sign-in/mfa${query}`, fields)),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 303).length, 1)
    assert.equal(await sessionsOf(anna), 2)
  })

  test('reports a wrong code, and restarts after five', async () => {
    const { anna, totp } = await enrolled()
    const { visitor } = await atTheSecondStep(anna)
    for (let guess = 1; guess <= 5; guess++) {
      const reply = await visitor.submit(`/sign-in/mfa${query}`, { code: '000000' })
      assert.equal(reply.statusCode, 401)
      assert.match(reply.body, /id="code-fault">\s*The code is wrong/)
    }
    const over = await visitor.submit(`/sign-in/mfa${query}`, { code: totp.code() })
    assert.equal(over.statusCode, 401)
    assert.match(over.body, /<h1>Sign in<\/h1>[\s\S]+too many codes were wrong/)
    assert.equal(visitor.jar.has('sso_mfa'), false)
    assert.equal(await sessionsOf(anna), 1)
  })

  test('leads back to the password without a pending sign-in', async () => {
    const reply = await aVisitor().get(`/sign-in/mfa${query}`)
    assert.equal(reply.statusCode, 303)
    assert.equal(reply.headers.location, `/sign-in${query}`)
    const jar = new Map([['sso_mfa', { value: 'mfat_made-up.totp', path: '/sign-in/mfa' }]])
    const made = await aVisitor({ jar }).submit(`/sign-in/mfa${query}`, { code: '123456' })
    assert.match(made.body, /<h1>Sign in<\/h1>/)
  })

  test('is useless at another site', async () => {
    const { anna, totp } = await enrolled()
    const { visitor } = await atTheSecondStep(anna)
    const reply = await visitor.submit('/sign-in/mfa?site_code=collections', { code: totp.code() })
    assert.equal(reply.statusCode, 401)
    assert.equal(await sessionsOf(anna), 1)
  })

  test('needs the token of its form', async () => {
    const { anna, totp } = await enrolled()
    const { visitor } = await atTheSecondStep(anna)
    const reply = await visitor.post(`/sign-in/mfa${query}`, { form_token: 'x', code: totp.code() })
    assert.equal(reply.statusCode, 403)
    assert.equal(await sessionsOf(anna), 1)
  })

  test('mails a code on request and shows the address', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    const post = (url: string, payload: object) =>
      sso.inject({ method: 'POST', url, headers: anna.headers, payload })
    const token = await tokenFor(anna.email, 'email_verification')
    await aVisitor().submit('/verify-email', { token, password: anna.password })
    const begun = await post('/api/v1/mfa/factors', { type: 'email' })
    assert.equal(begun.statusCode, 201, begun.body)
    const code = await mailedCode(anna.user_id)
    const done = await post(`/api/v1/mfa/factors/${begun.json().factor_id}/activate`, { code })
    assert.equal(done.statusCode, 200, done.body)

    const { visitor } = await atTheSecondStep(anna)
    const form_token = await visitor.formToken(`/sign-in/mfa${query}`)
    const sent = await visitor.post(`/sign-in/mfa/email${query}`, { form_token })
    assert.equal(sent.statusCode, 200)
    assert.match(sent.body, /A code is on its way to p\*\*\*@example\.org/)
    const soon = await visitor.post(`/sign-in/mfa/email${query}`, { form_token })
    assert.equal(soon.statusCode, 429)
    assert.ok(Number(soon.headers['retry-after']) > 50)
    const reply = await visitor.submit(`/sign-in/mfa${query}`, { code: await mailedCode(anna.user_id) })
    assert.equal(reply.statusCode, 303)
  })

  test('takes the mailed code of who has an app as well, and still a recovery code', async () => {
    const [{ anna }, { sso, db }] = [await enrolled(), await world()]
    await db.pool`
      insert into sso.mfa_factors (factor_id, user_id, type, email, activated_at)
      values (gen_random_uuid(), ${anna.user_id}, 'email', ${anna.email}, clock_timestamp())`
    const made = await sso.inject({
      method: 'POST',
      url: '/api/v1/mfa/recovery-codes',
      headers: anna.headers,
      payload: {},
    })
    const [spare] = made.json().codes as string[]
    const askForMail = async () => {
      const { visitor } = await atTheSecondStep(anna)
      const form_token = await visitor.formToken(`/sign-in/mfa${query}`)
      const { body } = await visitor.post(`/sign-in/mfa/email${query}`, { form_token })
      const [, method = ''] = /name="method" value="([^"]+)"/.exec(body) ?? []
      return (code: string) => visitor.submit(`/sign-in/mfa${query}`, { ...(method && { method }), code })
    }
    const enter = await askForMail()
    assert.equal((await enter(await mailedCode(anna.user_id))).statusCode, 303)
    const enterSpare = await askForMail()
    assert.equal((await enterSpare(spare ?? '')).statusCode, 303)
  })
})
