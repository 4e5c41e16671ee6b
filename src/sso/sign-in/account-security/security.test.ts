import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import { addTotp, giveTotp } from '#testing/mfa.ts'
import { aUser, type Person } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const { db } = await world()
const PAGE = '/account/security'

async function signedIn(person: Person) {
  const visitor = aVisitor()
  await visitor.submit('/sign-in', { name: person.email, password: person.password })
  const act = async (step: string, fields: Record<string, string>) =>
    visitor.follow(
      await visitor.post(`${PAGE}/${step}`, { form_token: await visitor.formToken(PAGE), ...fields }),
    )
  return { visitor, act }
}
type Visited = Awaited<ReturnType<typeof signedIn>>

/** Opens the page again: the access token was replaced when sessions ended. */
async function show({ visitor }: Visited, page = PAGE): Promise<string> {
  const first = await visitor.get(page)
  if (first.statusCode === 200) return first.body
  const location = String(first.headers.location)
  const back = location.startsWith('/sign-in') ? await visitor.get(location) : first
  return (await visitor.get(String(back.headers.location).replace('http://127.0.0.1:8064', ''))).body
}

const fieldOf = (body: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(body)?.[1] ?? ''
const keyOf = (body: string) => /<p class="key"><code>([^<]+)/.exec(body)?.[1]?.replaceAll(' ', '') ?? ''
const factorsOf = ({ user_id }: Person) =>
  db.pool<{ factor_id: string }[]>`
    select factor_id from sso.mfa_factors where user_id = ${user_id} and activated_at is not null`

describe('the page of second factors', () => {
  test('adds an authenticator app by its first code', async () => {
    const person = await aUser()
    const visited = await signedIn(person)
    const shown = await visited.act('add', { type: 'totp' })
    assert.equal(shown.statusCode, 200)
    assert.match(shown.body, /<svg class="qr"/)
    const form_token = fieldOf(shown.body, 'form_token')
    const factor_id = fieldOf(shown.body, 'factor_id')
    const given = { form_token, factor_id, type: 'totp' }
    const wrong = await visited.visitor.post(`${PAGE}/activate`, { ...given, code: '000000' })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /The code is wrong/)
    const code = new TOTP({ secret: keyOf(shown.body) }).generate()
    const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
    const added = await visited.visitor.follow(
      await visited.visitor.post(`${PAGE}/activate`, { ...given, code: spaced }),
    )
    assert.equal(added.statusCode, 200)
    assert.match(added.body, /The second step is set up/)
    assert.equal((await factorsOf(person)).length, 1)
    const [account] = [await show(visited, '/account')]
    assert.match(account, /You have no recovery codes/)
  })

  test('shows recovery codes once, which count down on the page', async () => {
    const person = await aUser()
    const visited = await signedInWithFactor(person)
    const shown = await visited.act('recovery-codes', {})
    assert.equal((shown.body.match(/<li><code>/g) ?? []).length, 10)
    assert.equal(shown.headers['cache-control'], 'no-store')
    assert.match(await show(visited), /10 left/)
    assert.equal((await visited.visitor.get(`${PAGE}/recovery-codes`)).headers.location, PAGE)
  })

  test('removes a factor of the visitor, and of nobody else', async () => {
    const [person, other] = [await aUser(), await aUser()]
    const theirs = await addTotp(other)
    const visited = await signedInWithFactor(person)
    const refused = await visited.act('remove', { factor_id: theirs.factor_id })
    assert.match(refused.body, /removed already/)
    assert.equal((await factorsOf(other)).length, 1)
    const [own] = await factorsOf(person)
    const removed = await visited.act('remove', { factor_id: own?.factor_id ?? '' })
    assert.match(removed.body, /It is removed/)
    assert.equal((await factorsOf(person)).length, 0)
  })

  test('asks for a fresh proof before it shows or changes anything', async () => {
    const person = await aUser()
    const visited = await signedIn(person)
    const form_token = await visited.visitor.formToken(PAGE)
    await db.pool`
      update sso.sessions set proven_at = proven_at - interval '20 minutes' where user_id = ${person.user_id}`
    const page = await visited.visitor.get(PAGE)
    assert.equal(page.headers.location, `/account/confirm?to=${encodeURIComponent(PAGE)}`)
    for (const [step, fields] of Object.entries({ add: { type: 'totp' }, 'recovery-codes': {} })) {
      const reply = await visited.visitor.post(`${PAGE}/${step}`, { form_token, ...fields })
      assert.match(String(reply.headers.location), /^\/account\/confirm/)
    }
    assert.equal((await db.pool`select from sso.mfa_factors where user_id = ${person.user_id}`).length, 0)
  })

  test('refuses a form without its token, and sends the signed out to sign-in', async () => {
    const { visitor } = await signedIn(await aUser())
    const forged = await visitor.post(`${PAGE}/add`, { form_token: 'forged', type: 'totp' })
    assert.equal(forged.statusCode, 403)
    assert.match(String((await aVisitor().get(PAGE)).headers.location), /^\/sign-in/)
  })

  test('refuses a code after five wrong ones', async () => {
    const visited = await signedIn(await aUser())
    const shown = await visited.act('add', { type: 'totp' })
    const given = {
      form_token: fieldOf(shown.body, 'form_token'),
      factor_id: fieldOf(shown.body, 'factor_id'),
      type: 'totp',
    }
    for (let n = 0; n < 5; n++) await visited.visitor.post(`${PAGE}/activate`, { ...given, code: '000000' })
    const code = new TOTP({ secret: keyOf(shown.body) }).generate()
    const late = await visited.visitor.post(`${PAGE}/activate`, { ...given, code })
    assert.match(late.body, /too many codes were wrong/)
  })
})

/** A visitor who has just given the second factor. */
async function signedInWithFactor(person: Person) {
  const visited = await signedIn(person)
  await giveTotp(person)
  // The session of the page is proven as a sign-in with both steps would be.
  await db.pool`
    update sso.sessions set proven_at = clock_timestamp(), proven_methods = '{pwd,otp}' where user_id = ${person.user_id}`
  return visited
}
