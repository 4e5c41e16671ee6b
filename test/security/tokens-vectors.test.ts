import assert from 'node:assert/strict'
import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  privateEncrypt,
  randomBytes,
  sign,
} from 'node:crypto'
import { describe, test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import {
  isSignedBy,
  signatureOf,
  signToken,
  type VerifyKey,
  verifyToken,
} from '#foundation/security/access-tokens.ts'
import { ApiError } from '#foundation/errors.ts'

/** The payload of RFC 7515 appendices A.1 and A.2. */
const PAYLOAD =
  'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'

const A1 = {
  input: `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${PAYLOAD}`,
  k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
  signature: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
}
const A2 = {
  input: `eyJhbGciOiJSUzI1NiJ9.${PAYLOAD}`,
  jwk: {
    kty: 'RSA',
    n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
    e: 'AQAB',
    d: 'Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ',
    p: '4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc',
    q: 'uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc',
    dp: 'BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0',
    dq: 'h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU',
    qi: 'IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U',
  },
  signature:
    'cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw',
}

describe('the vectors of the RFCs', () => {
  test('RFC 7515 A.1: HS256 creates and accepts this signature', async () => {
    const key = { kid: 'a1', alg: 'HS256', secret: createSecretKey(Buffer.from(A1.k, 'base64url')) } as const
    const signature = await signatureOf(A1.input, key)
    assert.equal(signature.toString('base64url'), A1.signature)
    assert.equal(isSignedBy(key, { input: A1.input, signature }), true)
    assert.equal(isSignedBy(key, { input: `${A1.input}x`, signature }), false)
  })

  test('RFC 7515 A.2: RS256 creates and accepts this signature', async () => {
    const privateKey = createPrivateKey({ key: A2.jwk, format: 'jwk' })
    const signature = await signatureOf(A2.input, { kid: 'a2', alg: 'RS256', privateKey })
    assert.equal(signature.toString('base64url'), A2.signature)
    const key = { alg: 'RS256', publicKey: createPublicKey(privateKey) } as const
    assert.equal(isSignedBy(key, { input: A2.input, signature }), true)
    assert.equal(isSignedBy(key, { input: `${A2.input}x`, signature }), false)
  })

  test('RFC 7638 section 3.1: computes the thumbprint of our kids', async () => {
    const jwk = {
      kty: 'RSA',
      n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
      alg: 'RS256',
      kid: '2011-04-29',
    }
    assert.equal(await calculateJwkThumbprint(jwk), 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  })
})

/** Cases after Project Wycheproof's JsonWebSignature vectors, made with keys and claims that would be accepted. */
const SECRET = randomBytes(32)
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const issuer = 'https://sso.example'
const hsKey: VerifyKey = {
  kid: 'hs-1',
  alg: 'HS256',
  environment: 'production',
  issuer,
  secret: createSecretKey(SECRET),
  site_code: 'school',
  tenant_id: 'tenant-1',
  generation: 1,
}
const rsKey: VerifyKey = {
  kid: 'rs-1',
  alg: 'RS256',
  environment: 'production',
  issuer,
  publicKey: rsa.publicKey,
}
const keys = new Map([hsKey, rsKey].map((key) => [key.kid, key]))
/** Only the signature is tested here; src/foundation/security/access-tokens.test.ts tests who issued the token. */
const judges = { findKey: async (kid: string) => keys.get(kid), isOurs: () => true }
const verify = (token: string) => verifyToken(token, judges)

const now = Math.floor(Date.now() / 1_000)
const CLAIMS = {
  sub: 'user-1',
  email: 'anna@example.org',
  role: 'USER',
  permissions: [],
  site_code: 'school',
  tenant_id: 'tenant-1',
  iss: issuer,
  aud: 'school',
  client_id: 'school',
  iat: now,
  nbf: now,
  exp: now + 1_800,
  jti: 'jti-1',
  sid: 'session-1',
  sv: 1,
  amr: ['pwd'],
  auth_time: now,
  env: 'production',
}

const base64url = (value: object | string | Buffer) =>
  (Buffer.isBuffer(value)
    ? value
    : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  ).toString('base64url')
const inputOf = (header: object, claims: object = CLAIMS) => `${base64url(header)}.${base64url(claims)}`
const HS = { alg: 'HS256', kid: 'hs-1', typ: 'at+jwt' }
const RS = { alg: 'RS256', kid: 'rs-1', typ: 'at+jwt' }
const hmac = (input: string, secret: string | Buffer = SECRET, hash = 'sha256') =>
  createHmac(hash, secret).update(input).digest()
const rs = (input: string, hash = 'sha256', key = rsa.privateKey) => sign(hash, Buffer.from(input), key)
const pss = (input: string) =>
  sign('sha256', Buffer.from(input), { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING })
const token = (header: object, signer: (input: string) => Buffer, claims: object = CLAIMS) => {
  const input = inputOf(header, claims)
  return `${input}.${base64url(signer(input))}`
}

const isRefused = (text: string) =>
  assert.rejects(
    verify(text),
    (error) => error instanceof ApiError && error.status === 401 && error.code === 'token_invalid',
  )

describe('the JWS vectors of Wycheproof', () => {
  for (const [name, good] of [
    ['hs256', token(HS, hmac)],
    ['rs256', token(RS, rs)],
  ] as const) {
    const [header = '', payload = '', signature = ''] = good.split('.')
    const flipped = (text: string) => (text.startsWith('X') ? 'Y' : 'X') + text.slice(1)
    test(`${name} acceptsValid`, async () => assert.equal((await verify(good)).claims.sub, 'user-1'))

    const broken: Record<string, string> = {
      rejectsModifiedSignature: `${header}.${payload}.${flipped(signature)}`,
      rejectsMissingSignature: `${header}.${payload}.`,
      rejectsMissingSignatureAndSeparator: `${header}.${payload}`,
      rejectsModifiedPayload: `${header}.${flipped(payload)}.${signature}`,
      rejectsMissingPayload: `${header}..${signature}`,
      rejectsMissingPayloadAndSeparator: `${header}.${signature}`,
      rejectsModifiedHeader: `${flipped(header)}.${payload}.${signature}`,
      rejectsModifiedKid: `${base64url({ ...(name === 'hs256' ? HS : RS), kid: 'Xs-1' })}.${payload}.${signature}`,
      rejectsMissingHeader: `.${payload}.${signature}`,
      rejectsMissingHeaderAndSeparator: `${payload}.${signature}`,
      rejectsMissingHeaderAndSignature: `.${payload}.`,
      rejectsMissingHeaderSignatureAndSeparators: payload,
      rejectsEmptyString: '',
      rejectsOnlySeparators: '..',
      rejectsExtraEmptyComponent: `${good}.`,
      rejectsExtraComponent: `${good}.foo`,
      rejectsJsonSerialization: JSON.stringify({ payload, protected: header, signature }),
      rejectsGeneralJsonSerialization: JSON.stringify({
        payload,
        signatures: [{ protected: header, header: { unknown: 'untrustworthy' }, signature }],
      }),
      rejectsNoneAlgorithmAndMissingSignature: `${base64url({ ...HS, alg: 'none' })}.${payload}.`,
      rejectsNoneAlgorithmWithTheSignature: `${base64url({ ...HS, alg: 'none' })}.${payload}.${signature}`,
      rejectsPaddedBase64: `${header}.${payload}.${signature}==`,
      rejectsSpaceInSignature: `${header}.${payload}.${signature.slice(0, 8)} ${signature.slice(8)}`,
      rejectsLineBreakInPayload: `${header}.${payload.slice(0, 8)}\r\n${payload.slice(8)}.${signature}`,
      rejectsInvalidCharacter: `${header}.${payload}.${signature.slice(0, -1)}!`,
      rejectsTruncatedSignature: `${header}.${payload}.${base64url(Buffer.from(signature, 'base64url').subarray(0, 16))}`,
      rejectsPrependedZeroByte: `${header}.${payload}.${base64url(Buffer.concat([Buffer.of(0), Buffer.from(signature, 'base64url')]))}`,
    }
    for (const [vector, text] of Object.entries(broken)) test(`${name} ${vector}`, () => isRefused(text))
  }

  const spki = rsa.publicKey.export({ format: 'der', type: 'spki' })
  const pkcs1 = rsa.publicKey.export({ format: 'der', type: 'pkcs1' })
  const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const jwk = stranger.publicKey.export({ format: 'jwk' })
  const { n = '' } = rsa.publicKey.export({ format: 'jwk' })
  const confusions: Record<string, string> = {
    'HS256 under the kid of the RSA key, keyed with its SPKI bytes': token({ ...RS, alg: 'HS256' }, (i) =>
      hmac(i, spki),
    ),
    'HS256 under the kid of the RSA key, keyed with its PKCS #1 bytes': token({ ...RS, alg: 'HS256' }, (i) =>
      hmac(i, pkcs1),
    ),
    'HS256 under the kid of the RSA key, keyed with its PEM': token({ ...RS, alg: 'HS256' }, (i) =>
      hmac(i, pem),
    ),
    'HS256 under the kid of the RSA key, keyed with its modulus': token({ ...RS, alg: 'HS256' }, (i) =>
      hmac(i, Buffer.from(n, 'base64url')),
    ),
    'HS256 under the kid of the RSA key, keyed with nothing': token({ ...RS, alg: 'HS256' }, (i) =>
      hmac(i, ''),
    ),
    'HS256 under the right secret and the kid of the RSA key': token({ ...HS, kid: 'rs-1' }, hmac),
    'RS256 under the right key and the kid of the secret': token({ ...RS, kid: 'hs-1' }, rs),
    'an attacker provided embedded jwk': token({ ...RS, jwk: { ...jwk, kid: 'rs-1' } }, (i) =>
      rs(i, 'sha256', stranger.privateKey),
    ),
    'an embedded jwk under its own kid': token({ ...RS, kid: 'evil', jwk: { ...jwk, kid: 'evil' } }, (i) =>
      rs(i, 'sha256', stranger.privateKey),
    ),
    'the key of a stranger under our kid': token(RS, (i) => rs(i, 'sha256', stranger.privateKey)),
    'RS384 with the right key': token({ ...RS, alg: 'RS384' }, (i) => rs(i, 'sha384')),
    'RS512 with the right key': token({ ...RS, alg: 'RS512' }, (i) => rs(i, 'sha512')),
    'PS256 with the right key': token({ ...RS, alg: 'PS256' }, pss),
    'a PSS signature called RS256': token(RS, pss),
    'a SHA-384 signature called RS256': token(RS, (i) => rs(i, 'sha384')),
    'a SHA-1 signature called RS256': token(RS, (i) => rs(i, 'sha1')),
    'HS384 with the right secret': token({ ...HS, alg: 'HS384' }, (i) => hmac(i, SECRET, 'sha384')),
    'HS512 with the right secret': token({ ...HS, alg: 'HS512' }, (i) => hmac(i, SECRET, 'sha512')),
    'a SHA-512 signature called HS256': token(HS, (i) => hmac(i, SECRET, 'sha512')),
    'a signature of the payload alone': token(HS, (i) => hmac(i.split('.')[1] ?? '')),
    'the right secret in base64url as text': token(HS, (i) => hmac(i, SECRET.toString('base64url'))),
    'alg in lower case': token({ ...HS, alg: 'hs256' }, hmac),
    'alg none in every spelling': token({ ...HS, alg: 'nOnE' }, () => Buffer.alloc(0)),
  }
  for (const [name, text] of Object.entries(confusions)) test(`rejects ${name}`, () => isRefused(text))

  /** RSASSA-PKCS1-v1_5 by hand (RFC 8017 section 9.2), so that the padding can be wrong while the key is right. */
  const SHA256 = Buffer.from('3031300d060960864801650304020105000420', 'hex')
  const raw = (encoded: Buffer) =>
    privateEncrypt({ key: rsa.privateKey, padding: constants.RSA_NO_PADDING }, encoded)
  const digestOf = (input: string) => createHash('sha256').update(input).digest()
  const encoded = (tail: Buffer, { lead = 0, type = 1, fill = 0xff, behind = Buffer.alloc(0) } = {}) =>
    Buffer.concat([
      Buffer.of(lead, type),
      Buffer.alloc(256 - 3 - tail.length - behind.length, fill),
      Buffer.of(0),
      tail,
      behind,
    ])
  const info = (input: string) => Buffer.concat([SHA256, digestOf(input)])

  test('accepts handmade RFC 8017 padding', async () => {
    assert.ok(await verify(token(RS, (i) => raw(encoded(info(i))))))
  })

  const paddings: Record<string, (input: string) => Buffer> = {
    'block type 0': (i) => encoded(info(i), { type: 0, fill: 0 }),
    'block type 2': (i) => encoded(info(i), { type: 2 }),
    'padding of 0x00': (i) => encoded(info(i), { fill: 0 }),
    'padding of 0xfe': (i) => encoded(info(i), { fill: 0xfe }),
    'one wrong padding byte': (i) => encoded(info(i)).fill(0x7f, 60, 61),
    'bytes behind the digest (Bleichenbacher 2006)': (i) =>
      encoded(info(i), { behind: Buffer.alloc(100, 1) }),
    'bytes behind the digest, eight of padding': (i) => encoded(info(i), { behind: Buffer.alloc(194, 0xff) }),
    'the digest without its name': (i) => encoded(digestOf(i)),
    'the digest under the name of SHA-512': (i) =>
      encoded(
        Buffer.concat([
          Buffer.from('3051300d060960864801650304020305000440', 'hex'),
          digestOf(i),
          Buffer.alloc(32),
        ]),
      ),
    'a name without parameters': (i) =>
      encoded(Buffer.concat([Buffer.from('302f300b06096086480165030402010420', 'hex'), digestOf(i)])),
    'a length in long form (BER)': (i) =>
      encoded(Buffer.concat([Buffer.from('308131300d060960864801650304020105000420', 'hex'), digestOf(i)])),
    'parameters that hold something': (i) =>
      encoded(Buffer.concat([Buffer.from('3033300f0609608648016503040201050200000420', 'hex'), digestOf(i)])),
    'a digest cut by one byte': (i) => encoded(Buffer.concat([SHA256, digestOf(i).subarray(1)])),
    'the digest of something else': () => encoded(info('something else')),
    'nothing but zeroes': () => Buffer.alloc(256),
  }
  for (const [name, pad] of Object.entries(paddings))
    test(`rejects an RSA signature with ${name}`, () => isRefused(token(RS, (i) => raw(pad(i)))))

  test('rejects signatures not below the modulus', async () => {
    const modulus = Buffer.from(n, 'base64url')
    for (const signature of [
      modulus,
      Buffer.alloc(256, 0xff),
      Buffer.alloc(256),
      Buffer.of(1),
      Buffer.alloc(512, 1),
    ])
      await isRefused(token(RS, () => signature))
  })

  test('accepts tokens of signToken for both keys', async () => {
    for (const key of [
      { kid: 'hs-1', alg: 'HS256', secret: createSecretKey(SECRET) },
      { kid: 'rs-1', alg: 'RS256', privateKey: rsa.privateKey },
    ] as const)
      assert.equal((await verify(await signToken(CLAIMS, key))).key.kid, key.kid)
  })
})
