import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aUser, type Person } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const { db } = await world()
const PAGE = '/account/profile'
const EMPTY = { display_name: '', username: '', locale: '', time_zone: '', avatar_url: '' }

async function signedIn(person: Person) {
  const visitor = aVisitor()
  await visitor.submit('/sign-in', { name: person.email, password: person.password })
  const save = async (texts: Partial<typeof EMPTY>) => {
    const { body } = await visitor.get(PAGE)
    const value = (name: string) =>
      new RegExp(`name="${name}"[^>]*? value="([^"]*)"`, 's').exec(body)?.[1] ?? ''
    const form_token = value('form_token')
    return visitor.post(PAGE, { ...EMPTY, form_token, version: value('version'), ...texts })
  }
  return { visitor, save }
}
/** What a form carries unseen. */
const hiddenIn = (body: string) =>
  Object.fromEntries(
    Array.from(body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
const stored = async ({ user_id }: Person) =>
  (
    await db.pool`
    select display_name, username, locale, time_zone, avatar_url, version from sso.users where user_id = ${user_id}`
  )[0] as typeof EMPTY & { version: number }

describe('the page of the profile', () => {
  test('saves what was changed, and clears what was emptied', async () => {
    const person = await aUser()
    const { save } = await signedIn(person)
    const username = `u${person.user_id.slice(-12)}`
    const saved = await save({
      display_name: 'Anna Blume',
      username,
      locale: 'de',
      time_zone: 'Europe/Berlin',
    })
    assert.match(saved.body, /Your profile is saved/)
    const first = await stored(person)
    assert.deepEqual([first.display_name, first.username, first.locale], ['Anna Blume', username, 'de'])
    await save({ display_name: 'Anna Blume', username })
    assert.equal((await stored(person)).locale, null)
  })

  test('proposes languages by their names, and time zones', async () => {
    const { visitor } = await signedIn(await aUser())
    const { body } = await visitor.get('/account/profile')
    assert.match(body, /<option value="de" label="Deutsch">/)
    assert.match(body, /list="time_zone-proposals"[\s\S]+<option value="Europe\/Berlin"/)
    assert.doesNotMatch(body, /list="username/)
  })

  test('says so where nothing was changed, and keeps the version', async () => {
    const person = await aUser()
    const { save } = await signedIn(person)
    await save({ display_name: 'Anna' })
    const { version } = await stored(person)
    assert.match((await save({ display_name: ' Anna ' })).body, /Nothing was changed/)
    assert.equal((await stored(person)).version, version)
  })

  test('shows errors at their fields and keeps what was typed', async () => {
    const { save } = await signedIn(await aUser())
    const reply = await save({
      username: 'a b',
      avatar_url: 'http://plain.example/x.png',
      time_zone: 'Nowhere',
    })
    assert.equal(reply.statusCode, 422)
    for (const name of ['username', 'avatar_url', 'time_zone'])
      assert.ok(reply.body.includes(`id="${name}-fault"`), name)
    assert.ok(reply.body.includes('value="a b"'))
  })

  test('refuses a name that somebody has', async () => {
    const [person, other] = [await aUser(), await aUser()]
    const username = `t${other.user_id.slice(-12)}`
    await (await signedIn(other)).save({ username })
    const reply = await (await signedIn(person)).save({ username })
    assert.equal(reply.statusCode, 409)
    assert.ok(reply.body.includes('id="username-fault"'))
  })

  test('asks to look again where the account was changed meanwhile', async () => {
    const person = await aUser()
    const { save } = await signedIn(person)
    const reply = await save({ display_name: 'Mine', version: '1000' } as Partial<typeof EMPTY>)
    assert.match(reply.body, /changed elsewhere meanwhile/)
    assert.notEqual((await stored(person)).display_name, 'Mine')
  })

  test('asked to look again, keeps what others changed and what was typed', async () => {
    const person = await aUser()
    const { visitor, save } = await signedIn(person)
    const first = (await visitor.get(PAGE)).body
    await save({ time_zone: 'Europe/Berlin' })
    // The form of the first page: its time zone is still empty.
    const typed = { display_name: 'Mine', username: '', locale: '', time_zone: '', avatar_url: '' }
    const stale = await visitor.post(PAGE, { ...hiddenIn(first), ...typed })
    assert.match(stale.body, /changed elsewhere meanwhile/)
    assert.match(stale.body, /name="display_name"[^>]*? value="Mine"/s)
    assert.match(stale.body, /name="time_zone"[^>]*? value="Europe\/Berlin"/s)
    await visitor.post(PAGE, { ...hiddenIn(stale.body), ...typed, time_zone: 'Europe/Berlin' })
    const { display_name, time_zone } = await stored(person)
    assert.deepEqual([display_name, time_zone], ['Mine', 'Europe/Berlin'])
  })

  test('asks for a fresh proof', async () => {
    const person = await aUser()
    const { visitor } = await signedIn(person)
    await db.pool`
      update sso.sessions set proven_at = proven_at - interval '20 minutes' where user_id = ${person.user_id}`
    assert.match(String((await visitor.get(PAGE)).headers.location), /^\/account\/confirm/)
  })
})
