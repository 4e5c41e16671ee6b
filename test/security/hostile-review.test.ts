import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { newId } from '#foundation/ids.ts'
import { importCsv } from '#testing/bulk.ts'
import { tokenFor } from '#testing/mail.ts'
import { listeningWorld } from '#testing/enterprise.ts'
import { giveTotp } from '#testing/mfa.ts'
import { aColleague, anAdmin, aSite, aUser, homeSite, type Person, signIn } from '#testing/people.ts'
import { samlSchools } from '#testing/saml-school.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld } from '#testing/world.ts'

/** Attacks at the border of two rules, each of which relied on the other. Each attack once succeeded. */
const lyceum = await buildWorld()
const { sso, db } = lyceum
await lyceum.startJobs()

const unique = () => randomBytes(5).toString('hex')
const PASSWORD = 'battery staple 7'
const BACK = 'https://club.example.org/back'

const patch = ({ user_id, headers }: Pick<Person, 'user_id' | 'headers'>, payload: object) =>
  sso.inject({ method: 'PATCH', url: `/api/v1/users/${user_id}`, headers, payload })

/** A person whose imported password an ADMIN knows, signed in at the sso itself. */
async function anImported() {
  const mallory = await anAdmin({ lyceum })
  const email = `anna-${unique()}@example.com`
  const hash = await hashBcrypt(PASSWORD, { cost: 4 })
  await importCsv(mallory.headers, `email,password_hash\n${email},${hash}\n`, { lyceum })
  return { mallory, email, anna: await signIn({ email, password: PASSWORD }, { lyceum }) }
}

/** Changes the address of a person, as a thief with their password and session does. */
async function moved(person: Person) {
  const email = `thief-${unique()}@example.org`
  const asked = await patch(person, { email })
  assert.equal(asked.statusCode, 200, asked.body)
  const token = await tokenFor(email, 'email_change', lyceum)
  const done = await aVisitor({ lyceum }).submit('/account/email-confirm', {
    token,
    password: person.password,
  })
  assert.equal(done.statusCode, 200, done.body)
  return email
}
const takeBack = async ({ email }: Person) =>
  aVisitor({ lyceum }).submit('/account/email-undo', { token: await tokenFor(email, 'email_undo', lyceum) })

describe('the creator of an account stays in after a takeover', () => {
  test('by an address change requested before the confirmation', async () => {
    const { email, anna } = await anImported()
    const evil = `mallory-${unique()}@example.org`
    assert.equal((await patch(anna, { email: evil, current_password: PASSWORD })).statusCode, 200)
    const token = await tokenFor(evil, 'email_change', lyceum)
    // The owner requests the link that verifies the address, and opens it.
    await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/email/resend',
      headers: (await homeSite(lyceum)).headers,
      payload: { email },
    })
    const proof = await tokenFor(email, 'email_verification', lyceum)
    assert.equal((await aVisitor({ lyceum }).submit('/verify-email', { token: proof })).statusCode, 200)
    await aVisitor({ lyceum }).submit('/account/email-confirm', { token, password: PASSWORD })
    const [now] = await db.pool`select email from sso.users where user_id = ${anna.user_id}`
    assert.equal(now?.['email'], email)
  })

  test('by a consent given for their own site', async () => {
    const evil = await aSite({ lyceum })
    await db.pool`update sso.sites set callback_url = ${BACK} where site_id = ${evil.site_id}`
    const victim = await aUser({ at: evil, lyceum })
    // The owner of the address finds it taken and resets the password by mail.
    const visitor = aVisitor({ lyceum })
    await visitor.submit('/forgot-password', { email: victim.email })
    const token = await tokenFor(victim.email, 'password_reset', lyceum)
    assert.equal(
      (await visitor.submit('/reset-password', { token, password: 'quiet harbour 91' })).statusCode,
      200,
    )
    const entered = await visitor.submit('/sign-in', { name: victim.email, password: 'quiet harbour 91' })
    assert.equal(entered.statusCode, 303, entered.body)
    const there = await visitor.get(`/sign-in?site_code=${evil.site_code}`)
    assert.equal(there.statusCode, 200, `sent on to ${String(there.headers.location)} without being asked`)
    assert.match(there.body, /name="decision"/)
  })
})

describe('a thief survives the recovery by the owner', () => {
  test('by importing the old address to block the undo', async () => {
    const anna = await aUser({ lyceum })
    await moved(anna)
    const mallory = await anAdmin({ lyceum })
    const job = await importCsv(mallory.headers, `email\n${anna.email}\n`, { lyceum })
    assert.equal(job['skipped_count'], 1)
    const undone = await takeBack(anna)
    assert.equal(undone.statusCode, 200, undone.body)
    const [now] = await db.pool`select email from sso.users where user_id = ${anna.user_id}`
    assert.equal(now?.['email'], anna.email)
  })

  test('by linking an own identity provider', async () => {
    const anna = await aUser({ lyceum })
    const proof = await tokenFor(anna.email, 'email_verification', lyceum)
    await aVisitor({ lyceum }).submit('/verify-email', { token: proof, password: anna.password })
    const site = await aSite({ lyceum })
    const [before, since, connection_id] = [newId(), newId(), newId()]
    await db.pool`
      insert into sso.connections (connection_id, site_id, type, name, issuer, client_id)
      values (${connection_id}, ${site.site_id}, 'oidc', 'School', 'https://idp.example', 'x')`
    const link = (identity_id: string) => db.pool`
      insert into sso.identities (identity_id, connection_id, issuer, subject, user_id)
      values (${identity_id}, ${connection_id}, 'https://idp.example', ${identity_id}, ${anna.user_id})`
    await link(before)
    await moved(anna)
    await link(since)
    assert.equal((await takeBack(anna)).statusCode, 200)
    const left = await db.pool`select identity_id from sso.identities where user_id = ${anna.user_id}`
    assert.deepEqual(
      [...left].map((row) => row['identity_id']),
      [before],
    )
  })

  test('by occupying the address an ended claim frees', async () => {
    const mallory = await anAdmin({ lyceum })
    const email = `anna-${unique()}@example.com`
    await importCsv(mallory.headers, `email\n${email}\n`, { lyceum })
    const [held] = await db.pool`select user_id from sso.users where email = ${email}`
    const squat = await sso.inject({
      method: 'POST',
      url: '/api/v1/users',
      headers: mallory.headers,
      payload: { email: `${String(held?.['user_id'])}@unclaimed.invalid` },
    })
    assert.equal(squat.statusCode, 422, squat.body)
    const home = await homeSite(lyceum)
    const register = { method: 'POST', url: '/api/v1/auth/register', headers: home.headers } as const
    const taken = await sso.inject({ ...register, payload: { email, password: 'quiet harbour 91' } })
    assert.equal(taken.statusCode, 409, taken.body)
    const token = await tokenFor(email, 'address_claim', lyceum)
    const claimed = await aVisitor({ lyceum }).submit('/reset-password', {
      token,
      password: 'quiet harbour 91',
    })
    assert.equal(claimed.statusCode, 200, claimed.body)
  })
})

describe('a partner learns too much', () => {
  test('from the audit log, about visitors who declined', async () => {
    const evil = await aSite({ lyceum })
    await db.pool`update sso.sites set callback_url = ${BACK} where site_id = ${evil.site_id}`
    const anna = await aUser({ lyceum })
    await giveTotp(anna, lyceum)
    const visitor = aVisitor({ lyceum })
    const asked = await visitor.submit(`/sign-in?site_code=${evil.site_code}`, {
      name: anna.email,
      password: anna.password,
    })
    assert.match(String(asked.headers.location), /^\/sign-in\/mfa/)
    const owner = await signIn(evil.owner, { at: evil, lyceum })
    const log = await sso.inject({ url: '/api/v1/audit', headers: owner.headers })
    assert.equal(log.statusCode, 200, log.body)
    assert.ok(!log.body.includes(anna.user_id), 'the log names who has not agreed')
  })
})

describe('a partner learns other sites of its people', () => {
  test('from the list of their sites', async () => {
    const [here, there] = [await aSite({ lyceum }), await aSite({ lyceum })]
    const anna = await aUser({ lyceum })
    const atHere = await signIn(anna, { at: here, lyceum })
    await signIn(anna, { at: there, lyceum })
    const codesFor = async ({ headers }: Pick<Person, 'headers'>) => {
      const { items } = (await sso.inject({ url: '/api/v1/sites', headers })).json()
      return items.map(({ site_code }: { site_code: string }) => site_code)
    }
    assert.deepEqual(await codesFor(atHere), [here.site_code])
    assert.deepEqual(await codesFor(anna), ['learning', here.site_code, there.site_code])
  })
})

describe('somebody finds out which accounts exist', () => {
  for (const [wish, url] of [
    ['by the time that asking for a new password takes', '/api/v1/auth/password/forgot'],
    ['by the time that asking for a proof of the address takes', '/api/v1/auth/email/resend'],
  ] as const)
    test(wish, async () => {
      const HOLD = 60
      const slow = await buildWorld({ refusalTime: HOLD })
      const home = await homeSite(slow)
      const timeOf = async (email: string) => {
        const start = performance.now()
        const reply = await slow.sso.inject({
          method: 'POST',
          url,
          headers: home.headers,
          payload: { email },
        })
        assert.equal(reply.statusCode, 202, reply.body)
        return performance.now() - start
      }
      const { email } = await aUser({ lyceum: slow })
      for (const each of [email, `nobody-${unique()}@example.org`])
        assert.ok((await timeOf(each)) >= HOLD - 1)
    })

  test('by requesting address after address', async () => {
    const limited = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '30' } })
    const anna = await aUser({ lyceum: limited })
    const others = []
    for (let i = 0; i < 2; i++) others.push(await aUser({ lyceum: limited }))
    const statuses = []
    for (let i = 0; i < 14; i++) {
      const reply = await limited.sso.inject({
        method: 'PATCH',
        url: `/api/v1/users/${anna.user_id}`,
        headers: anna.headers,
        payload: { email: others[i % 2]?.email },
      })
      statuses.push(reply.statusCode)
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [409, 429], statuses.join())
  })
})

describe('a signed out person returns by a pending consent', () => {
  test('after losing the membership', async () => {
    const mallory = await anAdmin({ lyceum })
    const anna = await aColleague(mallory, lyceum)
    await signIn(anna, { at: await homeSite(lyceum), lyceum })
    await db.pool`
      insert into sso.proven_sign_ins (token_hash, user_id, site_id, login_id, auth_methods, gives_role, role, expires_at)
      values (${randomBytes(32)}, ${anna.user_id}, ${mallory.site.site_id}, ${newId()}, '{sso}', true, 'ADMIN',
              clock_timestamp() + interval '5 minutes')`
    const url = `/api/v1/users/${anna.user_id}`
    const removed = await sso.inject({ method: 'DELETE', url, headers: mallory.headers })
    assert.equal(removed.statusCode, 204, removed.body)
    assert.equal((await db.pool`select from sso.proven_sign_ins where user_id = ${anna.user_id}`).length, 0)
  })
})

describe('an ADMIN of one site ends sessions at another', () => {
  test('by ending a session that led to both', async () => {
    const mallory = await anAdmin({ lyceum })
    const anna = await aColleague(mallory, lyceum)
    const here = await signIn(anna, { at: await homeSite(lyceum), lyceum })
    // The state after a hosted sign-in: one login, two sites.
    await db.pool`
      update sso.sessions set login_id = (select login_id from sso.sessions where session_id = ${here.session_id})
       where session_id = ${anna.session_id}`
    const url = `/api/v1/sessions/${anna.session_id}`
    const ended = await sso.inject({ method: 'DELETE', url, headers: mallory.headers })
    assert.equal(ended.statusCode, 204, ended.body)
    const alive =
      await db.pool`select from sso.sessions where session_id = ${here.session_id} and revoked_at is null`
    assert.equal(alive.length, 1)
  })
})

/** One thread parses the messages of all providers in turn, and a forged message can take it half a second. */
describe('a stranger blocks SAML sign-ins', () => {
  test('with forged answers to one request', async () => {
    const { aSchool, onTheWay, answerTo, post } = samlSchools(await listeningWorld())
    const school = await aSchool()
    const { request_id } = await onTheWay(school)
    const good = await answerTo(school, request_id)
    const forged = good.replace(/<SignatureValue>./, '<SignatureValue>AA')
    assert.equal((await post(school, forged)).statusCode, 401)
    const again = await post(school, good)
    assert.deepEqual([again.statusCode, again.json().code], [401, 'sso_failed'])
  })

  test('with three hundred invalid messages a minute', async () => {
    const { aSchool, post } = samlSchools(await listeningWorld({ SSO_RATE_LIMIT_AUTH: '1000' }))
    const school = await aSchool()
    const statuses = []
    for (let i = 0; i < 32; i++) statuses.push((await post(school, '<a/>')).statusCode)
    assert.deepEqual([statuses[0], statuses[29], statuses.at(-1)], [401, 401, 429])
  })
})
