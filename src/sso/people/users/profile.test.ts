import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importCsv } from '#testing/bulk.ts'
import { anAdmin, signIn } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'
import {
  fieldOf,
  PROFILE_CLAIMS,
  PROFILE_FIELDS,
  type ProfileField,
  profileIn,
  REGISTERED_FIELDS,
} from '../../core/profile.ts'

/** Two texts for each field of a profile, and one that is refused where any may be. */
const EXAMPLES: Record<ProfileField, [first: string, second: string, refused?: string]> = {
  display_name: ['Anna Schmidt', 'Anna S.', 'x'.repeat(201)],
  given_name: ['Anna', 'Anne', 'x'.repeat(201)],
  family_name: ['Schmidt', 'Smith', 'x'.repeat(201)],
  username: ['anna.schmidt', 'anna.smith', 'a b'],
  phone: ['+4930123456', '+4930123457', '030'],
  avatar_url: ['https://example.org/a.png', 'https://example.org/b.png', 'http://example.org/a.png'],
  locale: ['de-CH', 'pt-BR', 'english'],
  time_zone: ['Europe/Berlin', 'Asia/Kolkata', 'Mars/Base'],
}
const at = (place: 0 | 1) =>
  profileIn(Object.fromEntries(PROFILE_FIELDS.map((name) => [name, EXAMPLES[name][place]])))

const lyceum = await buildWorld()
await lyceum.startJobs()
const { sso, db } = lyceum
const admin = await anAdmin({ lyceum })
const password = 'battery staple 7'

const call = async (method: 'GET' | 'POST' | 'PATCH', url: string, headers: object, payload?: object) => {
  const reply = await sso.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) })
  return { status: reply.statusCode, body: reply.json() }
}

test('every text of a profile is created, shown, told, changed, cleared and erased', async () => {
  const email = 'anna@example.org'
  const made = await call('POST', '/api/v1/users', admin.headers, { ...at(0), email, password })
  assert.deepEqual([made.status, profileIn(made.body)], [201, at(0)])
  const { user_id } = made.body
  const url = `/api/v1/users/${user_id}`
  const anna = await signIn({ email, password }, { at: admin.site, lyceum })

  const { body: exported } = await call('GET', `${url}/export`, admin.headers)
  assert.deepEqual(profileIn(exported.user), at(0))
  const { body: claims } = await call('GET', '/openid/userinfo', anna.headers)
  for (const { name, claim } of PROFILE_CLAIMS) assert.equal(claims[claim], EXAMPLES[name][0])

  const changed = await call('PATCH', url, admin.headers, at(1))
  assert.deepEqual([changed.status, profileIn(changed.body)], [200, at(1)])
  const cleared = await call('PATCH', url, admin.headers, profileIn({}))
  assert.deepEqual([cleared.status, profileIn(cleared.body)], [200, profileIn({})])
  await call('PATCH', url, admin.headers, at(1))

  const erased = await sso.inject({ method: 'DELETE', url, headers: admin.headers })
  assert.equal(erased.statusCode, 204)
  const [row = {}] = await db.pool`select * from sso.users where user_id = ${user_id}`
  assert.deepEqual(profileIn(row), profileIn({}))
})

test('a registration and a file of people take the same texts', async () => {
  const texts = Object.fromEntries(REGISTERED_FIELDS.map((name) => [name, EXAMPLES[name][0]]))
  const site = { 'x-sso-site-key': admin.site.site_key }
  const body = { ...texts, email: 'ben@example.org', password }
  const registered = await call('POST', '/api/v1/auth/register', site, body)
  assert.deepEqual([registered.status, profileIn(registered.body.user)], [201, profileIn(texts)])

  const others: Record<string, string> = { ...texts, username: 'carla' }
  const csv = (cells: Record<string, string>) =>
    `email,${REGISTERED_FIELDS.join()}\ncarla@example.org,${REGISTERED_FIELDS.map((name) => cells[name]).join()}\n`
  const shown = async () => {
    const { body: list } = await call('GET', '/api/v1/users?email=carla@example.org', admin.headers)
    return profileIn(list.items[0])
  }
  await importCsv(admin.headers, csv(others), { lyceum })
  assert.deepEqual(await shown(), profileIn(others))
  const next = Object.fromEntries(REGISTERED_FIELDS.map((name) => [name, EXAMPLES[name][1]]))
  await importCsv(admin.headers, csv(next), { lyceum, on_conflict: 'update' })
  assert.deepEqual(await shown(), profileIn(next))
})

for (const name of PROFILE_FIELDS) {
  const [, , refused] = EXAMPLES[name]
  if (refused === undefined) continue
  test(`refuses ${name} that is none`, async () => {
    const body = { email: 'dora@example.org', [name]: refused }
    const reply = await call('POST', '/api/v1/users', admin.headers, body)
    assert.equal(reply.status, 422)
    assert.deepEqual(
      reply.body.errors.map(({ field }: { field: string }) => field),
      [name],
    )
    assert.equal(reply.body.code, fieldOf(name).rule?.code ?? 'validation')
  })
}
