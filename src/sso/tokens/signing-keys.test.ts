import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose'
import { type Claims, signToken } from '#foundation/access-tokens.ts'
import { loadMasterKeys } from '#foundation/secrets.ts'
import { StartError } from '#foundation/start-error.ts'
import { aUser } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'
import { createSigningKeys, openKeyRing, type PublicJwk } from './signing-keys.ts'
import { createTokens } from './tokens.ts'

describe('the key ring', () => {
  test('holds one active RSA key of 2048 bits per environment after the first start', async () => {
    const { db } = await world()
    const keys = await db.fast<{ kid: string; environment: string; state: string; public_jwk: PublicJwk }[]>`
      select kid, environment, state, public_jwk from sso.signing_keys order by environment`
    assert.deepEqual(
      keys.map(({ environment, state }) => [environment, state]),
      [
        ['production', 'active'],
        ['sandbox', 'active'],
      ],
    )
    for (const { kid, public_jwk } of keys) {
      assert.equal(Buffer.from(public_jwk.n, 'base64url').length, 256)
      assert.equal(kid, await calculateJwkThumbprint(public_jwk))
    }
  })

  test('does not keep the private part readable', async () => {
    const { db, parts } = await world()
    const rows = await db.fast<{ kid: string; private_enc: Buffer }[]>`
      select kid, private_enc from sso.signing_keys`
    const [a, b] = rows
    assert.ok(a && b)
    const der = parts.keys.open(a.private_enc, a.kid)
    assert.equal(der[0], 0x30)
    assert.ok(!a.private_enc.includes(der.subarray(0, 24)))
    assert.throws(() => parts.keys.open(a.private_enc, b.kid))
  })

  test('of another master key stops the start with a sentence that names it', async () => {
    const { parts } = await world()
    const keys = loadMasterKeys(`k1:${randomBytes(32).toString('base64')}`, '')
    await assert.rejects(
      openKeyRing({ ...parts, keys }),
      (error) => error instanceof StartError && /MASTER_KEY/.test(error.message),
    )
  })

  test('without an active key stops the start', async () => {
    const { parts, db } = await buildWorld()
    await db.pool`
      update sso.signing_keys set state = 'retiring', retiring_at = clock_timestamp()
       where environment = 'sandbox'`
    await assert.rejects(openKeyRing(parts), StartError)
  })

  test('learns of a key another process made, within ten seconds and not at once', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const lyceum = await buildWorld()
    const { parts, db } = lyceum
    const person = await aUser({ lyceum })
    const ring = await openKeyRing(parts)
    const tokens = createTokens(parts, ring)
    const [before] = ring.publicKeys('production')
    await db.transaction(async (tx) => {
      await tx`update sso.signing_keys set state = 'retiring', retiring_at = clock_timestamp() where true`
      await createSigningKeys(tx, parts.keys)
    })
    const elsewhere = await openKeyRing(parts)
    const { kid, privateKey } = elsewhere.signer('production')
    assert.notEqual(kid, before?.kid)
    const token = await signToken(decodeJwt<Claims>(person.access_token), { kid, alg: 'RS256', privateKey })
    await assert.rejects(async () => tokens.verify(token), /not valid/)
    t.mock.timers.tick(10_000)
    await until(() => ring.publicKeys('production').length === 2)
    assert.equal((await tokens.verify(token)).claims.sub, person.user_id)
    assert.equal(ring.signer('production').kid, kid)
    ring.close()
    elsewhere.close()
  })

  test('drops a revoked key, and what it vouched for counts no longer although it was seen', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const lyceum = await buildWorld()
    const { parts, db } = lyceum
    const person = await aUser({ lyceum })
    const ring = await openKeyRing(parts)
    const tokens = createTokens(parts, ring)
    const { kid, privateKey } = ring.signer('production')
    const token = await signToken(decodeJwt<Claims>(person.access_token), { kid, alg: 'RS256', privateKey })
    assert.equal(decodeProtectedHeader(token).kid, kid)
    await tokens.verify(token)
    await db.transaction(async (tx) => {
      await tx`update sso.signing_keys set state = 'revoked' where true`
      await createSigningKeys(tx, parts.keys)
    })
    t.mock.timers.tick(10_000)
    await until(() => ring.signer('production').kid !== kid)
    await assert.rejects(async () => tokens.verify(token), /not valid/)
    ring.close()
  })
})

async function until(holds: () => boolean) {
  for (let tries = 0; tries < 200 && !holds(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  assert.ok(holds())
}
