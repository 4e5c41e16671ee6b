import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { world } from '#testing/world.ts'
import type { PublicJwk } from './signing-keys.ts'

describe('the signing keys', () => {
  test('are RSA 2048, active and standby per purpose, at first start', async () => {
    const { db } = await world()
    const keys = await db.fast<
      { kid: string; environment: string; purpose: string; state: string; public_jwk: PublicJwk }[]
    >`
      select kid, environment, purpose, state, public_jwk from sso.signing_keys
       where state in ('active', 'standby') order by environment, purpose, state`
    assert.deepEqual(
      keys.map(({ environment, purpose, state }) => `${environment} ${purpose} ${state}`),
      ['production', 'sandbox'].flatMap((environment) =>
        ['access', 'logout'].flatMap((purpose) =>
          ['active', 'standby'].map((state) => `${environment} ${purpose} ${state}`),
        ),
      ),
    )
    for (const { kid, public_jwk } of keys) {
      const { n, e } = public_jwk
      assert.equal(Buffer.from(n, 'base64url').length, 256)
      // RFC 7638 section 3: the required members in lexicographic order, without blanks.
      const thumbprint = createHash('sha256')
        .update(`{"e":"${e}","kty":"RSA","n":"${n}"}`)
        .digest('base64url')
      assert.equal(kid, thumbprint)
    }
  })

  test('are stored encrypted and bound to their kid', async () => {
    const { db, parts } = await world()
    const [a, b] = await db.fast<{ kid: string; private_enc: Buffer }[]>`
      select kid, private_enc from sso.signing_keys where state = 'active' order by kid`
    assert.ok(a && b)
    const der = parts.keys.open(a.private_enc, a.kid)
    assert.equal(der[0], 0x30)
    assert.ok(!a.private_enc.includes(der.subarray(0, 24)))
    assert.throws(() => parts.keys.open(a.private_enc, b.kid))
  })
})
