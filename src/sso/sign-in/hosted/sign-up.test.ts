import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { mailsTo, tokenFor } from '#testing/mail.ts'
import { aUser, signIn } from '#testing/people.ts'
import { aVisitor, cookiesOf } from '#testing/visitor.ts'
import { buildWorld, world } from '#testing/world.ts'

const anAddress = () => `new-${randomBytes(5).toString('hex')}@example.org`
const person = (email = anAddress()) => ({ email, display_name: 'Anna Blume' })
const PASSWORD = 'battery staple 7'
const BACK = '?return_to=http%3A%2F%2F127.0.0.1%3A8065%2Fwelcome'

/** What a stranger sees of an answer, but for what differs with every request and the address they typed themselves. */
function face(
  { statusCode, headers, body }: Awaited<ReturnType<ReturnType<typeof aVisitor>['get']>>,
  email: string,
) {
  const { 'x-request-id': _, date: __, 'content-length': ___, ...rest } = headers
  return { statusCode, headers: rest, body: body.replaceAll(email, 'EMAIL') }
}

/** The path of the link in the newest message of this kind, and its token. */
async function linkTo(email: string) {
  const mail = (await mailsTo(email)).findLast(({ kind }) => kind === 'sign_up')
  const [, path = '', token = ''] = /https?:\/\/[^/]+(\/\S*?)#token=(\S+)/.exec(mail?.text ?? '') ?? []
  return { path, token }
}

describe('signing up on the page', () => {
  test('mails a link to choose the password, and signs in', async () => {
    const [visitor, fields] = [aVisitor(), person()]
    const asked = await visitor.submit(`/sign-up${BACK}`, fields)
    assert.equal(asked.statusCode, 200, asked.body)
    assert.match(asked.body, /<h1>Look into your mailbox<\/h1>/)
    assert.deepEqual([...cookiesOf(asked).keys()], [])
    const { path, token } = await linkTo(fields.email)
    assert.match(path, /^\/sign-up\/password\?/)
    const reply = await aVisitor().submit(path, { token, password: PASSWORD })
    assert.equal(reply.statusCode, 303, reply.body)
    assert.equal(reply.headers.location, 'http://127.0.0.1:8065/welcome')
    assert.deepEqual([...cookiesOf(reply).keys()], ['access_token', 'sso_refresh', 'sso_known'])
    const { sso } = await world()
    const { user_id, headers } = await signIn({ ...fields, password: PASSWORD })
    const user = (await sso.inject({ url: `/api/v1/users/${user_id}`, headers })).json()
    assert.equal(user.display_name, 'Anna Blume')
    assert.equal(user.email_verified, true)
    assert.deepEqual(user.roles, [{ site_code: 'learning', role: 'USER' }])
  })

  test('shows the same page for known and unknown addresses', async () => {
    const [known, open, unknown] = [await aUser(), person(), person()]
    await aVisitor().submit('/sign-up', open)
    const faces = []
    for (const { email } of [known, open, unknown])
      faces.push(face(await aVisitor().submit('/sign-up', { email, display_name: '' }), email))
    assert.equal(faces[0]?.statusCode, 200)
    assert.deepEqual(faces[0], faces[1])
    assert.deepEqual(faces[0], faces[2])
  })

  test('takes equally long for known and unknown addresses', async () => {
    const lyceum = await buildWorld({ refusalTime: 400 })
    const known = await aUser({ lyceum })
    for (const email of [known.email, anAddress()]) {
      const visitor = aVisitor({ lyceum })
      const form_token = await visitor.formToken('/sign-up')
      const start = performance.now()
      await visitor.post('/sign-up', { form_token, email, display_name: '' })
      const ms = performance.now() - start
      assert.ok(ms >= 398, `${email}: ${ms}`)
    }
  })

  test('mails the owner of a known address, account unchanged', async () => {
    const anna = await aUser()
    await aVisitor().submit('/sign-up', { email: anna.email.toUpperCase(), display_name: 'Mallory' })
    await aVisitor().submit('/sign-up', { email: anna.email, display_name: '' })
    const kinds = (await mailsTo(anna.email)).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['email_verification', 'account_exists_notice'])
    const { sso } = await world()
    const user = (await sso.inject({ url: `/api/v1/users/${anna.user_id}`, headers: anna.headers })).json()
    assert.equal(user.display_name, null)
    await signIn(anna)
  })

  test('opens no account without access to the mailbox', async () => {
    const { email } = person()
    await aVisitor().submit('/sign-up', { email, display_name: '', password: PASSWORD })
    const reply = await aVisitor().submit('/sign-in', { name: email, password: PASSWORD })
    const other = await aVisitor().submit('/sign-in', { name: anAddress(), password: PASSWORD })
    assert.deepEqual([reply.statusCode, other.statusCode], [401, 401])
  })

  test('creates one account for ten forms with one address', async () => {
    const [fields, visitors] = [person(), Array.from({ length: 10 }, () => aVisitor())]
    const replies = await Promise.all(visitors.map((visitor) => visitor.submit('/sign-up', fields)))
    assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([200]))
    const { db } = await world()
    assert.equal((await db.fast`select from sso.users where email = ${fields.email}`).length, 1)
    assert.equal((await mailsTo(fields.email)).length, 1)
  })

  test('mails nothing to a suspended account', async () => {
    const anna = await aUser()
    const { db } = await world()
    await db.pool`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`
    const reply = await aVisitor().submit('/sign-up', { email: anna.email, display_name: '' })
    assert.equal(reply.statusCode, 200)
    assert.equal((await mailsTo(anna.email)).filter(({ kind }) => kind !== 'email_verification').length, 0)
  })

  test('says so when no mail server is configured', async () => {
    const lyceum = await buildWorld({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
    for (const [visitor, isTold] of [
      [aVisitor(), true],
      [aVisitor({ lyceum }), false],
    ] as const)
      assert.equal((await visitor.submit('/sign-up', person())).body.includes('No mail server'), isTold)
  })

  for (const [fields, message] of [
    [{ email: '' }, 'Enter your e-mail address'],
    [{ email: 'anna' }, 'E-mail address must be an address such as name@example.org'],
    [{ display_name: `Anna Blume ${'x'.repeat(200)}` }, 'Name must have at most 200 characters'],
  ] as const)
    test(`refuses ${JSON.stringify(fields).slice(0, 40)} with "${message}" at its field`, async () => {
      const reply = await aVisitor().submit('/sign-up', { ...person(), ...fields })
      assert.equal(reply.statusCode, 422)
      const field = Object.keys(fields)[0] ?? ''
      expectFault(reply.body, field, message)
      assert.match(reply.body, /<title>Error: Create an account · Lyceum<\/title>/)
      assert.ok(reply.body.includes('Anna Blume'), 'what was right stays')
    })

  test('needs the token of its form', async () => {
    const fields = person()
    const reply = await aVisitor().post('/sign-up', { ...fields, form_token: 'x' })
    assert.equal(reply.statusCode, 403)
    const { db } = await world()
    assert.equal((await db.fast`select from sso.users where email = ${fields.email}`).length, 0)
  })
})

function expectFault(body: string, field: string, message: string) {
  assert.ok(body.includes(`<a href="#${field}">${message}</a>`), body)
  assert.match(body, new RegExp(`id="${field}"[^>]+aria-describedby="[^"]*${field}-fault"`))
  assert.match(body, new RegExp(`id="${field}"[^>]+aria-invalid="true"`))
}

describe('choosing the first password', () => {
  const asked = async () => {
    const fields = person()
    await aVisitor().submit('/sign-up', fields)
    return { ...fields, ...(await linkTo(fields.email)) }
  }

  for (const [password, message] of [
    ['', 'Enter a password'],
    ['short', 'Password must have 8 to 128 characters'],
    ['x'.repeat(129), 'Password must have 8 to 128 characters'],
    ['password123', 'Password is one of the most common passwords, or close to one'],
    ['AnnaBlume1', 'Password must not be a name or address of yours, or the name of the site'],
  ] as const)
    test(`refuses "${password.slice(0, 20)}" with "${message}" and keeps the link`, async () => {
      const { path, token } = await asked()
      const reply = await aVisitor().submit(path, { token, password })
      assert.equal(reply.statusCode, 422)
      expectFault(reply.body, 'password', message)
      assert.equal((await aVisitor().submit(path, { token, password: PASSWORD })).statusCode, 303)
    })

  test('works once', async () => {
    const { path, token } = await asked()
    assert.equal((await aVisitor().submit(path, { token, password: PASSWORD })).statusCode, 303)
    const again = await aVisitor().submit(path, { token, password: 'another staple 9' })
    assert.equal(again.statusCode, 401)
    assert.deepEqual([...cookiesOf(again).keys()], ['sso_form'])
  })

  test('a second link after a minute replaces the first', async () => {
    const { email, path, token } = await asked()
    const { db } = await world()
    await db.pool`update sso.messages set created_at = created_at - interval '2 minutes' where recipient = ${email}`
    await aVisitor().submit('/sign-up', { email, display_name: '' })
    const second = await tokenFor(email, 'sign_up')
    assert.notEqual(second, token)
    assert.equal((await aVisitor().submit(path, { token: second, password: PASSWORD })).statusCode, 303)
    assert.equal((await aVisitor().submit(path, { token, password: PASSWORD })).statusCode, 401)
  })

  test('leads to our own pages when the site is deleted', async () => {
    const { token } = await asked()
    const gone = '/sign-up/password?site_code=a-site-that-was-deleted'
    const reply = await aVisitor().submit(gone, { token, password: PASSWORD })
    assert.equal(reply.statusCode, 303, reply.body)
    assert.match(String(reply.headers.location), /^\/sign-in\/done/)
  })

  test('needs the link', async () => {
    const { path } = await asked()
    const reply = await aVisitor().submit(path, { token: '', password: PASSWORD })
    assert.equal(reply.statusCode, 422)
    assert.ok(reply.body.includes('Paste the link from the e-mail'))
  })
})
