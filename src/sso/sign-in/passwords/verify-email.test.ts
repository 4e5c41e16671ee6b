import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { mailsTo, tokenFor } from '#testing/mail.ts'
import { aSite, aUser, type Headers, homeSite } from '#testing/people.ts'
import { world } from '#testing/world.ts'

async function post(path: string, payload: object, headers?: Headers) {
  const { sso } = await world()
  return sso.inject({
    method: 'POST',
    url: `/api/v1/auth/email/${path}`,
    headers: headers ?? (await homeSite()).headers,
    payload,
  })
}
const verify = (token: string, headers?: Headers, password?: string) =>
  post('verify', { token, password }, headers)
const resend = (email: string, headers?: Headers) => post('resend', { email }, headers)
const linksTo = async (email: string) =>
  (await mailsTo(email)).filter(({ kind }) => kind === 'email_verification')
const aMinuteLater = async (user_id: string) => {
  const { db } = await world()
  await db.pool`update sso.messages set created_at = created_at - interval '61 seconds' where user_id = ${user_id}`
}

const withoutId = (body = '{}') => ({ ...(JSON.parse(body) as object), request_id: undefined })

describe('registration', () => {
  test('mails one link, valid for 24 hours', async () => {
    const anna = await aUser()
    const mails = await linksTo(anna.email)
    assert.equal(mails.length, 1)
    assert.match(mails[0]?.text ?? '', /http:\/\/127\.0\.0\.1:8064\/verify-email#token=ott_[\w-]{43}\n/)
    const { db } = await world()
    const [stored] = await db.pool<{ seconds: number }[]>`
      select extract(epoch from expires_at - created_at)::int as seconds from sso.one_time_tokens
       where user_id = ${anna.user_id}`
    assert.equal(stored?.seconds, 86_400)
  })

  test('mails no name chosen by the registering person', async () => {
    const { sso } = await world()
    const email = `new-${randomBytes(6).toString('hex')}@example.org`
    await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      headers: (await homeSite()).headers,
      payload: { email, password: 'battery staple 7', display_name: 'You won, see http://evil.example' },
    })
    const [mail] = await linksTo(email)
    assert.ok(mail && !mail.text.includes('evil') && !mail.subject.includes('evil'))
  })
})

describe('POST /api/v1/auth/email/verify', () => {
  test('verifies the address and returns the person', async () => {
    const anna = await aUser()
    const token = await tokenFor(anna.email, 'email_verification')
    const reply = await verify(token, undefined, anna.password)
    assert.equal(reply.statusCode, 200, reply.body)
    const user = reply.json()
    assert.equal(user.user_id, anna.user_id)
    assert.equal(user.email_verified, true)
    assert.equal(user.version, 2)
    assert.deepEqual(user.roles, [{ site_code: 'learning', role: 'USER' }])
    const { sso } = await world()
    const self = await sso.inject({ url: `/api/v1/users/${anna.user_id}`, headers: anna.headers })
    assert.equal(self.statusCode, 200, 'nobody is signed out by it')
    assert.equal(self.json().email_verified, true)
  })

  test('admits exactly one of fifty with the link', async () => {
    const anna = await aUser()
    const token = await tokenFor(anna.email, 'email_verification')
    const codes = (await Promise.all(Array.from({ length: 50 }, () => verify(token)))).map(
      ({ statusCode }) => statusCode,
    )
    assert.equal(codes.filter((code) => code === 200).length, 1)
    assert.equal(codes.filter((code) => code === 401).length, 49)
  })

  test('refuses links of other sites, purposes, addresses, and expired ones', async () => {
    const [anna, ben, carl, { db }] = [await aUser(), await aUser(), await aUser(), await world()]
    const [hers, his, carls] = [
      await tokenFor(anna.email, 'email_verification'),
      await tokenFor(ben.email, 'email_verification'),
      await tokenFor(carl.email, 'email_verification'),
    ]
    await db.pool`update sso.one_time_tokens set expires_at = clock_timestamp() - interval '1 second' where user_id = ${ben.user_id}`
    const email = `new-${randomBytes(6).toString('hex')}@example.org`
    await db.pool`update sso.users set email = ${email}, email_fold = ${email} where user_id = ${carl.user_id}`
    const sso = (await world()).sso
    await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/password/forgot',
      headers: (await homeSite()).headers,
      payload: { email: anna.email },
    })
    const replies = [
      await verify(hers, (await aSite()).headers),
      await verify(hers, (await aSite({ environment: 'sandbox' })).headers),
      await verify(his),
      await verify(carls),
      await verify(await tokenFor(anna.email, 'password_reset')),
      await verify('x'),
    ]
    for (const reply of replies) {
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.json().code, 'token_invalid')
      assert.deepEqual(withoutId(reply.body), withoutId(replies[0]?.body))
    }
    assert.equal((await post('verify', {})).statusCode, 400)
    assert.equal((await verify(hers)).statusCode, 200)
  })
})

describe('POST /api/v1/auth/email/resend', () => {
  test('mails again after a minute; both links work until used', async () => {
    const anna = await aUser()
    assert.equal((await resend(anna.email)).statusCode, 202)
    assert.equal((await linksTo(anna.email)).length, 1)
    await aMinuteLater(anna.user_id)
    const replies = await Promise.all(Array.from({ length: 20 }, () => resend(anna.email)))
    assert.ok(replies.every(({ statusCode }) => statusCode === 202))
    const mails = await linksTo(anna.email)
    assert.equal(mails.length, 2)
    assert.equal((await verify(mails[0]?.token ?? '')).statusCode, 200)
    assert.equal((await verify(mails[1]?.token ?? '')).statusCode, 401)
  })

  test('answers unknown and verified addresses alike, without mail', async () => {
    const anna = await aUser()
    await verify(await tokenFor(anna.email, 'email_verification'))
    await aMinuteLater(anna.user_id)
    const replies = []
    for (const email of [anna.email, `nobody-${randomBytes(6).toString('hex')}@example.org`, 'no address'])
      replies.push(await resend(email))
    for (const reply of replies) {
      assert.equal(reply.statusCode, 202)
      assert.equal(reply.body, '{"accepted":true}')
      assert.deepEqual(
        Object.keys(reply.headers).toSorted(),
        Object.keys(replies[0]?.headers ?? {}).toSorted(),
      )
    }
    assert.equal((await linksTo(anna.email)).length, 1)
    assert.equal((await post('resend', {})).statusCode, 400)
  })
})
