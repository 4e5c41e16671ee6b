import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { importCsv } from '#testing/bulk.ts'
import { mailsTo, tokenFor } from '#testing/mail.ts'
import { giveTotp } from '#testing/mfa.ts'
import {
  anAdmin,
  aSite,
  aUser,
  type Headers,
  homeSite,
  type Person,
  signIn,
  type TestSite,
} from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await buildWorld()
const { sso, db } = lyceum
await lyceum.startJobs()

const anAddress = () => `victim-${randomBytes(5).toString('hex')}@example.com`
const KNOWN = 'the importer knows 7'
const OWN = 'only the owner knows 7'

const post = (path: string, headers: Headers, payload: object) =>
  sso.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })
const login = (email: string, password: string, site: TestSite) =>
  post('/auth/login', site.headers, { email, password })
const readAs = async (headers: Headers, user_id: string) =>
  (await sso.inject({ url: `/api/v1/users/${user_id}`, headers })).json()

/** An attacker imports a stranger's address with a password of their choice, and claims that it is verified. */
async function squat(email: string) {
  const importer = await anAdmin({ lyceum })
  const hash = await hashBcrypt(KNOWN, { cost: 4 })
  const csv = `email,display_name,email_verified,password_hash\n${email},Squatted,yes,${hash}\n`
  const job = await importCsv(importer.headers, csv, { lyceum })
  assert.equal(job['success_count'], 1)
  return importer
}

const enter = (email: string, at: TestSite): Promise<Person> =>
  signIn({ email, password: KNOWN }, { at, lyceum })

async function ownerProves(email: string, site: TestSite, by: 'verification' | 'reset') {
  if (by === 'reset') {
    await post('/auth/password/forgot', site.headers, { email })
    const token = await tokenFor(email, 'password_reset', lyceum)
    return post('/auth/password/reset', site.headers, { token, password: OWN })
  }
  await post('/auth/email/resend', site.headers, { email })
  return post('/auth/email/verify', site.headers, {
    token: await tokenFor(email, 'email_verification', lyceum),
  })
}

describe('an importer keeps access after the owner verifies the address', () => {
  for (const by of ['verification', 'reset'] as const) {
    test(`by password, session and factor, after a ${by}`, async () => {
      const email = anAddress()
      const { site } = await squat(email)
      const thief = await enter(email, site)
      const totp = await giveTotp(thief, lyceum)
      await db.pool`insert into sso.recovery_codes (user_id, code_hmac) values (${thief.user_id}, '\\x00')`

      const proven = await ownerProves(email, site, by)
      assert.ok([200, 204].includes(proven.statusCode), proven.body)

      assert.equal((await login(email, KNOWN, site)).statusCode, 401, 'the imported password')
      assert.equal((await readAs(thief.headers, thief.user_id)).code, 'token_revoked')
      const { refresh_token } = thief
      assert.equal((await post('/auth/refresh', site.headers, { refresh_token })).statusCode, 401)
      const [left] = await db.pool<{ factors: number; codes: number; sessions: number }[]>`
        select (select count(*)::int from sso.mfa_factors where user_id = ${thief.user_id}) as factors,
               (select count(*)::int from sso.recovery_codes where user_id = ${thief.user_id}) as codes,
               (select count(*)::int from sso.sessions
                 where user_id = ${thief.user_id} and revoked_at is null) as sessions`
      assert.deepEqual({ ...left }, { factors: 0, codes: 0, sessions: 0 }, totp.factor_id)
    })
  }

  test('by a password link requested before', async () => {
    const email = anAddress()
    const { site } = await squat(email)
    await post('/auth/password/forgot', site.headers, { email })
    const early = await tokenFor(email, 'password_reset', lyceum)
    await ownerProves(email, site, 'verification')
    // The owner may use this link, because it is in their mailbox; it is the only way in that is left.
    const reply = await post('/auth/password/reset', site.headers, { token: early, password: OWN })
    assert.equal(reply.statusCode, 204)
    assert.equal((await login(email, OWN, site)).statusCode, 200)
  })

  test('by moving the verified address as ADMIN', async () => {
    const email = anAddress()
    const importer = await squat(email)
    const { user_id } = await enter(email, importer.site)
    await ownerProves(email, importer.site, 'reset')
    const moved = await sso.inject({
      method: 'PATCH',
      url: `/api/v1/users/${user_id}`,
      headers: importer.headers,
      payload: { email: anAddress() },
    })
    assert.deepEqual([moved.statusCode, moved.json().code], [403, 'email_proven'])
    assert.equal((await login(email, OWN, importer.site)).statusCode, 200)
  })
})

describe('an importer makes the network confirm a foreign address', () => {
  test('in userinfo, to other tenants and in webhooks', async () => {
    const email = anAddress()
    const { site, ...importer } = await squat(email)
    const other = await anAdmin({ lyceum })
    const there = await enter(email, other.site)
    const here = await enter(email, site)
    const userinfo = async ({ headers }: Person) =>
      (await sso.inject({ url: '/openid/userinfo', headers })).json().email_verified
    const seenBy = async ({ headers }: { headers: Headers }) =>
      (await readAs(headers, here.user_id)).email_verified
    const listedFor = async ({ headers }: { headers: Headers }) => {
      const { items } = (await sso.inject({ url: '/api/v1/users?sort=email', headers })).json()
      return items.find((user: { user_id: string }) => user.user_id === here.user_id).email_verified
    }
    assert.deepEqual(
      {
        userinfo: [await userinfo(here), await userinfo(there)],
        importer: [await seenBy(importer), await listedFor(importer), await seenBy(here)],
        other: [await seenBy(other), await listedFor(other), await seenBy(there)],
      },
      { userinfo: [false, false], importer: [true, true, true], other: [false, false, false] },
    )
    const profile = async (tenant_id: string) =>
      (await lyceum.identity.profiles(tenant_id, [here.user_id]))[0]?.email_verified
    assert.deepEqual([await profile(site.tenant_id), await profile(other.site.tenant_id)], [true, false])
    const atOther = await login(email, KNOWN, other.site)
    const atHome = await login(email, KNOWN, site)
    assert.deepEqual(
      [atOther, atHome].map((reply) => reply.json().user.email_verified),
      [false, true],
    )
  })

  test('and enables e-mail codes for an unverified mailbox', async () => {
    const email = anAddress()
    await squat(email)
    const { headers } = await enter(email, await homeSite(lyceum))
    const reply = await post('/mfa/factors', headers, { type: 'email' })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'email_not_verified'])
  })
})

describe('an importer squats an address', () => {
  const register = (site: TestSite, email: string) =>
    post('/auth/register', site.headers, { email, password: OWN })

  test('and its owner can never register', async () => {
    const email = anAddress()
    const importer = await squat(email)
    const thief = await enter(email, importer.site)
    const elsewhere = await aSite({ lyceum })
    assert.equal((await register(elsewhere, email)).json().code, 'email_taken')
    const token = await tokenFor(email, 'address_claim', lyceum)
    const claimed = await post('/auth/password/reset', elsewhere.headers, { token, password: OWN })
    assert.equal(claimed.statusCode, 204, claimed.body)

    const { user } = (await login(email, OWN, elsewhere)).json()
    assert.notEqual(user.user_id, thief.user_id)
    assert.deepEqual(
      [user.email_verified, user.display_name, user.roles, user.registration_source],
      [true, null, [{ site_code: elsewhere.site_code, role: 'USER' }], 'register'],
    )
    // The imported account stays in its tenant, but loses the address.
    const kept = await readAs(importer.headers, thief.user_id)
    assert.deepEqual([kept.email, kept.email_verified], [`${thief.user_id}@unclaimed.invalid`, false])
    assert.equal((await readAs(importer.headers, user.user_id)).code, 'not_found')
    assert.equal((await login(email, KNOWN, importer.site)).statusCode, 401)
  })

  test('and a suspension locks its owner out', async () => {
    const email = anAddress()
    const importer = await squat(email)
    const [squatted] = await db.pool<{ user_id: string }[]>`
      update sso.users set status = 'suspended' where email_fold = ${email} returning user_id`
    await register(importer.site, email)
    const token = await tokenFor(email, 'address_claim', lyceum)
    const reply = await post('/auth/password/reset', importer.site.headers, { token, password: OWN })
    assert.equal(reply.statusCode, 204, squatted?.user_id)
    assert.equal((await login(email, OWN, importer.site)).statusCode, 200)
  })

  test('and repeated registrations take the address without the mailbox', async () => {
    const email = anAddress()
    const importer = await squat(email)
    const { user_id } = await enter(email, importer.site)
    const replies = await Promise.all(Array.from({ length: 10 }, () => register(importer.site, email)))
    assert.ok(replies.every((reply) => reply.statusCode === 409))
    const claims = (await mailsTo(email, lyceum)).filter(({ kind }) => kind === 'address_claim')
    assert.equal(claims.length, 1)
    assert.equal((await readAs(importer.headers, user_id)).email, email)
  })

  test('and an older claim link takes an address verified since', async () => {
    const email = anAddress()
    const { site } = await squat(email)
    await register(site, email)
    const token = await tokenFor(email, 'address_claim', lyceum)
    await ownerProves(email, site, 'reset')
    const late = await post('/auth/password/reset', site.headers, { token, password: `${OWN} 2` })
    assert.deepEqual([late.statusCode, late.json().code], [401, 'token_invalid'])
    assert.equal((await login(email, OWN, site)).statusCode, 200)
  })

  test('registering a registered address again mails nothing', async () => {
    const anna = await aUser({ lyceum })
    const { site } = await anAdmin({ lyceum })
    assert.equal((await register(site, anna.email)).statusCode, 409)
    assert.deepEqual(
      (await mailsTo(anna.email, lyceum)).map(({ kind }) => kind),
      ['email_verification'],
    )
  })
})
