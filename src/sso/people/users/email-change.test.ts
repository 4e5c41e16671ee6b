import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { mailsTo, tokenFor } from '#testing/mail.ts'
import { addTotp } from '#testing/mfa.ts'
import { aUser, homeSite, type Person, signIn } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const { sso, db } = await world()

const anAddress = () => `new-${randomBytes(5).toString('hex')}@example.org`
const patch = ({ user_id, headers }: Person, payload: object) =>
  sso.inject({ method: 'PATCH', url: `/api/v1/users/${user_id}`, headers, payload })
const read = async ({ user_id, headers }: Pick<Person, 'user_id' | 'headers'>) =>
  (await sso.inject({ url: `/api/v1/users/${user_id}`, headers })).json()
const confirm = (token: string, { password }: Pick<Person, 'password'>) =>
  aVisitor().submit('/account/email-confirm', { token, password })
const undo = (token: string) => aVisitor().submit('/account/email-undo', { token })
/** As if the last link had been sent longer ago than a minute. */
const later = ({ user_id }: Person) => db.pool`
  update sso.messages set created_at = created_at - interval '2 minutes' where user_id = ${user_id}`
const refresh = async ({ refresh_token }: Person) =>
  sso.inject({
    method: 'POST',
    url: '/api/v1/auth/refresh',
    headers: (await homeSite()).headers,
    payload: { refresh_token },
  })
const login = async (email: string, password: string) =>
  sso.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers: (await homeSite()).headers,
    payload: { email, password },
  })

/** Somebody whose address was changed and confirmed. */
async function moved(anna: Person) {
  const email = anAddress()
  const asked = await patch(anna, { email })
  assert.equal(asked.statusCode, 200, asked.body)
  const done = await confirm(await tokenFor(email, 'email_change'), anna)
  assert.equal(done.statusCode, 200, done.body)
  return email
}

describe("a new e-mail address of one's own", () => {
  test('is mailed a link, the old one a notice', async () => {
    const anna = await aUser()
    const email = anAddress()
    const reply = await patch(anna, { email })
    assert.equal(reply.statusCode, 200, reply.body)
    const { email: now, pending_email, version, session_version } = reply.json()
    assert.deepEqual([now, pending_email, version, session_version], [anna.email, email, 2, 1])
    assert.deepEqual(
      (await mailsTo(email)).map(({ kind }) => kind),
      ['email_change'],
    )
    const old = (await mailsTo(anna.email)).map(({ kind }) => kind)
    assert.deepEqual(old, ['email_verification', 'email_change_asked_notice'])
    assert.equal((await login(email, anna.password)).statusCode, 401)
    assert.equal((await login(anna.email, anna.password)).statusCode, 200)
  })

  test('counts once its link is opened, and ends other sessions', async () => {
    const anna = await aUser()
    const other = await signIn(anna)
    const email = await moved(anna)
    const [row] = await db.pool`
      select email, email_verified, email_proven_at is not null as is_proven from sso.users where user_id = ${anna.user_id}`
    assert.deepEqual({ ...row }, { email, email_verified: true, is_proven: true })
    assert.equal((await refresh(other)).statusCode, 401)
    const renewed = (await refresh(anna)).json()
    const headers = { authorization: `Bearer ${renewed.access_token}` }
    assert.equal((await read({ ...anna, headers })).pending_email, null)
    assert.equal((await login(email, anna.password)).statusCode, 200)
  })

  test('warns the old mailbox at once, whatever was sent there before it was proven', async () => {
    const anna = await aUser()
    await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/password/forgot',
      headers: (await homeSite()).headers,
      payload: { email: anna.email },
    })
    await db.pool`update sso.users set email_proven_at = clock_timestamp() where user_id = ${anna.user_id}`
    await moved(anna)
    const [warning] = await db.pool<{ waits: boolean }[]>`
      select j.run_at > clock_timestamp() as waits from sso.messages m join foundation.jobs j using (job_id)
       where m.recipient = ${anna.email} and m.kind = 'email_undo'`
    assert.equal(warning?.waits, false)
  })

  test('is confirmed once, and not after expiry', async () => {
    const anna = await aUser()
    const email = anAddress()
    await patch(anna, { email })
    const token = await tokenFor(email, 'email_change')
    const replies = await Promise.all(Array.from({ length: 10 }, () => confirm(token, anna)))
    const counts = [200, 401].map(
      (status) => replies.filter(({ statusCode }) => statusCode === status).length,
    )
    assert.deepEqual(counts, [1, 9])
    const ben = await aUser()
    const next = anAddress()
    await patch(ben, { email: next })
    await db.pool`
      update sso.email_changes set expires_at = clock_timestamp() - interval '1 second' where user_id = ${ben.user_id}`
    assert.equal((await confirm(await tokenFor(next, 'email_change'), ben)).statusCode, 401)
    assert.equal((await read(ben)).pending_email, null)
  })

  test('is replaced by a later request', async () => {
    const anna = await aUser()
    const [first, second] = [anAddress(), anAddress()]
    await patch(anna, { email: first })
    await later(anna)
    assert.equal((await patch(anna, { email: second })).json().pending_email, second)
    assert.equal((await confirm(await tokenFor(first, 'email_change'), anna)).statusCode, 401)
    const kept = await patch(anna, { email: anna.email })
    assert.deepEqual([kept.statusCode, kept.json().pending_email], [200, null])
    assert.equal((await confirm(await tokenFor(second, 'email_change'), anna)).statusCode, 401)
  })

  test('is mailed once a minute, then 429', async () => {
    const anna = await aUser()
    await patch(anna, { email: anAddress() })
    const reply = await patch(anna, { email: anAddress() })
    assert.deepEqual([reply.statusCode, reply.headers['retry-after']], [429, '60'])
  })

  test('answers 409 when taken, also when taken meanwhile', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const taken = await patch(anna, { email: ben.email.toUpperCase() })
    assert.deepEqual([taken.statusCode, taken.json().code], [409, 'email_taken'])
    const email = anAddress()
    await patch(anna, { email })
    await db.pool`update sso.users set email = ${email}, email_fold = ${email} where user_id = ${ben.user_id}`
    assert.equal((await confirm(await tokenFor(email, 'email_change'), anna)).statusCode, 409)
  })

  test('is dropped after a password change or reset', async () => {
    const anna = await aUser()
    const email = anAddress()
    await patch(anna, { email })
    const payload = { current_password: anna.password, new_password: 'another horse 77' }
    const url = '/api/v1/auth/password/change'
    const changed = await sso.inject({ method: 'POST', url, headers: anna.headers, payload })
    assert.equal(changed.statusCode, 204, changed.body)
    assert.equal((await confirm(await tokenFor(email, 'email_change'), anna)).statusCode, 401)
  })
})

describe('the link to the old mailbox', () => {
  test('restores the address, ends sessions and resets the password', async () => {
    const anna = await aUser()
    const email = await moved(anna)
    const thief = await signIn({ email, password: anna.password })
    await addTotp(thief)
    const reply = await undo(await tokenFor(anna.email, 'email_undo'))
    assert.equal(reply.statusCode, 200, reply.body)
    const [row] = await db.pool`
      select u.email, u.password_hash,
             (select count(*)::int from sso.mfa_factors f where f.user_id = u.user_id) as factors,
             (select count(*)::int from sso.sessions s where s.user_id = u.user_id and s.revoked_at is null) as sessions
        from sso.users u where u.user_id = ${anna.user_id}`
    assert.deepEqual({ ...row }, { email: anna.email, password_hash: null, factors: 0, sessions: 0 })
    const token = await tokenFor(anna.email, 'password_reset')
    await aVisitor().submit('/reset-password', { token, password: 'a wholly new horse' })
    assert.equal((await login(anna.email, 'a wholly new horse')).statusCode, 200)
    assert.equal((await undo(await tokenFor(anna.email, 'email_undo'))).statusCode, 401)
  })

  test('undoes and voids every later change', async () => {
    const anna = await aUser()
    const second = await moved(anna)
    await later(anna)
    await moved(await signIn({ email: second, password: anna.password }))
    assert.equal((await undo(await tokenFor(anna.email, 'email_undo'))).statusCode, 200)
    assert.equal((await undo(await tokenFor(second, 'email_undo'))).statusCode, 401)
    const [row] = await db.pool`select email from sso.users where user_id = ${anna.user_id}`
    assert.equal(row?.['email'], anna.email)
  })

  test('works for seven days and reserves the address', async () => {
    const anna = await aUser()
    await moved(anna)
    const { headers } = await homeSite()
    const register = () =>
      sso.inject({
        method: 'POST',
        url: '/api/v1/auth/register',
        headers,
        payload: { email: anna.email, password: 'a thief was here' },
      })
    const held = await register()
    assert.deepEqual([held.statusCode, held.json().code], [409, 'email_taken'])
    await db.pool`
      update sso.email_changes set undo_until = clock_timestamp() - interval '1 second' where user_id = ${anna.user_id}`
    assert.equal((await undo(await tokenFor(anna.email, 'email_undo'))).statusCode, 401)
    assert.equal((await register()).statusCode, 201)
  })
})
