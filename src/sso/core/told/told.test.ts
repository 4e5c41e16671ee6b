import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { clock } from '#foundation/clock.ts'
import type { ApiError } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { importCsv, liftImportQuota } from '#testing/bulk.ts'
import { aColleague, anAdmin, type Headers, type Person, signIn, type TestSite } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { aConnection, aPlannedSite, type PlannedSite, verifiedDomain } from '#testing/enterprise.ts'
import type { SsoParts } from '../parts.ts'
import { createTold, toldTo } from './told.ts'
import { admit } from '../../federation/enterprise/admit.ts'
import { requireProvider } from '../../federation/enterprise/provider.ts'
import { purposeOf } from '../../sign-in/consent/purpose.ts'

// The limits see a clock that stands still: nothing leaves a window while a test runs.
const now = clock.monotonic()
const still = mock.method(clock, 'monotonic', () => now)
const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '1000', RATE_LIMIT_DEFAULT: '0' } })
const limiter = lyceum.parts.limits.limiter('sso')
still.mock.restore()
await lyceum.startJobs()
const { sso, db } = lyceum

const ISSUER = 'https://idp.example.org'
const aSchoolOf = async (site: PlannedSite) => {
  await db.pool`update sso.sites set plan = 'business' where site_id = ${site.site_id}`
  return aConnection(lyceum, site, { type: 'oidc', issuer: ISSUER, client_id: 'x', client_secret: 'x' })
}

const PERSON = 200
const SITE = 500

type Admin = Person & { site: TestSite }
const anAddress = () => `somebody-${newId()}@example.org`
const addresses = (number: number, domain = 'example.org') =>
  Array.from({ length: number }, () => `somebody-${newId()}@${domain}`)

/** People that no site of a partner knows. */
async function strangers(number: number, domain?: string): Promise<string[]> {
  const emails = addresses(number, domain)
  await db.pool`
    insert into sso.users (user_id, environment, email, email_fold, registration_source)
    select gen_random_uuid(), 'production', email, email, 'register' from unnest(${emails}::text[]) as email`
  return emails
}

type Job = Record<string, unknown> & { error_rows: { row: number; code: string }[] }
const upload = (headers: Headers, emails: string[], options: Record<string, string> = {}) =>
  importCsv(headers, `email\n${emails.join('\n')}\n`, { lyceum, ...options }) as Promise<Job>
const countsOf = (job: Job) => [job['success_count'], job['skipped_count'], job['error_count']]

/** An ADMIN who was told of so many accounts today, by dry runs. */
async function told(number: number, admin?: Admin): Promise<Admin> {
  const one = admin ?? (await anAdmin({ lyceum }))
  const job = await upload(one.headers, await strangers(number), { dry_run: 'true' })
  assert.deepEqual(countsOf(job), [0, number, 0])
  return one
}

type Door = {
  /** Asks for the address, and returns the status, or that of a good answer with nobody in it. */
  ask: (email: string) => Promise<number>
  tells: number
}
const send = async (method: 'POST' | 'PATCH', url: string, headers: Headers, payload: object) =>
  (await sso.inject({ method, url: `/api/v1${url}`, headers, payload })).statusCode

/** Every door that tells a person whether somebody has an account. */
const DOORS: Record<string, (admin: Admin) => Promise<Door>> = {
  'POST /users': async (admin) => ({
    ask: (email) => send('POST', '/users', admin.headers, { email }),
    tells: 409,
  }),
  'PATCH /users of somebody else': async (admin) => {
    const { user_id } = await aColleague(admin, lyceum)
    return { ask: (email) => send('PATCH', `/users/${user_id}`, admin.headers, { email }), tells: 409 }
  },
  'PATCH /users of oneself': async (admin) => {
    const { headers, user_id } = await signIn(admin, { lyceum })
    const current_password = admin.password
    return {
      ask: (email) => send('PATCH', `/users/${user_id}`, headers, { email, current_password }),
      tells: 409,
    }
  },
  'GET /teachers': async (admin) => {
    const { headers } = await signIn(admin, { lyceum })
    const made = await lyceum.learning.inject({
      method: 'POST',
      url: '/api/channels',
      headers,
      payload: { title: 'Mine' },
    })
    assert.equal(made.statusCode, 201, made.body)
    const ask = async (email: string) => {
      const url = `/api/channels/${made.json().id}/teachers?q=${email}`
      const reply = await lyceum.learning.inject({ url, headers })
      return reply.statusCode === 200 && reply.json().found.length === 0 ? 204 : reply.statusCode
    }
    return { ask, tells: 200 }
  },
  'GET /invitees': async (admin) => {
    const owner = await signIn(admin, { lyceum })
    const made = await lyceum.collections.inject({
      method: 'POST',
      url: '/api/collections',
      headers: owner.headers,
      payload: { name: 'Mine' },
    })
    assert.equal(made.statusCode, 201, made.body)
    const ask = async (email: string) => {
      const url = `/api/collections/${made.json().id}/invitees?name=${email}`
      const reply = await lyceum.collections.inject({ url, headers: owner.headers })
      return reply.statusCode === 200 && reply.json().items.length === 0 ? 204 : reply.statusCode
    }
    return { ask, tells: 200 }
  },
}

/** Somebody whom learning and collections know, so that every door can name them. */
const aLearner = async () => (await signIn(await anAdmin({ lyceum }), { lyceum })).email

describe('answers that tell who has an account', () => {
  for (const [name, open] of Object.entries(DOORS))
    test(`count for the person in one count, and then tell nothing: ${name}`, async () => {
      const admin = await told(PERSON - 1)
      const { ask, tells } = await open(admin)
      assert.equal(await ask(await aLearner()), tells)
      for (const email of [await aLearner(), anAddress()]) assert.equal(await ask(email), 429, name)
      const job = await upload(admin.headers, await strangers(1), { dry_run: 'true' })
      assert.deepEqual(
        job.error_rows.map(({ code }) => code),
        ['known_limit'],
      )
    })

  test('count for the site and its tenant, also at registration with its key', async () => {
    const admin = await told(PERSON)
    for (const more of [PERSON, SITE - 1 - 2 * PERSON]) {
      const colleague = await aColleague(admin, lyceum)
      await db.pool`
        update sso.memberships set role = 'ADMIN'
         where user_id = ${colleague.user_id} and site_id = ${admin.site.site_id}`
      await told(more, { ...(await signIn(colleague, { at: admin.site, lyceum })), site: admin.site })
    }
    const register = (email: string) =>
      send('POST', '/auth/register', admin.site.headers, { email, password: 'battery staple 7' })
    const [known, other] = await strangers(2)
    // Its own people, who forgot that they have an account, are no news to it.
    for (let again = 0; again < 3; again++) assert.equal(await register(admin.email), 409)
    assert.equal(await register(known ?? ''), 409)
    for (const email of [other ?? '', anAddress()]) assert.equal(await register(email), 429)
    const third = await aColleague(await anAdmin({ lyceum }), lyceum)
    assert.ok(third, 'other sites go on')
  })

  for (const on_conflict of ['skip', 'error', 'update'] as const)
    test(`stop in a file with the last one, known and new people alike: ${on_conflict}`, async () => {
      const admin = await anAdmin({ lyceum })
      await liftImportQuota(admin, lyceum)
      const [before, known, after] = [addresses(600), await strangers(PERSON + 50), addresses(30)]
      const files = { dry_run: 'true', on_conflict }
      const job = await upload(admin.headers, [...before, ...known, ...after], files)
      const counts = on_conflict === 'skip' ? [600, PERSON, 80] : [600, 0, PERSON + 80]
      assert.deepEqual(countsOf(job), counts)
      const refused = job.error_rows.filter(({ code }) => code === 'known_limit').map(({ row }) => row)
      assert.deepEqual([refused.length, refused[0]], [80, 600 + PERSON + 1])
      const answers = await Promise.all(
        [await strangers(1), addresses(1)].map(async (one) => {
          const { error_rows, ...rest } = await upload(admin.headers, one, { ...files, dry_run: 'false' })
          return [countsOf({ error_rows, ...rest }), error_rows.map(({ code }) => code)]
        }),
      )
      assert.deepEqual(answers[0], answers[1])
    })

  test('count at the sign-in of a provider, which may name any address', async () => {
    const site = await aPlannedSite(lyceum)
    const { connection_id } = await aSchoolOf(site)
    const provider = await requireProvider(db, connection_id)
    const parts = { ...lyceum.parts, gate: lyceum.gate, told: createTold(lyceum.parts, limiter) } as SsoParts
    const [seen = assert.fail()] = await db.pool<Site[]>`
      select site_id, site_code, tenant_id, environment, is_first_party, trust_client_ip from sso.sites
       where site_id = ${site.site_id}`
    const enter = async (email: string) => {
      const proof = { issuer: ISSUER, subject: newId(), attributes: { email: [email] }, idp_session: null }
      const visiting = {
        from: { ip_address: '127.0.0.1', user_agent: '' },
        purpose: purposeOf({ site: seen }),
      }
      try {
        await admit(parts, seen, { provider, proof }, visiting)
        return 200
      } catch (error) {
        return (error as ApiError).status
      }
    }
    const [known = assert.fail(), other = assert.fail()] = await strangers(2)
    await db.pool`update sso.users set environment = 'sandbox' where email = any(${[known, other]})`
    const told = Array.from({ length: SITE - 1 }, (_, row) => row)
    assert.equal(await parts.told.lastAnswered(toldTo.site(seen), told), Infinity)
    assert.deepEqual([await enter(anAddress()), await enter(known)], [200, 409])
    for (const email of [other, anAddress()]) assert.equal(await enter(email), 429)
    await verifiedDomain(lyceum, site, connection_id, 'example.org')
    assert.deepEqual(
      [await enter(anAddress()), await enter(other)],
      [200, 409],
      'a proven domain is their own',
    )
  })

  test('do not count one’s own people, nor those of a domain proven for the tenant', async () => {
    const admin = await anAdmin({ lyceum })
    await liftImportQuota(admin, lyceum)
    const own = addresses(PERSON + 1)
    assert.deepEqual(countsOf(await upload(admin.headers, own)), [own.length, 0, 0])
    assert.deepEqual(countsOf(await upload(admin.headers, own)), [0, own.length, 0])
    const domain = `school-${newId()}.example`
    const { connection_id } = await aSchoolOf({ ...admin.site, owner: admin })
    await verifiedDomain(lyceum, admin.site, connection_id, domain)
    const pupils = await strangers(PERSON + 1, domain)
    assert.deepEqual(countsOf(await upload(admin.headers, pupils)), [0, pupils.length, 0])
    for (const email of [own[0] ?? '', pupils[0] ?? ''])
      assert.equal(await send('POST', '/users', admin.headers, { email }), 409)
    const job = await upload(admin.headers, await strangers(1))
    assert.deepEqual(countsOf(job), [0, 1, 0], 'nothing was counted')
  })

  test('let thousands of new people in, without a limit', async () => {
    const admin = await anAdmin({ lyceum })
    await liftImportQuota(admin, lyceum)
    assert.deepEqual(countsOf(await upload(admin.headers, addresses(2_500))), [2_500, 0, 0])
  })
})
