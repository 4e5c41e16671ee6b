import { isUtf8 } from 'node:buffer'
import {
  createHmac,
  type KeyObject,
  randomBytes,
  sign as signRsa,
  timingSafeEqual,
  verify as verifyRsa,
} from 'node:crypto'
import { promisify } from 'node:util'
import { clock } from '../clock.ts'
import { unauthorized } from '../errors.ts'

export type Environment = 'sandbox' | 'production'

/** What an access token says (docs/choices-sso.md). Times are whole seconds since the epoch. */
export type Claims = {
  sub: string
  /** Of a person; the back end of a site has none. */
  email?: string
  role: string
  permissions: string[]
  site_code: string
  tenant_id: string
  iss: string
  aud: string
  client_id: string
  iat: number
  nbf: number
  exp: number
  jti: string
  sid: string
  /** session_version of the user when the token was made. */
  sv: number
  amr: string[]
  auth_time: number
  env: Environment
}

/**
 * What a kid stands for. Algorithm and environment come from here and never from the token. A key of one site (HS256)
 * vouches for tokens of that site only.
 */
export type VerifyKey = {
  kid: string
  environment: Environment
  /** `iss` of the tokens this key vouches for. */
  issuer: string
} & (
  | { alg: 'HS256'; secret: KeyObject; site_code: string; tenant_id: string; generation: number }
  | { alg: 'RS256'; publicKey: KeyObject }
)

export type SigningKey = { kid: string } & (
  | { alg: 'HS256'; secret: KeyObject }
  | { alg: 'RS256'; privateKey: KeyObject }
)

type Typ = 'at+jwt' | 'logout+jwt' | 'JWT'
type CheckKey = { alg: 'HS256'; secret: KeyObject } | { alg: 'RS256'; publicKey: KeyObject }

export type VerifiedToken = { claims: Claims; key: VerifyKey }

const LONGEST = 8_192
const LEEWAY = 5
/** Seconds a token may live (API document, part 8). */
export const ACCESS_TOKEN_LIFE = 1_800

const signRsaAside = promisify(signRsa)

/** A compact JWS (RFC 7515). RS256 is computed on the thread pool, since it takes a quarter of a millisecond. */
export async function signToken(claims: object, key: SigningKey, typ: Typ = 'at+jwt'): Promise<string> {
  const input = `${encode({ alg: key.alg, kid: key.kid, typ })}.${encode(claims)}`
  return `${input}.${(await signatureOf(input, key)).toString('base64url')}`
}

/** RFC 7518 sections 3.2 and 3.3, of the ASCII bytes of header and payload. */
export async function signatureOf(input: string, key: SigningKey): Promise<Buffer> {
  return key.alg === 'HS256'
    ? createHmac('sha256', key.secret).update(input).digest()
    : signRsaAside('sha256', Buffer.from(input), key.privateKey)
}

/** 401 `token_invalid` whatever is wrong; the cause tells the log. */
export const tokenInvalid = (cause: string) =>
  unauthorized('token_invalid', 'The access token is not valid', { ...CHALLENGE, cause })
export const tokenExpired = () => unauthorized('token_expired', 'The access token has expired', CHALLENGE)
export const tokenRevoked = () => unauthorized('token_revoked', 'The access token was revoked', CHALLENGE)

/** RFC 6750 section 3.1. */
const CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } }

type FindKey = (kid: string) => Promise<VerifyKey | undefined>

/** Marks the tokens we issue. A partner holds the secret of its HS256 tokens, so the signature alone proves nothing to us. */
export type Mint = {
  /** A `jti` for these claims: 16 random bytes, a dot, and a MAC of everything the token says. */
  jtiFor: (claims: Omit<Claims, 'jti'>) => string
  isOurs: (claims: Claims) => boolean
}

/** `key`: 32 bytes that no partner holds. */
export function createMint(key: Buffer): Mint {
  const mac = (nonce: string, claims: Omit<Claims, 'jti'>) =>
    createHmac('sha256', key)
      .update(`${nonce}.${JSON.stringify(Object.entries(claims).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`)
      .digest()
      .subarray(0, 16)
  return {
    jtiFor(claims) {
      const nonce = randomBytes(16).toString('base64url')
      return `${nonce}.${mac(nonce, claims).toString('base64url')}`
    },
    isOurs({ jti, ...claims }) {
      const [nonce = '', given = ''] = jti.split('.')
      const expected = mac(nonce, claims)
      const bytes = Buffer.from(given, 'base64url')
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    },
  }
}

/** What decides about a token: the key it names, and whether we made it. */
export type Judges = { findKey: FindKey; isOurs: Mint['isOurs'] }

/**
 * Verifies access tokens, the cryptography once per token. Whether the session still lives is the business of the session
 * gate, on every request.
 */
export function createTokenVerifier({ max = 10_000, ...judges }: Judges & { max?: number }) {
  const seen = new Map<string, VerifiedToken>()

  function keep(token: string, verified: VerifiedToken): VerifiedToken {
    if (seen.size >= max) for (const eldest of seen.keys()) if (seen.delete(eldest)) break
    seen.set(token, verified)
    return verified
  }

  return {
    /** Claims and key of the token; throws 401 `token_invalid` or `token_expired`. */
    async verify(token: string): Promise<VerifiedToken> {
      const known = seen.get(token)
      if (known) {
        if (isExpired(known.claims)) {
          seen.delete(token)
          throw tokenExpired()
        }
        return known
      }
      return keep(token, await verifyToken(token, judges))
    },
    /** A key has left: what was verified with it counts no longer. */
    forgetKey(kid: string) {
      for (const [token, { key }] of seen) if (key.kid === kid) seen.delete(token)
    },
  }
}

/**
 * One token, strictly: form and key before any cryptography, then the signature, then what it says. Throws 401.
 * With `mayBeExpired` the time of expiry is not looked at: logging out works with an old token as well.
 */
export async function verifyToken(
  token: string,
  { findKey, isOurs }: Judges,
  { mayBeExpired = false } = {},
): Promise<VerifiedToken> {
  const parts = readParts(token, 'at+jwt')
  const key = await findKey(parts.kid)
  if (!key) throw tokenInvalid('unknown kid')
  const claims = readClaims(verifiedPayload(parts, key), key)
  const now = clock.now() / 1_000
  if (claims.nbf > now + LEEWAY) throw tokenInvalid('nbf')
  if (claims.iat > now + LEEWAY) throw tokenInvalid('iat')
  if (claims.exp - claims.iat > ACCESS_TOKEN_LIFE) throw tokenInvalid('lives longer than we let a token live')
  if (!isOurs(claims)) throw tokenInvalid('not issued by us')
  if (!mayBeExpired && isExpired(claims)) throw tokenExpired()
  return { claims, key }
}

/**
 * The claims of any other JWS of ours, such as an ID token, as strictly: form, key, algorithm, signature. What they say is
 * the caller's to judge. Throws 401 `token_invalid`.
 */
export async function readSigned<Key extends CheckKey>(
  token: string,
  typ: Typ,
  findKey: (kid: string) => Promise<Key | undefined>,
): Promise<{ claims: Record<string, unknown>; key: Key }> {
  const parts = readParts(token, typ)
  const key = await findKey(parts.kid)
  if (!key) throw tokenInvalid('unknown kid')
  return { claims: verifiedPayload(parts, key), key }
}

function verifiedPayload(parts: Parts, key: CheckKey): Record<string, unknown> {
  if (parts.alg !== key.alg) throw tokenInvalid('the kid belongs to another algorithm')
  if (!isSignedBy(key, parts)) throw tokenInvalid('signature')
  return readObject(parts.payload)
}

const isExpired = ({ exp }: Claims) => exp <= clock.now() / 1_000 - LEEWAY

type Parts = { alg: unknown; kid: string; payload: Buffer; input: string; signature: Buffer }

function readParts(token: string, expected: Typ): Parts {
  if (token.length > LONGEST) throw tokenInvalid('longer than 8 KiB')
  const [header64 = '', payload64 = '', signature64, ...more] = token.split('.', 4)
  if (signature64 === undefined || more.length > 0) throw tokenInvalid('not three parts')
  const header = readObject(decode(header64))
  // Exactly what we write: so no crit, jku, jwk, x5u or b64 is ever looked at.
  const { alg, kid, typ } = header
  if (typeof kid !== 'string' || Object.keys(header).length !== 3) throw tokenInvalid('header members')
  if (typ !== expected) throw tokenInvalid('typ')
  const input = token.slice(0, token.lastIndexOf('.'))
  return { alg, kid, payload: decode(payload64), input, signature: decode(signature64) }
}

/** RFC 4648 section 5 without padding; only the one spelling that encoding the bytes again gives. */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw tokenInvalid('base64url')
  return bytes
}

/** A JSON object written as JSON.stringify writes it: without repeated members, blanks or other spellings. */
function readObject(bytes: Buffer): Record<string, unknown> {
  const text = isUtf8(bytes) ? bytes.toString() : ''
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw tokenInvalid('not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || JSON.stringify(value) !== text)
    throw tokenInvalid('not one plain JSON object')
  return value as Record<string, unknown>
}

export function isSignedBy(
  key: CheckKey,
  { input, signature }: { input: string; signature: Buffer },
): boolean {
  if (key.alg === 'RS256') return verifyRsa('sha256', Buffer.from(input), key.publicKey, signature)
  const expected = createHmac('sha256', key.secret).update(input).digest()
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

function readClaims(claims: Record<string, unknown>, key: VerifyKey): Claims {
  const fault = Object.entries(CLAIMS).find(([name, isRight]) => !isRight(claims[name]))
  if (fault) throw tokenInvalid(`claim ${fault[0]}`)
  const token = claims as Claims
  if (token.iss !== key.issuer) throw tokenInvalid('iss')
  if (token.aud !== token.site_code || token.client_id !== token.site_code) throw tokenInvalid('aud')
  if (token.env !== key.environment) throw tokenInvalid('env')
  if (key.alg === 'HS256' && (token.site_code !== key.site_code || token.tenant_id !== key.tenant_id))
    throw tokenInvalid('the key of another site')
  return token
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isTextOrNone = (value: unknown) => value === undefined || isText(value)
const isWhole = (value: unknown) => Number.isSafeInteger(value)
const isList = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string')

const CLAIMS: Record<keyof Claims, (value: unknown) => boolean> = {
  sub: isText,
  email: isTextOrNone,
  role: isText,
  permissions: isList,
  site_code: isText,
  tenant_id: isText,
  iss: isText,
  aud: isText,
  client_id: isText,
  iat: isWhole,
  nbf: isWhole,
  exp: isWhole,
  jti: isText,
  sid: isText,
  sv: isWhole,
  amr: isList,
  auth_time: isWhole,
  env: isText,
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
