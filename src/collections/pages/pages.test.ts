import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, call, join } from '#testing/collections.ts'
import { aSite, aUser, homeSite, type Person, signIn } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const { collections } = await world()
const ORIGIN = 'http://127.0.0.1:8066'
const host = '127.0.0.1:8066'

const cookieOf = ({ access_token }: Pick<Person, 'access_token'>) => `access_token=${access_token}`
const open = (url: string, person?: Pick<Person, 'access_token'>) =>
  collections.inject({ url, headers: { host, ...(person && { cookie: cookieOf(person) }) } })
const dataOf = (html: string) =>
  JSON.parse(/<script type="application\/json" id="data">(.*)<\/script>/.exec(html)?.[1] ?? '{}') as Record<
    string,
    unknown
  >
/** What came along with a page for this path of the API. */
const firstOf = (html: string, path: string) =>
  Object.entries(dataOf(html)).find(([known]) => known.startsWith(path))?.[1] as
    | { items?: { name: string }[]; name?: string }
    | undefined

describe('a page of collections', () => {
  for (const path of ['/', '/uploads'])
    test(`${path} leads somebody without a session to the sign-in and back`, async () => {
      const reply = await open(`${path}?collection=x&y=1`)
      assert.equal(reply.statusCode, 303)
      const asked = new URL(String(reply.headers.location))
      assert.equal(asked.origin, 'http://127.0.0.1:8064')
      assert.equal(asked.searchParams.get('site_code'), 'collections')
      assert.equal(asked.searchParams.get('return_to'), `${ORIGIN}${path}?collection=x&y=1&signed_in=1`)
    })

  test('sends nobody in circles whose browser keeps no cookie', async () => {
    const reply = await open('/?signed_in=1')
    assert.equal(reply.statusCode, 200)
    assert.match(reply.body, /href="[^"]*\/sign-in\?site_code=collections/)
    assert.doesNotMatch(reply.body, /<script/)
  })

  test('never leads to another host than the sso', async () => {
    const reply = await open('//evil.example/')
    assert.ok(!String(reply.headers.location ?? '').startsWith('//'))
    assert.notEqual(reply.statusCode, 200)
  })

  test('brings its first data in the HTML', async () => {
    const person = await aUser()
    const id = await aCollection(person, { name: 'Photographs' })
    const { body, headers } = await open(`/?collection=${id}`, person)
    assert.equal(firstOf(body, `/api/collections/${id}`)?.name, 'Photographs')
    assert.deepEqual(
      firstOf(body, '/api/collections?parent_id=root')?.items?.map(({ name }) => name),
      ['Photographs'],
    )
    assert.deepEqual(dataOf(body)['me'], { user_id: person.user_id, is_site_admin: false })
    assert.equal(headers['cache-control'], 'private, no-store')
  })

  test('holds nothing of a collection that is not theirs', async () => {
    const [owner, stranger] = [await aUser(), await aUser()]
    const id = await aCollection(owner, { name: 'Secret box' })
    const { body, statusCode } = await open(`/?collection=${id}`, stranger)
    assert.equal(statusCode, 200)
    assert.ok(!body.includes('Secret box'))
    assert.equal(firstOf(body, `/api/collections/${id}`), undefined)
  })

  test('keeps names that look like markup apart from it', async () => {
    const person = await aUser()
    await aCollection(person, { name: '</script><script>alert(1)</script>' })
    const { body } = await open('/', person)
    assert.equal(body.match(/<\/script>/g)?.length, 2)
    assert.equal(
      firstOf(body, '/api/collections?parent_id=root')?.items?.[0]?.name,
      '</script><script>alert(1)</script>',
    )
  })

  test('runs own scripts only and calls only us and the sso', async () => {
    const { headers } = await open('/', await aUser())
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self' http://127.0.0.1:8064; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
    )
  })

  test('takes no session of a partner site', async () => {
    const site = await aSite()
    const person = await aUser({ at: site })
    assert.match(String((await open('/', person)).headers.location), /sign-in/)
  })

  test('takes no session of a site that the settings leave out', async () => {
    const lyceum = await buildWorld({ env: { COLLECTIONS_ALLOWED_SITES: 'collections' } })
    const person = await aUser({ lyceum })
    const reply = await lyceum.collections.inject({ url: '/', headers: { host, cookie: cookieOf(person) } })
    assert.match(String(reply.headers.location), /sign-in/)
  })

  test('follows the language of the profile, then that of the browser', async () => {
    const person = await aUser()
    const headers = { host, cookie: cookieOf(person), 'accept-language': 'es' }
    assert.match((await collections.inject({ url: '/', headers })).body, /<html lang="es">[^]*Colecciones/)
    const { sso } = await world()
    await sso.inject({
      method: 'PATCH',
      url: `/api/v1/users/${person.user_id}`,
      headers: person.headers,
      payload: { locale: 'de' },
    })
    assert.match((await collections.inject({ url: '/', headers })).body, /<html lang="de">[^]*Sammlungen/)
  })

  test('shows nothing any more after the session has ended', async () => {
    const person = await aUser()
    const { sso } = await world()
    const { refresh_token } = person
    const { headers } = await homeSite()
    const ended = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/logout',
      headers,
      payload: { refresh_token },
    })
    assert.ok(ended.statusCode < 300, ended.body)
    assert.match(String((await open('/', person)).headers.location), /sign-in/)
  })
})

describe('POST /token', () => {
  const ask = (person: Pick<Person, 'access_token'> | undefined, headers: Record<string, string>) =>
    collections.inject({
      method: 'POST',
      url: '/token',
      headers: { host, ...(person && { cookie: cookieOf(person) }), ...headers },
    })
  const OWN = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }

  test('gives a page of this origin the token of the cookie', async () => {
    const person = await aUser()
    const reply = await ask(person, OWN)
    assert.equal(reply.statusCode, 200)
    const { access_token, expires_in } = reply.json()
    assert.equal(access_token, person.access_token)
    assert.ok(expires_in > 1_700 && expires_in <= 1_800)
  })

  test('refuses programs and pages of every other origin', async () => {
    const person = await aUser()
    const foreign = [
      {},
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'http://127.0.0.1:8065', 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
      { origin: 'http://127.0.0.1:8064' },
    ]
    for (const headers of foreign)
      assert.equal((await ask(person, headers as Record<string, string>)).statusCode, 403)
  })

  test('is 401 without a session, and with one of a partner', async () => {
    const partner = await aUser({ at: await aSite() })
    assert.equal((await ask(undefined, OWN)).statusCode, 401)
    assert.equal((await ask({ access_token: 'nonsense' }, OWN)).statusCode, 401)
    assert.equal((await ask(partner, OWN)).statusCode, 401)
  })
})

describe('GET /api/collections/:id/invitees', () => {
  const find = (person: Pick<Person, 'headers'>, id: string, name: string) =>
    call('GET', `/api/collections/${id}/invitees?${new URLSearchParams({ name }).toString()}`, person)

  test('finds exactly one person by the whole address, whatever its case', async () => {
    const [owner, friend] = [await aUser(), await aUser()]
    const id = await aCollection(owner)
    const reply = await find(owner, id, ` ${friend.email.toUpperCase()} `)
    assert.deepEqual(reply.json(), {
      items: [{ user_id: friend.user_id, display_name: null, email_verified: false }],
    })
  })

  test('finds nobody by a part of an address', async () => {
    const [owner, friend] = [await aUser(), await aUser()]
    const id = await aCollection(owner)
    for (const name of [friend.email.slice(0, -1), friend.email.slice(1), '%', 'person-%'])
      assert.deepEqual((await find(owner, id, name)).json(), { items: [] })
  })

  test('finds nobody of another tenant', async () => {
    const [owner, site] = [await aUser(), await aSite()]
    const stranger = await aUser({ at: site })
    assert.deepEqual((await find(owner, await aCollection(owner), stranger.email)).json(), { items: [] })
  })

  test('is for those who may invite here', async () => {
    const [owner, viewer, stranger] = [await aUser(), await aUser(), await aUser()]
    const id = await aCollection(owner)
    await join(owner, id, viewer, 'viewer')
    assert.equal((await find(viewer, id, owner.email)).statusCode, 403)
    assert.equal((await find(stranger, id, owner.email)).statusCode, 404)
    assert.equal((await find({ headers: {} }, id, owner.email)).statusCode, 401)
    assert.equal((await find(owner, id, '')).statusCode, 422)
    assert.equal((await find(owner, id, 'a'.repeat(321))).statusCode, 422)
  })

  test('tells nothing of somebody suspended at all sites of the tenant', async () => {
    const [owner, friend, site] = [await aUser(), await aUser(), await homeSite()]
    const { db } = await world()
    await db.pool`update sso.memberships set suspended_at = now() where user_id = ${friend.user_id} and site_id = ${site.site_id}`
    assert.deepEqual((await find(owner, await aCollection(owner), friend.email)).json(), { items: [] })
    await assert.rejects(signIn(friend))
  })
})
