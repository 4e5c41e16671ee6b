import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSite, aUser, type Person, signIn } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const { db } = await world()
const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36'

async function signedIn(person: Person, user_agent = CHROME) {
  const visitor = aVisitor()
  await visitor.submit(
    '/sign-in',
    { name: person.email, password: person.password },
    { headers: { 'user-agent': user_agent } },
  )
  return visitor
}
const live = ({ user_id }: Person) =>
  db.pool<{ session_id: string }[]>`
    select session_id from sso.sessions where user_id = ${user_id} and revoked_at is null order by created_at`

describe('the page of sessions', () => {
  test('names device, address, site and times of each', async () => {
    const person = await aUser()
    const visitor = await signedIn(person)
    const { body } = await visitor.get('/account/sessions')
    assert.match(body, /Chrome on Linux/)
    assert.match(body, /this browser/)
    assert.match(body, /127\.0\.0\.1/)
    assert.match(body, /learning/)
  })

  test('ends one session, and another only once', async () => {
    const person = await aUser()
    const visitor = await signedIn(person)
    const [api] = await live(person)
    const session_id = api?.session_id ?? ''
    const form_token = await visitor.formToken('/account/sessions')
    const ended = await visitor.follow(await visitor.post('/account/sessions', { form_token, session_id }))
    assert.match(ended.body, /The session has ended/)
    assert.equal((await live(person)).length, 1)
  })

  test('ends all others and leaves this one', async () => {
    const person = await aUser()
    const [visitor] = [await signedIn(person), await signedIn(person)]
    assert.equal((await live(person)).length, 3)
    const form_token = await visitor.formToken('/account/sessions')
    const ended = await visitor.follow(await visitor.post('/account/sessions', { form_token }))
    assert.match(ended.body, /All other sessions have ended/)
    assert.equal((await live(person)).length, 1)
  })

  test('ends no session of another person', async () => {
    const [person, other] = [await aUser(), await aUser()]
    const visitor = await signedIn(person)
    const [theirs] = await live(other)
    const form_token = await visitor.formToken('/account/sessions')
    const asked = { form_token, session_id: theirs?.session_id ?? '' }
    const reply = await visitor.follow(await visitor.post('/account/sessions', asked))
    assert.match(reply.body, /had ended already/)
    assert.equal((await live(other)).length, 1)
  })

  test('escapes what a browser calls itself', async () => {
    const person = await aUser()
    const visitor = await signedIn(person)
    await db.pool`update sso.sessions set device_name = '<b onclick=x>' where user_id = ${person.user_id}`
    const { body } = await visitor.get('/account/sessions')
    assert.ok(!body.includes('<b onclick'))
    assert.ok(body.includes('&lt;b onclick=x&gt;'))
  })

  test('is not for a token of a partner, nor for the signed out', async () => {
    const there = await aUser({ at: await aSite() })
    const visitor = aVisitor()
    visitor.jar.set('access_token', { value: there.access_token, path: '/' })
    for (const page of ['/account/sessions', '/account/activity'])
      assert.match(String((await visitor.get(page)).headers.location), /^\/sign-in/)
  })
})

describe('the page of what happened', () => {
  test('lists own sign-ins with address, and acts of others without', async () => {
    const person = await aUser()
    const visitor = await signedIn(person)
    await db.pool`
      insert into sso.audit_log (audit_id, action, environment, actor_user_id, subject_user_id, ip_address)
      values (gen_random_uuid(), 'mfa.reset', 'production', gen_random_uuid(), ${person.user_id}, '198.51.100.7')`
    const { body } = await visitor.get('/account/activity')
    assert.match(body, /Signed in/)
    assert.match(body, /The second steps were reset/)
    assert.match(body, /by somebody else/)
    assert.ok(!body.includes('198.51.100.7'))
  })

  test('shows nothing of another person', async () => {
    const [person, other] = [await aUser(), await aUser()]
    await signIn(other)
    const visitor = await signedIn(person)
    const before = (await visitor.get('/account/activity')).body.match(/<li>/g)?.length
    await signIn(other)
    assert.equal((await visitor.get('/account/activity')).body.match(/<li>/g)?.length, before)
  })
})
