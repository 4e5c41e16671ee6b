import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { addTotp, challenge, freshStep, mailedCode } from '#testing/mfa.ts'
import { aUser, homeSite, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { sso, db } = await world()
const site = await homeSite()

const post = (url: string, headers: Record<string, string>, payload: object) =>
  sso.inject({ method: 'POST', url: `/api/v1${url}`, headers, payload })
const send = (mfa_token: string) => post('/auth/mfa/options', site.headers, { mfa_token, method: 'email' })
const verify = (payload: object) => post('/auth/mfa/verify', site.headers, payload)
const enrol = (person: Person) => post('/mfa/factors', person.headers, { type: 'email' })
const ask = (person: Person) => challenge(person, site.headers)

/** A person whose address is verified and who gets codes there. */
async function withCodes(): Promise<Person & { factor_id: string }> {
  const person = await aUser()
  await db.pool`
    update sso.users set email_verified = true, email_proven_at = clock_timestamp() where user_id = ${person.user_id}`
  const begun = await enrol(person)
  assert.equal(begun.statusCode, 201, begun.body)
  const { factor_id } = begun.json()
  const code = await mailedCode(person.user_id)
  const active = await post(`/mfa/factors/${factor_id}/activate`, person.headers, { code })
  assert.equal(active.statusCode, 200, active.body)
  return { ...person, factor_id }
}

describe('codes by e-mail', () => {
  test('require a verified address', async () => {
    const anna = await aUser()
    const reply = await enrol(anna)
    assert.equal(reply.statusCode, 409)
    assert.equal(reply.json().code, 'email_not_verified')
    const mails = await db.fast`
      select from sso.messages where user_id = ${anna.user_id} and kind = 'mfa_code'`
    assert.equal(mails.length, 0)
  })

  test('are enabled by the first returned code, once per person', async () => {
    const anna = await withCodes()
    assert.deepEqual((await ask(anna)).mfa_methods, ['email'])
    const again = await enrol(anna)
    assert.equal(again.statusCode, 409)
    assert.equal(again.json().code, 'factor_exists')
  })

  test('complete their own sign-in, once', async () => {
    const anna = await withCodes()
    const { mfa_token } = await ask(anna)
    assert.equal(
      (await verify({ mfa_token, code: '000000' })).json().code,
      'mfa_code_invalid',
      'none was sent',
    )
    const sent = await send(mfa_token)
    assert.equal(sent.statusCode, 200, sent.body)
    assert.deepEqual(sent.json(), {
      method: 'email',
      sent_to: 'p***@example.org',
      resend_after: 60,
    })
    const code = await mailedCode(anna.user_id)
    const replies = await Promise.all(Array.from({ length: 50 }, () => verify({ mfa_token, code })))
    const [good, ...others] = replies.filter((reply) => reply.statusCode === 200)
    assert.ok(good)
    assert.equal(others.length, 0)
    assert.deepEqual(decodeJwt(good.json().access_token)['amr'], ['pwd', 'email'])
    assert.equal((await verify({ ...(await ask(anna)), code })).json().code, 'mfa_code_invalid')
  })

  test('are mailed once a minute per sign-in, and the newest counts', async () => {
    const anna = await withCodes()
    const { mfa_token } = await ask(anna)
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(mfa_token)))
    assert.equal(replies.filter((reply) => reply.statusCode === 200).length, 1)
    const refused = replies.find((reply) => reply.statusCode === 429)
    assert.ok(refused)
    assert.ok(Number(refused.headers['retry-after']) > 55)
    const old = await mailedCode(anna.user_id)
    await db.pool`
      update sso.mfa_challenges set email_sent_at = email_sent_at - interval '61 seconds'
       where user_id = ${anna.user_id}`
    assert.equal((await send(mfa_token)).statusCode, 200)
    const code = await mailedCode(anna.user_id)
    assert.notEqual(code, old, 'one in a million')
    assert.equal((await verify({ mfa_token, code: old })).statusCode, 401)
    assert.equal((await verify({ mfa_token, code })).statusCode, 200)
  })

  test('work only for the sign-in they were mailed for', async () => {
    const anna = await withCodes()
    const [first, second] = [await ask(anna), await ask(anna)]
    await send(first.mfa_token)
    const code = await mailedCode(anna.user_id)
    assert.equal((await verify({ mfa_token: second.mfa_token, code })).statusCode, 401)
    assert.equal((await verify({ mfa_token: first.mfa_token, code })).statusCode, 200)
  })

  test('go to the address of their setup, even after a change', async () => {
    const anna = await withCodes()
    await db.pool`
      update sso.users set email = 'x' || email, email_fold = 'x' || email_fold where user_id = ${anna.user_id}`
    const { mfa_token } = await ask({ ...anna, email: `x${anna.email}` })
    assert.equal((await send(mfa_token)).statusCode, 200)
    const [message] = await db.fast<{ recipient: string }[]>`
      select recipient from sso.messages where user_id = ${anna.user_id} and kind = 'mfa_code'
       order by created_at desc, message_id desc limit 1`
    assert.equal(message?.recipient, anna.email)
  })

  test('yield to app codes unless the method is named', async () => {
    const anna = await withCodes()
    const totp = await addTotp(anna)
    const asked = await ask(anna)
    assert.deepEqual(asked.mfa_methods, ['totp', 'email'])
    await send(asked.mfa_token)
    const code = await mailedCode(anna.user_id)
    assert.equal((await verify({ ...asked, code })).statusCode, 401)
    assert.equal((await verify({ ...asked, code, method: 'email' })).statusCode, 200)
    await freshStep(anna.user_id)
    assert.equal((await verify({ ...(await ask(anna)), code: totp.code() })).statusCode, 200)
  })

  test('are stored as HMAC only', async () => {
    const anna = await withCodes()
    await send((await ask(anna)).mfa_token)
    const code = await mailedCode(anna.user_id)
    const rows = await db.pool<{ row: string }[]>`
      select c.email_code_hmac::text as row from sso.mfa_challenges c where user_id = ${anna.user_id}`
    assert.equal(rows.length, 1)
    assert.equal(rows[0]?.row.length, 2 + 64)
    assert.ok(!rows[0]?.row.includes(Buffer.from(code).toString('hex')))
  })
})
