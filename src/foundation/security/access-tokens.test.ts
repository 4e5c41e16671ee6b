import assert from 'node:assert/strict'
import {
  createHmac,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { describe, test } from 'node:test'
import { jwtVerify } from 'jose'
import {
  type Claims,
  createMint,
  createTokenVerifier,
  signToken,
  type SigningKey,
  type VerifyKey,
  verifyToken,
} from './access-tokens.ts'
import { ApiError } from '../errors.ts'

const SECRET = randomBytes(32)
const OTHER_SECRET = randomBytes(32)
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const RSA_PEM = rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString()

const production = { environment: 'production', issuer: 'https://sso.example' } as const
const ofSite = (kid: string, secret: Buffer, site_code: string, tenant_id: string): VerifyKey => ({
  kid,
  alg: 'HS256',
  ...production,
  secret: createSecretKey(secret),
  site_code,
  tenant_id,
  generation: 1,
})
const keys = new Map<string, VerifyKey>(
  [
    ofSite('hs-school', SECRET, 'school', 'tenant-1'),
    ofSite('hs-other', OTHER_SECRET, 'other', 'tenant-2'),
    { kid: 'rsa-1', alg: 'RS256', ...production, publicKey: rsa.publicKey } as const,
    {
      kid: 'rsa-sandbox',
      alg: 'RS256',
      environment: 'sandbox',
      issuer: 'https://sso.example/sandbox',
      publicKey: otherRsa.publicKey,
    } as const,
  ].map((key) => [key.kid, key]),
)
const findKey = async (kid: string) => keys.get(kid)
const mint = createMint(randomBytes(32))
const { isOurs } = mint
const verify = (token: string, options = {}) => verifyToken(token, { findKey, isOurs }, options)

const now = () => Math.floor(Date.now() / 1_000)
const withoutJti = (said: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(said).filter(([name]) => name !== 'jti'))
const claims = (changes: Partial<Record<keyof Claims | 'extra', unknown>> = {}) => {
  const said = {
    sub: 'user-1',
    email: 'anna@example.org',
    role: 'USER',
    permissions: ['profile:read'],
    site_code: 'school',
    tenant_id: 'tenant-1',
    iss: 'https://sso.example',
    aud: 'school',
    client_id: 'school',
    iat: now(),
    nbf: now(),
    exp: now() + 1_800,
    sid: 'session-1',
    sv: 1,
    amr: ['pwd'],
    auth_time: now(),
    env: 'production',
    ...withoutJti(changes),
  }
  const jti = mint.jtiFor(said as unknown as Omit<Claims, 'jti'>)
  return { ...said, jti, ...('jti' in changes && { jti: changes.jti }) }
}

const hs = (secret = SECRET): SigningKey => ({
  kid: 'hs-school',
  alg: 'HS256',
  secret: createSecretKey(secret),
})
const rs = (privateKey: KeyObject = rsa.privateKey, kid = 'rsa-1'): SigningKey => ({
  kid,
  alg: 'RS256',
  privateKey,
})

/** A handmade token: header and payload as text, signed with any key that an attacker has. */
const base64url = (text: string | Buffer) => Buffer.from(text).toString('base64url')
const hmac = (secret: string | Buffer) => (input: string) =>
  createHmac('sha256', secret).update(input).digest()
function craft(header: object | string, payload: object | string = claims(), signer = hmac(SECRET)): string {
  const text = (part: object | string) => base64url(typeof part === 'string' ? part : JSON.stringify(part))
  const input = `${text(header)}.${text(payload)}`
  return `${input}.${base64url(signer(input))}`
}
const HEADER = { alg: 'HS256', kid: 'hs-school', typ: 'at+jwt' }

const refusal = (code: string) => (error: unknown) =>
  error instanceof ApiError &&
  error.status === 401 &&
  error.code === code &&
  error.headers['WWW-Authenticate'] === 'Bearer error="invalid_token"'

describe('access tokens', () => {
  for (const [name, key] of [
    ['HS256', hs()],
    ['RS256', rs()],
  ] as const) {
    test(`verifies what ${name} signed, with all claims`, async () => {
      const said = claims()
      const token = await signToken(said, key)
      assert.deepEqual((await verify(token)).claims, said)
      assert.deepEqual(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()), {
        alg: name,
        kid: key.kid,
        typ: 'at+jwt',
      })
    })

    test(`an independent verifier accepts ${name}`, async () => {
      const token = await signToken(claims(), key)
      const { payload } = await jwtVerify(token, name === 'HS256' ? SECRET : rsa.publicKey, {
        issuer: 'https://sso.example',
        audience: 'school',
        typ: 'at+jwt',
        algorithms: [name],
      })
      assert.equal(payload.sub, 'user-1')
    })

    test(`${name}: refuses signatures with one bit changed, cut or lengthened`, async () => {
      const token = await signToken(claims(), key)
      const [header, payload, signature = ''] = token.split('.')
      const bytes = Buffer.from(signature, 'base64url')
      const forged = [...Array(bytes.length * 8).keys()].map((bit) => {
        const changed = Buffer.from(bytes)
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        return changed
      })
      for (const one of [
        ...forged,
        bytes.subarray(1),
        bytes.subarray(0, -1),
        Buffer.concat([bytes, Buffer.of(0)]),
        Buffer.alloc(0),
      ])
        await assert.rejects(verify(`${header}.${payload}.${base64url(one)}`), refusal('token_invalid'))
    })
  }

  test('accepts the valid token that the refusals below vary', async () => {
    assert.equal((await verify(craft(HEADER))).claims.sub, 'user-1')
  })

  const hostile: [string, string | (() => string)][] = [
    ['nothing', ''],
    ['one part', 'abc'],
    ['two parts', craft(HEADER).split('.').slice(0, 2).join('.')],
    ['four parts', `${craft(HEADER)}.AAAA`],
    ['a trailing dot', `${craft(HEADER)}.`],
    ['alg none without a signature', craft({ ...HEADER, alg: 'none' }, claims(), () => Buffer.alloc(0))],
    ['alg None without a signature', craft({ ...HEADER, alg: 'None' }, claims(), () => Buffer.alloc(0))],
    ['alg none with the right signature', craft({ ...HEADER, alg: 'none' })],
    ['alg HS512 on an HS256 key', craft({ ...HEADER, alg: 'HS512' })],
    ['no alg', craft({ kid: 'hs-school', typ: 'at+jwt' })],
    ['alg as a list', craft({ ...HEADER, alg: ['HS256'] })],
    ['RS256 key used as an HS256 secret (PEM)', craft({ ...HEADER, kid: 'rsa-1' }, claims(), hmac(RSA_PEM))],
    [
      'RS256 key used as an HS256 secret under its own alg',
      craft({ ...HEADER, alg: 'RS256', kid: 'rsa-1' }, claims(), hmac(RSA_PEM)),
    ],
    [
      'HS256 kid with alg RS256',
      craft({ ...HEADER, alg: 'RS256' }, claims(), (input) =>
        sign('sha256', Buffer.from(input), rsa.privateKey),
      ),
    ],
    ['a kid nobody knows', craft({ ...HEADER, kid: 'hs-nobody' })],
    ['a kid that is a path', craft({ ...HEADER, kid: '../../../../dev/null' }, claims(), hmac(''))],
    ['a kid that is SQL', craft({ ...HEADER, kid: "x' union select 'a" }, claims(), hmac('a'))],
    ['a kid of Object.prototype', craft({ ...HEADER, kid: '__proto__' })],
    ['a kid that is a number', craft({ ...HEADER, kid: 1 })],
    ['no kid', craft({ alg: 'HS256', typ: 'at+jwt' })],
    ['an embedded jwk', craft({ ...HEADER, jwk: { kty: 'oct', k: base64url('x') } }, claims(), hmac('x'))],
    ['a jku', craft({ ...HEADER, jku: 'https://evil.example/jwks.json' })],
    ['an x5u', craft({ ...HEADER, x5u: 'https://evil.example/cert' })],
    ['an x5c', craft({ ...HEADER, x5c: [] })],
    ['crit', craft({ ...HEADER, crit: ['exp'] })],
    ['empty crit', craft({ ...HEADER, crit: [] })],
    ['b64 false', craft({ ...HEADER, b64: false, crit: ['b64'] })],
    ['the typ of an ID token', craft({ ...HEADER, typ: 'JWT' })],
    ['no typ', craft({ alg: 'HS256', kid: 'hs-school' })],
    ['a header that is a list', craft('["HS256","hs-school","at+jwt"]')],
    ['a header that is null', craft('null')],
    ['a header that is no JSON', craft('{')],
    ['a repeated header member', craft('{"alg":"none","alg":"HS256","kid":"hs-school","typ":"at+jwt"}')],
    ['a payload that is a list', craft(HEADER, '[]')],
    ['a payload that is text', craft(HEADER, '"text"')],
    ['a payload that is a number', craft(HEADER, '1')],
    ['a payload that is null', craft(HEADER, 'null')],
    ['an empty payload', craft(HEADER, '')],
    ['a life longer than half an hour', craft(HEADER, claims({ exp: now() + 1_801 }))],
    ['a life of 28 years', craft(HEADER, claims({ exp: now() + 28 * 365 * 86_400 }))],
    [
      'a time of issue that is still to come',
      craft(HEADER, claims({ iat: now() + 1_200, exp: now() + 1_800 })),
    ],
    ['a jti without a MAC of ours', craft(HEADER, claims({ jti: 'a1b2c3d4-0000-4000-8000-000000000000' }))],
    ['a jti taken from another token', craft(HEADER, claims({ jti: claims({ sid: 'session-2' }).jti }))],
    ['a role raised after it was issued', craft(HEADER, { ...claims(), role: 'ADMIN' })],
    ['a repeated claim', craft(HEADER, JSON.stringify(claims()).replace('{', '{"sub":"user-2",'))],
    [
      'a repeated claim in another spelling',
      craft(HEADER, JSON.stringify(claims()).replace('{', '{"s\\u0075b":"user-2",')),
    ],
    [
      'claims that are not UTF-8',
      () => {
        const payload = Buffer.from(JSON.stringify(claims({ email: 'anna?' })))
        payload[payload.indexOf('?')] = 0xff
        const input = `${base64url(JSON.stringify(HEADER))}.${payload.toString('base64url')}`
        return `${input}.${base64url(hmac(SECRET)(input))}`
      },
    ],
    ['another issuer', craft(HEADER, claims({ iss: 'https://evil.example' }))],
    ['the issuer of the sandbox', craft(HEADER, claims({ iss: 'https://sso.example/sandbox' }))],
    ['another audience', craft(HEADER, claims({ aud: 'other' }))],
    ['a list of audiences', craft(HEADER, claims({ aud: ['school'] }))],
    ['another client_id', craft(HEADER, claims({ client_id: 'other' }))],
    ['the other environment', craft(HEADER, claims({ env: 'sandbox' }))],
    [
      'the site of somebody else',
      craft(HEADER, claims({ site_code: 'other', aud: 'other', client_id: 'other' })),
    ],
    ['the tenant of somebody else', craft(HEADER, claims({ tenant_id: 'tenant-2' }))],
    ['the key of another site', craft({ ...HEADER, kid: 'hs-other' }, claims(), hmac(OTHER_SECRET))],
    [
      'the RSA key of the other environment',
      () => {
        const by = (input: string) => sign('sha256', Buffer.from(input), otherRsa.privateKey)
        return craft({ alg: 'RS256', kid: 'rsa-sandbox', typ: 'at+jwt' }, claims(), by)
      },
    ],
    ['an nbf seven seconds ahead', () => craft(HEADER, claims({ nbf: now() + 7 }))],
    ['exp as text', craft(HEADER, claims({ exp: String(now() + 60) }))],
    ['exp as a fraction', craft(HEADER, claims({ exp: now() + 60.5 }))],
    ['a very large exp', craft(HEADER, claims({ exp: 1e300 }))],
    ['an empty sub', craft(HEADER, claims({ sub: '' }))],
    ['sv as text', craft(HEADER, claims({ sv: '1' }))],
    ['permissions as text', craft(HEADER, claims({ permissions: 'users:write' }))],
    ...(['sub', 'sid', 'sv', 'exp', 'nbf', 'iss', 'aud', 'env', 'jti'] as const).map(
      (name): [string, string] => [`no ${name}`, craft(HEADER, claims({ [name]: undefined }))],
    ),
    ['more than 8 KiB', craft(HEADER, claims({ email: 'a'.repeat(8_192) }))],
  ]
  for (const [name, token] of hostile)
    test(`refuses ${name}`, async () => {
      await assert.rejects(verify(typeof token === 'string' ? token : token()), refusal('token_invalid'))
    })

  test('refuses every other spelling of the same bytes', async () => {
    const token = craft(HEADER)
    const [header = '', payload = '', signature = ''] = token.split('.')
    // 32 bytes take 43 characters, and the last one has two bits that are ignored on decoding.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const twin = signature.slice(0, -1) + (alphabet[alphabet.indexOf(signature.slice(-1)) ^ 1] ?? '')
    assert.deepEqual(Buffer.from(twin, 'base64url'), Buffer.from(signature, 'base64url'))
    for (const spelling of [
      `${header}.${payload}.${twin}`,
      `${token}=`,
      `${header}=.${payload}.${signature}`,
      `${token} `,
      ` ${token}`,
      `${token}\n`,
      `${header}.${payload}\u0000.${signature}`,
      `${header}.${payload}é.${signature}`,
    ])
      await assert.rejects(verify(spelling), refusal('token_invalid'))
    for (let tries = 0; tries < 100; tries++) {
      const other = craft(HEADER, claims({ sid: randomBytes(9).toString('hex') }))
      const plain = other.replaceAll('-', '+').replaceAll('_', '/')
      if (plain !== other) await assert.rejects(verify(plain), refusal('token_invalid'))
    }
  })

  test('allows five seconds of clock skew', async () => {
    assert.ok(await verify(craft(HEADER, claims({ exp: now() - 3 }))))
    assert.ok(await verify(craft(HEADER, claims({ nbf: now() + 3 }))))
    await assert.rejects(verify(craft(HEADER, claims({ exp: now() - 7 }))), refusal('token_expired'))
  })

  test('answers only invalid for a forged expired token', async () => {
    const forged = craft(HEADER, claims({ exp: now() - 60 }), hmac('guess'))
    await assert.rejects(verify(forged), refusal('token_invalid'))
  })

  test('accepts expired tokens for signing out, but no forged ones', async () => {
    assert.equal(
      (await verify(craft(HEADER, claims({ exp: now() - 60 })), { mayBeExpired: true })).claims.sid,
      'session-1',
    )
    const forged = craft(HEADER, claims({ exp: now() - 60 }), hmac('guess'))
    await assert.rejects(verify(forged, { mayBeExpired: true }), refusal('token_invalid'))
  })

  test('waits for a key that has to be fetched', async () => {
    const { claims } = await verifyToken(craft(HEADER), { findKey: async (kid) => keys.get(kid), isOurs })
    assert.equal(claims.sub, 'user-1')
    await assert.rejects(
      async () => verifyToken(craft(HEADER), { findKey: async () => undefined, isOurs }),
      refusal('token_invalid'),
    )
  })
})

describe('the verifier', () => {
  function counting(max = 100) {
    const state = { lookups: 0 }
    const verifier = createTokenVerifier({
      isOurs,
      findKey: async (kid) => {
        state.lookups++
        return keys.get(kid)
      },
      max,
    })
    return {
      state,
      verify: (token: string) => verifier.verify(token),
      forgetKey: (kid: string) => verifier.forgetKey(kid),
    }
  }

  test('verifies the signature once per token and returns the same object', async () => {
    const { state, verify } = counting()
    const token = craft(HEADER)
    assert.equal(await verify(token), await verify(token))
    assert.equal(state.lookups, 1)
  })

  test('distinguishes cached tokens with equal beginning or signature', async () => {
    const { verify } = counting()
    const token = craft(HEADER)
    await verify(token)
    await assert.rejects(verify(token.slice(0, -1)), refusal('token_invalid'))
    await assert.rejects(verify(`${token}=`), refusal('token_invalid'))
  })

  test('does not cache a refused token', async () => {
    const { state, verify } = counting()
    const forged = craft(HEADER, claims(), hmac('guess'))
    for (let i = 0; i < 3; i++) await assert.rejects(verify(forged), refusal('token_invalid'))
    assert.equal(state.lookups, 3)
  })

  test('refuses a cached token once expired', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { verify } = counting()
    const token = craft(HEADER, claims({ exp: now() + 1_800 }))
    await verify(token)
    t.mock.timers.tick(1_804_000)
    assert.ok(await verify(token))
    t.mock.timers.tick(2_000)
    await assert.rejects(verify(token), refusal('token_expired'))
    await assert.rejects(verify(token), refusal('token_expired'))
  })

  test('forgets only the tokens of a removed key', async () => {
    const { state, verify, forgetKey } = counting()
    const school = craft(HEADER)
    const other = craft(
      { ...HEADER, kid: 'hs-other' },
      claims({ site_code: 'other', aud: 'other', client_id: 'other', tenant_id: 'tenant-2' }),
      hmac(OTHER_SECRET),
    )
    await verify(school)
    await verify(other)
    forgetKey('hs-school')
    await verify(other)
    assert.equal(state.lookups, 2)
    await verify(school)
    assert.equal(state.lookups, 3)
  })

  test('caches a bounded number of tokens and drops the oldest', async () => {
    const { state, verify } = counting(2)
    const [a, b, c] = ['a', 'b', 'c'].map((sid) => craft(HEADER, claims({ sid }))) as [string, string, string]
    for (const token of [a, b, c, c, b]) await verify(token)
    assert.equal(state.lookups, 3)
    await verify(a)
    assert.equal(state.lookups, 4)
  })
})
