import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  WebAuthnEmulator,
} from 'nid-webauthn-emulator'
import { addTotp, challenge } from '#testing/mfa.ts'
import { aSite, aUser, homeSite, type Person } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

/** A key belongs to a host name, hence a product under one. */
const ORIGIN = 'https://login.school.example'
const lyceum = await buildWorld({ env: { SSO_URL: ORIGIN, SITE_REGISTRATION: 'open' } })
const { sso, db } = lyceum
const site = await homeSite(lyceum)

const post = (url: string, headers: Record<string, string>, payload: object) =>
  sso.inject({ method: 'POST', url: `/api/v1${url}`, headers, payload })
const prepare = (mfa_token: string, headers = site.headers) =>
  post('/auth/mfa/options', headers, { mfa_token, method: 'webauthn' })
const verify = (payload: object, headers = site.headers) => post('/auth/mfa/verify', headers, payload)
const ask = (person: Person, headers = site.headers) => challenge(person, headers, lyceum)

/** Makes a key on the device and activates it as the person's second factor. */
async function addKey(person: Person, device: WebAuthnEmulator, origin = ORIGIN): Promise<string> {
  const begun = await post('/mfa/factors', person.headers, { type: 'webauthn', name: 'Key' })
  assert.equal(begun.statusCode, 201, begun.body)
  const { factor_id, public_key } = begun.json()
  const credential = device.createJSON(origin, public_key as PublicKeyCredentialCreationOptionsJSON)
  const active = await post(`/mfa/factors/${factor_id}/activate`, person.headers, { credential })
  assert.equal(active.statusCode, 200, active.body)
  return factor_id
}

async function withKey() {
  const [person, device] = [await aUser({ lyceum }), new WebAuthnEmulator()]
  return { ...person, device, factor_id: await addKey(person, device) }
}

const sign = (device: WebAuthnEmulator, options: { json(): { public_key: object } }, origin = ORIGIN) =>
  device.getJSON(origin, options.json().public_key as PublicKeyCredentialRequestOptionsJSON)

describe('a passkey as the second factor', () => {
  test('enrolls with the specified options, private key never sent', async () => {
    const anna = await aUser({ lyceum })
    const begun = await post('/mfa/factors', anna.headers, { type: 'webauthn' })
    const { public_key, secret, otpauth_uri } = begun.json()
    assert.deepEqual([secret, otpauth_uri], [undefined, undefined])
    assert.deepEqual(public_key.rp, { name: 'Lyceum', id: 'login.school.example' })
    assert.equal(public_key.user.name, anna.email)
    assert.ok(Buffer.from(public_key.challenge, 'base64url').length >= 16)
    assert.deepEqual(public_key.excludeCredentials, [])
    await addKey(anna, new WebAuthnEmulator())
    const second = (await post('/mfa/factors', anna.headers, { type: 'webauthn' })).json()
    assert.equal(second.public_key.excludeCredentials.length, 1)
  })

  test('completes its own sign-in', async () => {
    const anna = await withKey()
    const { mfa_token, mfa_methods } = await ask(anna)
    assert.deepEqual(mfa_methods, ['webauthn'])
    const options = await prepare(mfa_token)
    assert.equal(options.statusCode, 200, options.body)
    assert.equal(options.json().public_key.allowCredentials.length, 1)
    const reply = await verify({ mfa_token, method: 'webauthn', credential: sign(anna.device, options) })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(decodeJwt(reply.json().access_token)['amr'], ['pwd', 'hwk'])
    const [factor] = await db.fast<{ sign_count: number; is_used: boolean }[]>`
      select sign_count, last_used_at is not null as is_used from sso.mfa_factors where factor_id = ${anna.factor_id}`
    assert.ok(factor && factor.sign_count > 0 && factor.is_used)
  })

  test('admits one of fifty with the same answer', async () => {
    const anna = await withKey()
    const { mfa_token } = await ask(anna)
    const credential = sign(anna.device, await prepare(mfa_token))
    const replies = await Promise.all(Array.from({ length: 50 }, () => verify({ mfa_token, credential })))
    assert.equal(replies.filter((reply) => reply.statusCode === 200).length, 1)
    assert.equal((await db.fast`select from sso.sessions where user_id = ${anna.user_id}`).length, 2)
  })

  test('answers only its own challenge, once', async () => {
    const anna = await withKey()
    const [first, second] = [await ask(anna), await ask(anna)]
    const credential = sign(anna.device, await prepare(first.mfa_token))
    await prepare(second.mfa_token)
    assert.equal((await verify({ mfa_token: second.mfa_token, credential })).json().code, 'mfa_code_invalid')
    assert.equal((await verify({ mfa_token: first.mfa_token, credential })).statusCode, 200)
    assert.equal((await verify({ mfa_token: first.mfa_token, credential })).json().code, 'mfa_token_invalid')
  })

  test('is refused when its counter decreased (copied key)', async () => {
    const anna = await withKey()
    const { mfa_token } = await ask(anna)
    const credential = sign(anna.device, await prepare(mfa_token))
    await db.pool`update sso.mfa_factors set sign_count = 1000 where factor_id = ${anna.factor_id}`
    assert.equal((await verify({ mfa_token, credential })).json().code, 'mfa_code_invalid')
  })

  test('is refused when foreign, from another origin or forged', async () => {
    const [anna, ben] = [await withKey(), await withKey()]
    const { mfa_token } = await ask(anna)
    const options = await prepare(mfa_token)
    const right = sign(anna.device, options)
    const foreign = JSON.parse(Buffer.from(right.response.clientDataJSON, 'base64url').toString())
    const clientDataJSON = Buffer.from(
      JSON.stringify({ ...foreign, origin: 'https://login.school.example.evil.example' }),
    ).toString('base64url')
    const ofBen = sign(ben.device, await prepare((await ask(ben)).mfa_token))
    for (const credential of [
      ofBen,
      { ...right, response: { ...right.response, clientDataJSON } },
      { ...right, response: { ...right.response, signature: ofBen.response.signature } },
      { id: right.id },
    ]) {
      const reply = await verify({ mfa_token, credential })
      assert.equal(reply.statusCode, 401, reply.body)
      assert.equal(reply.json().code, 'mfa_code_invalid')
    }
    assert.equal((await verify({ mfa_token, credential: right })).statusCode, 200)
  })

  test('works on the callback page below our host, nowhere else', async () => {
    const partner = await aSite({ lyceum })
    const origin = 'https://partner.login.school.example'
    const [anna, device] = [await aUser({ lyceum }), new WebAuthnEmulator()]
    await addKey(anna, device)
    const attempt = async () => {
      const { mfa_token } = await ask(anna, partner.headers)
      const credential = sign(device, await prepare(mfa_token, partner.headers), origin)
      return verify({ mfa_token, credential }, partner.headers)
    }
    assert.equal((await attempt()).statusCode, 401)
    await db.pool`
      update sso.sites set callback_url = ${`${origin}/back?x=1`} where site_id = ${partner.site_id}`
    assert.equal((await attempt()).statusCode, 200)
  })

  test('is not activated by the answer to another enrollment', async () => {
    const [anna, device] = [await aUser({ lyceum }), new WebAuthnEmulator()]
    const other = (await post('/mfa/factors', anna.headers, { type: 'webauthn' })).json()
    const begun = (await post('/mfa/factors', anna.headers, { type: 'webauthn' })).json()
    const credential = device.createJSON(ORIGIN, other.public_key)
    for (const answer of [credential, {}, { id: 'x', response: {} }]) {
      const reply = await post(`/mfa/factors/${begun.factor_id}/activate`, anna.headers, {
        credential: answer,
      })
      assert.equal(reply.statusCode, 422)
      assert.equal(reply.json().code, 'credential_invalid')
    }
  })

  test('belongs to one account', async () => {
    const [anna, ben, device] = [await aUser({ lyceum }), await aUser({ lyceum }), new WebAuthnEmulator()]
    await addKey(anna, device)
    const begun = (await post('/mfa/factors', ben.headers, { type: 'webauthn' })).json()
    const credential = device.createJSON(ORIGIN, begun.public_key)
    await db.pool`
      update sso.mfa_factors set credential_id = ${credential.id} where user_id = ${anna.user_id}`
    const reply = await post(`/mfa/factors/${begun.factor_id}/activate`, ben.headers, { credential })
    assert.equal(reply.statusCode, 409)
  })
})

describe('POST /api/v1/auth/mfa/options', () => {
  test('answers 409 for a method the account lacks', async () => {
    const anna = await aUser({ lyceum })
    await addTotp(anna, lyceum)
    const { mfa_token } = await ask(anna)
    for (const method of ['webauthn', 'email']) {
      const reply = await post('/auth/mfa/options', site.headers, { mfa_token, method })
      assert.equal(reply.statusCode, 409)
      assert.equal(reply.json().code, 'mfa_method_unavailable')
    }
  })

  test('accepts no foreign or expired token', async () => {
    const [anna, partner] = [await withKey(), await aSite({ lyceum })]
    const { mfa_token } = await ask(anna)
    assert.equal((await prepare(mfa_token, partner.headers)).json().code, 'mfa_token_invalid')
    assert.equal((await prepare('mfat_x')).json().code, 'mfa_token_invalid')
    assert.equal((await prepare(mfa_token, {})).statusCode, 401)
    await db.pool`update sso.mfa_challenges set expires_at = clock_timestamp() - interval '1 second' where user_id = ${anna.user_id}`
    assert.equal((await prepare(mfa_token)).json().code, 'mfa_token_invalid')
  })

  for (const [name, payload, status] of [
    ['no token', { method: 'email' }, 400],
    ['no method', { mfa_token: 'mfat_x' }, 400],
    ['another method', { mfa_token: 'mfat_x', method: 'totp' }, 422],
  ] as const)
    test(`refuses ${name} with ${status}`, async () => {
      assert.equal((await post('/auth/mfa/options', site.headers, payload)).statusCode, status)
    })
})
