import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mailsTo, tokenFor } from '#testing/mail.ts'
import { aUser, signIn } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const bare = (body: string) => body.replaceAll(/name="form_token" value="[^"]+"/g, '')

describe('the page for a forgotten password', () => {
  test('answers known and unknown addresses alike, without hashing', async () => {
    const [anna, { passwords }] = [await aUser(), await world()]
    const before = passwords.hashCalls()
    const known = await aVisitor().submit('/forgot-password', { email: ` ${anna.email} ` })
    const unknown = await aVisitor().submit('/forgot-password', { email: 'nobody-knows@example.org' })
    assert.deepEqual([known.statusCode, unknown.statusCode], [200, 200])
    assert.equal(bare(known.body), bare(unknown.body))
    assert.deepEqual(Object.keys(known.headers).toSorted(), Object.keys(unknown.headers).toSorted())
    assert.equal(passwords.hashCalls(), before)
    assert.ok(await tokenFor(anna.email, 'password_reset'))
    assert.ok(!known.body.includes(anna.email))
  })

  test('requires an address', async () => {
    assert.equal((await aVisitor().submit('/forgot-password', { email: '' })).statusCode, 422)
  })
})

describe('the page that a reset link leads to', () => {
  async function aLink() {
    const anna = await aUser()
    await aVisitor().submit('/forgot-password', { email: anna.email })
    return { anna, token: await tokenFor(anna.email, 'password_reset') }
  }

  test('changes the password once and ends every session', async () => {
    const { anna, token } = await aLink()
    const { sso } = await world()
    const password = 'a new horse 42'
    const visitors = Array.from({ length: 5 }, () => aVisitor())
    const replies = await Promise.all(
      visitors.map((visitor) => visitor.submit('/reset-password', { token, password })),
    )
    const statuses = replies.map(({ statusCode }) => statusCode)
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 401, 401, 401, 401],
    )
    assert.match(replies.find(({ statusCode }) => statusCode === 200)?.body ?? '', /Your password is saved/)
    assert.equal((await sso.inject({ url: '/api/v1/sessions', headers: anna.headers })).statusCode, 401)
    assert.ok(await signIn({ ...anna, password }))
  })

  test('accepts the whole link without script', async () => {
    const { anna, token } = await aLink()
    const [mail] = await mailsTo(anna.email)
    assert.ok(mail)
    const [link = ''] = /http\S+#token=\S+/.exec((await mailsTo(anna.email)).at(-1)?.text ?? '') ?? []
    assert.ok(link.endsWith(token))
    const reply = await aVisitor().submit('/reset-password', { token: link, password: 'a new horse 42' })
    assert.equal(reply.statusCode, 200)
  })

  test('keeps the link when the password is refused', async () => {
    const { token } = await aLink()
    const visitor = aVisitor()
    for (const password of ['short', 'password123']) {
      const reply = await visitor.submit('/reset-password', { token, password })
      assert.equal(reply.statusCode, 422)
      assert.ok(reply.body.includes(`<input type="hidden" name="token" value="${token}"`))
    }
    assert.equal(
      (await visitor.submit('/reset-password', { token, password: 'a new horse 42' })).statusCode,
      200,
    )
  })

  for (const token of ['', 'ott_unknown'])
    test(`explains what is wrong with the token "${token}"`, async () => {
      const reply = await aVisitor().submit('/reset-password', { token, password: 'a new horse 42' })
      assert.equal(reply.statusCode, token === '' ? 422 : 401)
      assert.match(reply.body, /<a href="#token">/)
    })

  test('needs the token of its form', async () => {
    const { token, anna } = await aLink()
    const reply = await aVisitor().post('/reset-password', {
      form_token: 'x',
      token,
      password: 'a new horse 42',
    })
    assert.equal(reply.statusCode, 403)
    assert.ok(await signIn(anna))
  })
})

describe('the page that a confirmation link leads to', () => {
  test('confirms the address by its button, not by opening', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    const token = await tokenFor(anna.email, 'email_verification')
    const isVerified = async () => {
      const url = `/api/v1/users/${anna.user_id}`
      return (await sso.inject({ url, headers: anna.headers })).json().email_verified
    }
    assert.equal((await aVisitor().get('/verify-email')).statusCode, 200)
    assert.equal(await isVerified(), false)
    const reply = await aVisitor().submit('/verify-email', { token, password: anna.password })
    assert.equal(reply.statusCode, 200)
    assert.ok(reply.body.includes(anna.email))
    assert.equal(await isVerified(), true)
    const again = await aVisitor().submit('/verify-email', { token })
    assert.equal(again.statusCode, 401)
  })
})
