import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, afterEach, describe, test, type TestContext } from 'node:test'
import { aPartner, forge, verdictOf } from '#testing/partner.ts'
import { eventually } from '#testing/eventually.ts'
import { adminHeaders, call, newDataDir, removeDataDir, startProduct } from '#testing/product.ts'

const dataDir = newDataDir()
const product = await startProduct(dataDir)
const [partner, other] = [await aPartner(product), await aPartner(product)]
after(async () => {
  partner.close()
  other.close()
  await product.end()
  removeDataDir(dataDir)
})
afterEach(() => partner.stopServers())
const { site, relay, issuer } = partner
const secret = Buffer.from(site['jwt_secret'] ?? '', 'base64url')
const JWKS = `${new URL(issuer).pathname.replace(/\/$/, '')}/.well-known/jwks.json`
type Jwk = { kid: string; n: string; kty: string; e: string }
const { keys } = (await call(`${product.sso}${JWKS}`)).body as unknown as { keys: Jwk[] }
const [key] = keys
assert.ok(key)

describe('a server of a partner', () => {
  test('takes both kinds of tokens, HS256 only with its secret', async () => {
    const tokens = await partner.signIn()
    const [whole, keyless] = [partner.aServer(), partner.aServer({ jwtSecret: undefined })]
    assert.equal(await verdictOf(whole.verifyToken(tokens.access_token)), 'good')
    assert.equal(await verdictOf(whole.verifyToken(tokens.access_token_hs256)), 'good')
    assert.equal(await verdictOf(keyless.verifyToken(tokens.access_token)), 'good')
    assert.equal(await verdictOf(keyless.verifyToken(tokens.access_token_hs256)), 'token_invalid')
    const changing = partner.aServer({
      jwtSecret: [other.site['jwt_secret'] ?? '', site['jwt_secret'] ?? ''],
    })
    assert.equal(await verdictOf(changing.verifyToken(tokens.access_token_hs256)), 'good')
  })

  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  const HS256 = { alg: 'HS256' }
  const now = Math.floor(Date.now() / 1_000)
  type Tokens = Awaited<ReturnType<typeof partner.signIn>>
  const forged: [name: string, token: (tokens: Tokens) => string | Promise<string>, code?: string][] = [
    [
      'that is not signed',
      ({ access_token }) =>
        `${forge(access_token, { head: { alg: 'none' } })
          .split('.')
          .slice(0, 2)
          .join('.')}.`,
    ],
    ['that says none and is signed', ({ access_token }) => forge(access_token, { head: { alg: 'none' } })],
    ['that says None', ({ access_token }) => forge(access_token, { head: { alg: 'None' } })],
    [
      'signed with the public key as if it were a secret',
      ({ access_token }) => forge(access_token, { head: HS256, secret: Buffer.from(pem) }),
    ],
    [
      'signed with the modulus of the public key',
      ({ access_token }) => forge(access_token, { head: HS256, secret: Buffer.from(key.n, 'base64url') }),
    ],
    [
      'signed with an empty secret',
      ({ access_token }) => forge(access_token, { head: HS256, secret: Buffer.alloc(0) }),
    ],
    ['whose claims were changed', ({ access_token }) => forge(access_token, { claims: { role: 'ADMIN' } })],
    [
      'that brings its own key',
      ({ access_token }) => forge(access_token, { head: { jwk: key, kid: undefined } }),
    ],
    [
      'that names a set of keys',
      ({ access_token }) => forge(access_token, { head: { jku: 'http://127.0.0.1:9/keys' } }),
    ],
    [
      'with an extension that must be understood',
      ({ access_token_hs256 }) => forge(access_token_hs256, { head: { crit: ['new'], new: 1 }, secret }),
    ],
    [
      'of another issuer',
      ({ access_token_hs256 }) =>
        forge(access_token_hs256, { claims: { iss: 'https://evil.example' }, secret }),
    ],
    [
      'of the other environment',
      ({ access_token_hs256 }) =>
        forge(access_token_hs256, {
          claims: { env: site['environment'] === 'sandbox' ? 'production' : 'sandbox' },
          secret,
        }),
    ],
    [
      'for another audience',
      ({ access_token_hs256 }) => forge(access_token_hs256, { claims: { aud: 'elsewhere' }, secret }),
    ],
    [
      'of another site in its claims',
      ({ access_token_hs256 }) => forge(access_token_hs256, { claims: { site_code: 'elsewhere' }, secret }),
    ],
    [
      'of another type',
      ({ access_token_hs256 }) => forge(access_token_hs256, { head: { typ: 'JWT' }, secret }),
    ],
    [
      'without an end',
      ({ access_token_hs256 }) => forge(access_token_hs256, { claims: { exp: undefined }, secret }),
    ],
    [
      'that lives for a year',
      ({ access_token_hs256 }) => forge(access_token_hs256, { claims: { exp: now + 31_536_000 }, secret }),
    ],
    [
      'of tomorrow',
      ({ access_token_hs256 }) =>
        forge(access_token_hs256, { claims: { iat: now + 86_400, exp: now + 87_000 }, secret }),
    ],
    [
      'that ended a second ago',
      ({ access_token_hs256 }) =>
        forge(access_token_hs256, { claims: { iat: now - 60, exp: now - 1 }, secret }),
      'token_expired',
    ],
    [
      'whose version is no number',
      ({ access_token_hs256 }) => forge(access_token_hs256, { claims: { sv: '9' }, secret }),
    ],
    ['of the other site', async () => (await other.signIn()).access_token],
    ['of the other site, with its secret', async () => (await other.signIn()).access_token_hs256],
    ['that is too long', ({ access_token }) => `${access_token}${'A'.repeat(10_000)}`],
    ['that is nothing', () => ''],
    ['that is nonsense', () => 'a.b.c'],
  ]
  for (const [name, make, code = 'token_invalid'] of forged)
    test(`refuses a token ${name}`, async () => {
      const server = partner.aServer()
      assert.equal(await verdictOf(server.verifyToken(await make(await partner.signIn()))), code)
    })

  test('fetches the keys once for a thousand tokens that name unknown ones', async () => {
    const { access_token } = await partner.signIn()
    const server = partner.aServer()
    assert.equal(await verdictOf(server.verifyToken(access_token)), 'good')
    const before = relay.countOf(JWKS)
    const tokens = Array.from({ length: 1_000 }, (_, n) => forge(access_token, { head: { kid: `k${n}` } }))
    const verdicts = await Promise.all(tokens.map((token) => verdictOf(server.verifyToken(token))))
    assert.deepEqual(new Set(verdicts), new Set(['token_invalid']))
    assert.ok(relay.countOf(JWKS) - before <= 1, `${relay.countOf(JWKS) - before} fetches`)
    assert.equal(await verdictOf(server.verifyToken(access_token)), 'good')
  })

  test('lets nobody in while nobody can be asked, and hardly asks', async () => {
    const { access_token, access_token_hs256 } = await partner.signIn()
    relay.cut(() => true)
    try {
      const server = partner.aServer()
      const before = relay.countOf(JWKS)
      const tries = Array.from({ length: 50 }, () => verdictOf(server.verifyToken(access_token)))
      assert.deepEqual(new Set(await Promise.all(tries)), new Set(['sso_unreachable']))
      for (let n = 0; n < 50; n++) await verdictOf(server.verifyToken(access_token))
      assert.ok(relay.countOf(JWKS) - before <= 2)
      assert.equal(await verdictOf(server.verifyToken(access_token_hs256)), 'sso_unreachable')
    } finally {
      relay.cut(() => false)
    }
  })
})

/** So much later, by the clock that a machine which slept, or was set, shows. */
const passes = ({ mock }: TestContext, ms: number) => {
  const now = Date.now.bind(Date)
  mock.method(Date, 'now', () => now() + ms)
}
/** A stream is broken if it says nothing for so long, instead of the fifteen seconds of the package. */
const listensFor = ({ mock }: TestContext, ms: number) => {
  const start = setTimeout
  mock.method(globalThis, 'setTimeout', (act: () => void, after?: number) =>
    start(act, after === 15_000 ? ms : after),
  )
}

describe('a revoked token', () => {
  const isDead = async (server: ReturnType<typeof partner.aServer>, token: string) =>
    (await verdictOf(server.verifyToken(token))) === 'token_revoked'

  test('is refused by a server that hears of it, and by one that has just started', async () => {
    const server = partner.aServer()
    const { access_token } = await partner.signIn()
    await eventually(() => server.revocations.silentFor() === 0)
    assert.equal(await verdictOf(server.verifyToken(access_token)), 'good')
    await partner.signOut(access_token)
    await eventually(() => isDead(server, access_token))
    assert.ok(await isDead(partner.aServer(), access_token))
  })

  test('is refused where the stream was away for half a minute, by asking', async (t) => {
    const server = partner.aServer()
    const [{ access_token }, stays] = [await partner.signIn(), await other.signIn()]
    await eventually(() => server.revocations.silentFor() === 0)
    const asked = () => relay.countOf('/api/v1/auth/introspect')
    const before = asked()
    relay.cut((path) => path === '/api/v1/revocations')
    try {
      await partner.signOut(access_token)
      assert.equal(asked(), before)
      passes(t, 30_500)
      assert.ok(await isDead(server, access_token))
      assert.ok(asked() > before)
      assert.equal(await verdictOf(server.verifyToken((await partner.signIn()).access_token)), 'good')
      assert.equal(await verdictOf(server.verifyToken(stays.access_token)), 'token_invalid')
    } finally {
      relay.cut(() => false)
    }
    await eventually(() => server.revocations.silentFor() === 0)
  })

  test('is refused though the connection of the stream fell silent', async (t) => {
    listensFor(t, 1_000)
    const server = partner.aServer()
    await eventually(() => server.revocations.silentFor() === 0)
    relay.silence()
    const { access_token } = await partner.signIn()
    await partner.signOut(access_token)
    await eventually(() => isDead(server, access_token))
  })

  test('is every one that a stolen key signed, and the new key is known within seconds', async () => {
    const server = partner.aServer()
    const { access_token } = await partner.signIn()
    await eventually(() => server.revocations.silentFor() === 0)
    assert.equal(await verdictOf(server.verifyToken(access_token)), 'good')
    const [head = ''] = access_token.split('.')
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
    const rotated = await call(`${product.sso}/api/v1/signing-keys/rotate`, {
      headers: await adminHeaders(product, 'console'),
      body: { environment: site['environment'], emergency: kid },
    })
    assert.equal(rotated.status, 200)
    await eventually(() => isDead(server, access_token))
    const fresh = (await partner.signIn()).access_token
    // A stranger may have made the server ask a moment ago.
    await eventually(async () => (await verdictOf(server.verifyToken(fresh))) === 'good')
  })

  test('of a site back end is refused, though no stream tells of it', async () => {
    const server = partner.aServer()
    const admin = await adminHeaders(product, 'console')
    const at = `${product.sso}/api/v1/sites/${site['site_id']}/openid-client`
    const made = await call(at, {
      method: 'PUT',
      headers: admin,
      body: { redirect_uris: [], scopes: ['users:read'] },
    })
    const basic = Buffer.from(
      `${String(made.body['client_id'])}:${String(made.body['client_secret'])}`,
    ).toString('base64')
    const reply = await fetch(`${issuer}/openid/token`.replace('/sandbox/', '/'), {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    const { access_token } = (await reply.json()) as { access_token: string }
    assert.equal(await verdictOf(server.verifyToken(access_token)), 'good')
    await call(`${at}/secret`, { method: 'POST', headers: admin })
    await eventually(() => isDead(server, access_token))
  })
})
