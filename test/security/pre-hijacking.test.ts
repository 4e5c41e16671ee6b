import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { tokenFor } from '#testing/mail.ts'
import { addTotp, challenge } from '#testing/mfa.ts'
import { addPasskey, aDevice, optionsOn, PASSKEY_ORIGIN, signInByPasskey } from '#testing/passkeys.ts'
import { aSite, aUser, homeSite, type Person, signIn } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld } from '#testing/world.ts'

/**
 * Somebody registers the address of another person and sets up every way in that they can, before the owner of the
 * mailbox does what the mails propose. Each of these ways once stayed open.
 */
const lyceum = await buildWorld()
const { sso, db } = lyceum
const home = await homeSite(lyceum)

const OWN = 'quiet harbour 91'
const unique = () => randomBytes(5).toString('hex')
const post = (path: string, payload: object, headers = home.headers) =>
  sso.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })
const read = async ({ user_id, headers }: Person) =>
  (await sso.inject({ url: `/api/v1/users/${user_id}`, headers })).statusCode
const verify = async (email: string, more: object = {}) =>
  post('/auth/email/verify', { token: await tokenFor(email, 'email_verification', lyceum), ...more })
const visit = () => aVisitor({ lyceum })
const patch = ({ user_id, headers }: Person, payload: object) =>
  sso.inject({ method: 'PATCH', url: `/api/v1/users/${user_id}`, headers, payload })

async function forgotten(email: string): Promise<string> {
  await db.pool`
    update sso.messages set created_at = created_at - interval '2 minutes'
     where kind = 'password_reset' and recipient = ${email}`
  await post('/auth/password/forgot', { email })
  return tokenFor(email, 'password_reset', lyceum)
}

async function reset(email: string) {
  const reply = await post('/auth/password/reset', { token: await forgotten(email), password: OWN })
  assert.equal(reply.statusCode, 204, reply.body)
}

/** The owner makes a passkey by the link for a forgotten password. */
async function makePasskey(email: string) {
  const [visitor, token] = [visit(), await forgotten(email)]
  const form_token = await visitor.formToken('/reset-password')
  const asked = await visitor.post('/reset-password/passkey', { form_token, token })
  const credential = aDevice().createJSON(PASSKEY_ORIGIN, optionsOn(asked.body, 'data-passkey'))
  const made = await visitor.post('/reset-password/passkey/create', {
    form_token: /name="form_token" value="([^"]+)"/.exec(asked.body)?.[1] ?? 'no form',
    token,
    credential: JSON.stringify(credential),
  })
  assert.equal(made.statusCode, 200, made.body)
}

/** A stranger's account for the address of somebody else, with every way in that a stranger can set up. */
async function aHijacker() {
  const phone = await aUser({ lyceum })
  const device = aDevice()
  await addPasskey(phone, device, lyceum)
  const totp = await addTotp(phone, lyceum)
  const codes = await post('/mfa/recovery-codes', {}, phone.headers)
  assert.equal(codes.statusCode, 201, codes.body)
  const changed = await post(
    '/auth/password/change',
    { current_password: phone.password, new_password: 'a stranger knows 7' },
    phone.headers,
  )
  assert.equal(changed.statusCode, 204, changed.body)
  const renewed = await post('/auth/refresh', { refresh_token: phone.refresh_token })
  assert.equal(renewed.statusCode, 200, renewed.body)
  const { access_token, refresh_token } = renewed.json()
  const hijacker = {
    ...phone,
    password: 'a stranger knows 7',
    refresh_token,
    headers: { authorization: `Bearer ${String(access_token)}` },
  }
  const { site_id } = await aSite({ lyceum })
  const connection_id = newId()
  await db.pool`
    insert into sso.connections (connection_id, site_id, type, name, issuer, client_id)
    values (${connection_id}, ${site_id}, 'oidc', 'School', 'https://idp.example', 'x')`
  await db.pool`
    insert into sso.identities (identity_id, connection_id, issuer, subject, user_id)
    values (${newId()}, ${connection_id}, 'https://idp.example', ${unique()}, ${phone.user_id})`
  await db.pool`update sso.users set phone = '+4930123456', phone_verified = true where user_id = ${phone.user_id}`
  const waiting = await challenge(hijacker, home.headers, lyceum)
  return { ...hijacker, device, totp, waiting, recovery_code: codes.json().codes[0] as string }
}
type Hijacker = Awaited<ReturnType<typeof aHijacker>>

/** What still opens the account, by name. */
async function waysIn(hijacker: Hijacker) {
  const { user_id, refresh_token, totp, waiting, recovery_code } = hijacker
  const { email, password } = hijacker
  const code = totp.code(1)
  const [stored] = await db.pool<Record<string, number>[]>`
    select (select count(*)::int from sso.identities where user_id = ${user_id}) as identities,
           (select count(*)::int from sso.sessions where user_id = ${user_id} and revoked_at is null) as sessions,
           (select count(*)::int from sso.users where user_id = ${user_id} and phone_verified) as phones`
  const open: Record<string, boolean> = {
    token: (await read(hijacker)) === 200,
    refresh: (await post('/auth/refresh', { refresh_token })).statusCode === 200,
    password: (await post('/auth/login', { email, password })).statusCode === 200,
    passkey: (await signInByPasskey(visit(), hijacker.device)).statusCode === 303,
    waiting: (await post('/auth/mfa/verify', { mfa_token: waiting.mfa_token, code })).statusCode === 200,
    recovery:
      (await db.pool`select from sso.recovery_codes where user_id = ${user_id} and used_at is null`).length >
        0 && recovery_code !== '',
    ...Object.fromEntries(Object.entries(stored ?? {}).map(([name, count]) => [name, count > 0])),
  }
  return Object.keys(open).filter((name) => open[name])
}

/** Those of them that were there before a link was opened. */
const ALL = [
  'token',
  'refresh',
  'password',
  'passkey',
  'waiting',
  'recovery',
  'identities',
  'sessions',
  'phones',
]

describe('whoever registered the address of somebody else loses every way in', () => {
  test('that they had until then', async () => {
    assert.deepEqual(await waysIn(await aHijacker()), ALL)
  })

  const proofs: [name: string, prove: (email: string) => Promise<unknown>][] = [
    ['the mailed link is opened by the API', (email) => verify(email)],
    [
      'the button on the page of the mailed link is pressed',
      async (email) =>
        visit().submit('/verify-email', { token: await tokenFor(email, 'email_verification', lyceum) }),
    ],
    ['a new password is chosen', reset],
  ]
  for (const [name, prove] of proofs)
    test(`when ${name}`, async () => {
      const hijacker = await aHijacker()
      await prove(hijacker.email)
      assert.deepEqual(await waysIn(hijacker), [])
      await reset(hijacker.email)
      assert.deepEqual(await waysIn(hijacker), [])
      const owner = await signIn({ email: hijacker.email, password: OWN }, { lyceum })
      assert.equal(await read(owner), 200)
    })

  test('when a passkey is made by the mailed link', async () => {
    const hijacker = await aHijacker()
    await makePasskey(hijacker.email)
    const ways = await waysIn(hijacker)
    // The recovery codes are the new ones that the owner was shown.
    assert.deepEqual(ways, ['recovery'])
    const [left] = await db.pool`select password_hash from sso.users where user_id = ${hijacker.user_id}`
    assert.deepEqual({ ...left }, { password_hash: null })
  })

  test('also with fifty sign-ins and a new factor under way', async () => {
    const hijacker = await aUser({ lyceum })
    const { email, password, user_id, headers } = hijacker
    const token = await tokenFor(email, 'email_verification', lyceum)
    const begun = await post('/mfa/factors', { type: 'webauthn' }, headers)
    const { factor_id, public_key } = begun.json()
    const credential = aDevice().createJSON(PASSKEY_ORIGIN, public_key)
    const racing = [
      ...Array.from({ length: 50 }, () => post('/auth/login', { email, password })),
      post(`/mfa/factors/${factor_id}/activate`, { credential }, headers),
    ]
    assert.equal((await post('/auth/email/verify', { token })).statusCode, 200)
    await Promise.all(racing)
    const [left] = await db.pool`
      select (select count(*)::int from sso.sessions where user_id = ${user_id} and revoked_at is null) as sessions,
             (select count(*)::int from sso.mfa_factors where user_id = ${user_id}) as factors`
    assert.deepEqual({ ...left }, { sessions: 0, factors: 0 })
  })
})

describe('whoever registered and proves it keeps what they set up', () => {
  test('by the password with the mailed link', async () => {
    const anna = await aHijacker()
    const reply = await verify(anna.email, { password: anna.password })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(reply.json().email_verified, true)
    assert.deepEqual(await waysIn(anna), ALL)
  })

  test('by being signed in where the link is opened', async () => {
    const [anna, visitor] = [await aUser({ lyceum }), visit()]
    const device = aDevice()
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    await addPasskey(anna, device, lyceum)
    await signInByPasskey(visitor, device)
    const token = await tokenFor(anna.email, 'email_verification', lyceum)
    assert.equal((await visitor.submit('/verify-email', { token })).statusCode, 200)
    assert.equal((await post('/auth/login', anna)).statusCode, 200)
    assert.equal((await signInByPasskey(visit(), device)).statusCode, 303)
  })

  test('unless another person is signed in there', async () => {
    const [hijacker, ben, visitor] = [await aHijacker(), await aUser({ lyceum }), visit()]
    await visitor.submit('/sign-in', { name: ben.email, password: ben.password })
    const token = await tokenFor(hijacker.email, 'email_verification', lyceum)
    assert.equal((await visitor.submit('/verify-email', { token })).statusCode, 200)
    assert.deepEqual(await waysIn(hijacker), [])
  })

  test('and a wrong password changes nothing and leaves the link', async () => {
    const anna = await aUser({ lyceum })
    const wrong = await verify(anna.email, { password: 'not this horse 3' })
    assert.deepEqual([wrong.statusCode, wrong.json().code], [401, 'invalid_credentials'])
    assert.equal(await read(anna), 200)
    assert.equal((await verify(anna.email, { password: anna.password })).statusCode, 200)
    assert.equal(await read(anna), 200)
  })

  test('also after a later reset', async () => {
    const anna = await aUser({ lyceum })
    await verify(anna.email, { password: anna.password })
    const device = aDevice()
    await addPasskey(anna, device, lyceum)
    await reset(anna.email)
    assert.equal((await signInByPasskey(visit(), device)).statusCode, 303)
  })
})

describe('an account moved to the address of somebody else', () => {
  async function asked(stranger: Person) {
    const email = `victim-${unique()}@example.org`
    const reply = await patch(stranger, { email, current_password: stranger.password })
    assert.equal(reply.statusCode, 200, reply.body)
    return { email, token: await tokenFor(email, 'email_change', lyceum) }
  }
  const addressOf = async ({ user_id }: Person) =>
    (await db.pool`select email from sso.users where user_id = ${user_id}`)[0]?.['email'] as string

  test('does not move by the mailed link alone', async () => {
    const stranger = await aUser({ lyceum })
    const { email, token } = await asked(stranger)
    const alone = await visit().submit('/account/email-confirm', { token })
    assert.equal(alone.statusCode, 422, alone.body)
    const wrong = await visit().submit('/account/email-confirm', { token, password: 'not this horse 3' })
    assert.equal(wrong.statusCode, 401)
    assert.equal(await addressOf(stranger), stranger.email)
    const own = await visit().submit('/account/email-confirm', { token, password: stranger.password })
    assert.equal(own.statusCode, 200, own.body)
    assert.equal(await addressOf(stranger), email)
  })

  test('moves for its owner who is signed in where the link is opened', async () => {
    const [anna, visitor] = [await aUser({ lyceum }), visit()]
    const { email, token } = await asked(anna)
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    assert.equal((await visitor.submit('/account/email-confirm', { token })).statusCode, 200)
    assert.equal(await addressOf(anna), email)
  })

  test('leaves its registrant no way in when the mailbox that it left takes it back', async () => {
    const hijacker = await aUser({ lyceum })
    const device = aDevice()
    await addPasskey(hijacker, device, lyceum)
    const { token } = await asked(hijacker)
    const moved = await visit().submit('/account/email-confirm', { token, password: hijacker.password })
    assert.equal(moved.statusCode, 200, moved.body)
    const undo = await tokenFor(hijacker.email, 'email_undo', lyceum)
    assert.equal((await visit().submit('/account/email-undo', { token: undo })).statusCode, 200)
    assert.equal((await signInByPasskey(visit(), device)).statusCode, 401)
    assert.equal(await addressOf(hijacker), hijacker.email)
  })
})
