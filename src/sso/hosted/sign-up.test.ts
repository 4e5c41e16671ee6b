import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { tokenFor } from '#testing/mail.ts'
import { aUser, signIn } from '#testing/people.ts'
import { aVisitor, cookiesOf } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const anAddress = () => `new-${randomBytes(5).toString('hex')}@example.org`
const person = (email = anAddress()) => ({ email, password: 'battery staple 7', display_name: 'Anna Blume' })

describe('signing up on the page', () => {
  test('makes the account, signs it in and goes back', async () => {
    const [visitor, fields] = [aVisitor(), person()]
    const url = '/sign-up?return_to=http%3A%2F%2F127.0.0.1%3A8065%2Fwelcome'
    const reply = await visitor.submit(url, fields)
    assert.equal(reply.statusCode, 303, reply.body)
    assert.equal(reply.headers.location, 'http://127.0.0.1:8065/welcome')
    assert.deepEqual([...cookiesOf(reply).keys()], ['access_token', 'sso_refresh', 'sso_known'])
    const { sso } = await world()
    const { user_id, headers } = await signIn(fields)
    const user = (await sso.inject({ url: `/api/v1/users/${user_id}`, headers })).json()
    assert.equal(user.display_name, 'Anna Blume')
    assert.deepEqual(user.roles, [{ site_code: 'learning', role: 'USER' }])
    assert.ok(await tokenFor(fields.email, 'email_verification'))
  })

  test('lets one of ten forms with the same address through', async () => {
    const [fields, visitors] = [person(), Array.from({ length: 10 }, () => aVisitor())]
    const replies = await Promise.all(visitors.map((visitor) => visitor.submit('/sign-up', fields)))
    const statuses = replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [303, ...Array.from({ length: 9 }, () => 409)])
    for (const reply of replies.filter(({ statusCode }) => statusCode === 409))
      assert.deepEqual([...cookiesOf(reply).keys()], ['sso_form'])
  })

  test('says that an address is taken, and does not sign in to it even with its password', async () => {
    const anna = await aUser()
    const { email, password } = anna
    const reply = await aVisitor().submit('/sign-up', { email, password, display_name: '' })
    assert.equal(reply.statusCode, 409)
    assert.match(reply.body, /id="email-fault">\s*This e-mail address is already registered/)
    assert.deepEqual([...cookiesOf(reply).keys()], ['sso_form'])
  })

  for (const [fields, message] of [
    [{ email: '' }, 'Enter your e-mail address'],
    [{ email: 'anna' }, 'E-mail address must be an address such as name@example.org'],
    [{ password: '' }, 'Enter a password'],
    [{ password: 'short' }, 'Password must have 8 to 128 characters'],
    [{ password: 'x'.repeat(129) }, 'Password must have 8 to 128 characters'],
    [{ password: 'password123' }, 'Password is one of the most common passwords'],
  ] as const)
    test(`refuses ${JSON.stringify(fields).slice(0, 40)} with "${message}", at its field`, async () => {
      const given = { ...person(), ...fields }
      const reply = await aVisitor().submit('/sign-up', given)
      assert.equal(reply.statusCode, 422)
      const field = Object.keys(fields)[0]
      assert.ok(reply.body.includes(`<a href="#${field}">${message}</a>`), reply.body)
      assert.match(reply.body, new RegExp(`id="${field}"[^>]+aria-describedby="[^"]*${field}-fault"`))
      assert.match(reply.body, new RegExp(`id="${field}"[^>]+aria-invalid="true"`))
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
