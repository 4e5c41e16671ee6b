import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import { decodeJwt } from 'jose'
import { type Claims, signToken } from '#foundation/security/access-tokens.ts'
import { degraded } from '#foundation/database/health.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import { StartError } from '#foundation/start-error.ts'
import { eventually } from '#testing/eventually.ts'
import { aUser } from '#testing/people.ts'
import { buildWorld, type World, world } from '#testing/world.ts'
import { type KeyRing, openKeyRing } from './key-ring.ts'
import { insertKey, newKey } from './signing-keys.ts'
import { createTokens } from './tokens.ts'

/** A process beside the product, with the clock of its timers in our hands. */
async function aProcess(t: TestContext, lyceum: World) {
  const ring = await openKeyRing(lyceum.parts)
  t.after(() => ring.close())
  return { ring, tokens: createTokens(lyceum.parts, ring) }
}

/** What the person's token says, signed by whoever is active in this ring. */
async function resigned(ring: KeyRing, access_token: string) {
  const { kid, privateKey } = ring.signer('production')
  return signToken(decodeJwt<Claims>(access_token), { kid, alg: 'RS256', privateKey })
}

/** As an emergency does it. */
async function replaceActive({ db, parts }: World, state: 'retiring' | 'revoked') {
  const fresh = await newKey(parts.keys)
  await db.transaction(async (tx) => {
    await tx`
      update sso.signing_keys
         set state = ${state}, retiring_at = clock_timestamp(),
             revoked_at = case when ${state} = 'revoked' then clock_timestamp() end,
             private_enc = case when ${state} = 'revoked' then null else private_enc end
       where environment = 'production' and purpose = 'access' and state = 'active'`
    await insertKey(tx, fresh, { environment: 'production', purpose: 'access', state: 'active' })
  })
  return fresh.kid
}

describe('the key ring', () => {
  test('stops the start when sealed under another master key', async () => {
    const { parts } = await world()
    const keys = loadMasterKeys(`k1:${randomBytes(32).toString('base64')}`, '')
    await assert.rejects(
      openKeyRing({ ...parts, keys }),
      (error) => error instanceof StartError && /MASTER_KEY/.test(error.message),
    )
  })

  test('finds a new key of another process by its kid', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const lyceum = await buildWorld()
    const person = await aUser({ lyceum })
    const { ring, tokens } = await aProcess(t, lyceum)
    const kid = await replaceActive(lyceum, 'retiring')
    const elsewhere = await aProcess(t, lyceum)
    const token = await resigned(elsewhere.ring, person.access_token)
    assert.notEqual(ring.signer('production').kid, kid)
    const all = await Promise.all(Array.from({ length: 50 }, async () => tokens.verify(token)))
    assert.ok(all.every(({ claims }) => claims.sub === person.user_id))
    assert.equal(ring.signer('production').kid, kid)
  })

  test('drops a revoked key and its cached tokens within ten seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const lyceum = await buildWorld()
    const person = await aUser({ lyceum })
    const { ring, tokens } = await aProcess(t, lyceum)
    const { kid } = ring.signer('production')
    const token = await resigned(ring, person.access_token)
    await tokens.verify(token)
    const fresh = await replaceActive(lyceum, 'revoked')
    assert.ok(await tokens.verify(token), 'still remembered as good')
    t.mock.timers.tick(10_000)
    await eventually(() => ring.signer('production').kid === fresh)
    await assert.rejects(async () => tokens.verify(token), /not valid/)
    assert.ok(!ring.publicKeys('production').some((jwk) => jwk.kid === kid))
  })

  test('never looks up a malformed kid, and refuses unknown ones', async (t) => {
    const lyceum = await world()
    let reads = 0
    const fast = new Proxy(lyceum.db.fast, {
      apply(target, self, args) {
        reads++
        return Reflect.apply(target, self, args) as unknown
      },
    })
    const parts = { ...lyceum.parts, database: { ...lyceum.db, fast } }
    const { ring } = await aProcess(t, { ...lyceum, parts })
    const before = reads
    for (const kid of ['', 'x', '../etc/passwd', "' or true --", 'A'.repeat(44), '__proto__'])
      assert.equal(await ring.find(kid), undefined)
    assert.equal(reads, before)
    assert.equal(await ring.find('A'.repeat(43)), undefined)
    assert.equal(reads, before + 1)
  })

  test('never uses a logout key for access tokens', async (t) => {
    const lyceum = await world()
    const person = await aUser({ lyceum })
    const { ring, tokens } = await aProcess(t, lyceum)
    const { kid, privateKey } = ring.signer('production', 'logout')
    assert.equal(await ring.find(kid), undefined)
    const token = await signToken(decodeJwt<Claims>(person.access_token), { kid, alg: 'RS256', privateKey })
    await assert.rejects(async () => tokens.verify(token), /not valid/)
    assert.ok(ring.publicKeys('production').some((jwk) => jwk.kid === kid))
  })

  test('publishes the sealed key, whatever stands beside it', async (t) => {
    const lyceum = await buildWorld()
    await lyceum.db.pool`update sso.signing_keys set public_jwk = '{"n": "AQAB"}'`
    const { ring } = await aProcess(t, lyceum)
    for (const { n } of ring.publicKeys('sandbox')) assert.equal(Buffer.from(n, 'base64url').length, 256)
  })

  test('is degraded by an unreadable key and still learns revocations', async (t) => {
    const lyceum = await buildWorld()
    const { ring } = await aProcess(t, lyceum)
    assert.deepEqual(ring.health(), { status: 'operational' })
    const { kid } = ring.signer('production')
    const foreign = await newKey(loadMasterKeys(`k9:${randomBytes(32).toString('base64')}`, ''))
    await replaceActive(lyceum, 'revoked')
    await lyceum.db.pool`
      update sso.signing_keys set kid = ${foreign.kid}, private_enc = ${foreign.private_enc}
       where environment = 'sandbox' and purpose = 'logout' and state = 'standby'`
    await assert.rejects(openKeyRing(lyceum.parts), StartError)
    await ring.readAgain()
    assert.deepEqual(ring.health(), degraded('A key does not open: MASTER_KEY differs between processes'))
    assert.notEqual(ring.signer('production').kid, kid)
  })

  test('is degraded by an overdue key or a stale read', async (t) => {
    const lyceum = await buildWorld()
    const { ring } = await aProcess(t, lyceum)
    await lyceum.db.pool`
      update sso.signing_keys set activated_at = clock_timestamp() - interval '91 days 1 minute'
       where state = 'active' and environment = 'sandbox' and purpose = 'access'`
    await ring.readAgain()
    assert.deepEqual(ring.health(), degraded('A key signs for longer than 91 days'))
    await lyceum.db.pool`update sso.signing_keys set activated_at = clock_timestamp() where state = 'active'`
    await ring.readAgain()
    assert.deepEqual(ring.health(), { status: 'operational' })
    const later = performance.now() + 61_000
    t.mock.method(performance, 'now', () => later)
    assert.deepEqual(ring.health(), degraded('The keys were not read for a minute'))
  })
})
