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

/** The claims of an access token (docs/choices-sso.md). Times are whole seconds since the epoch. */
export type Claims = {
  sub: string
  /** Email of a person; a machine client has none. */
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
  /** session_version of the user when the token was issued. */
  sv: number
  amr: string[]
  auth_time: number
  env: Environment
}

/**
 * The key behind a kid. Algorithm and environment come from the key, never from the token. A key of one site (HS256)
 * verifies tokens of that site only.
 */
export type VerifyKey = {
  kid: string
  environment: Environment
  /** The required `iss` of tokens signed with this key. */
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
/** Maximum token lifetime in seconds (API document, part 8). */
export const ACCESS_TOKEN_LIFE = 1_800

const signRsaAside = promisify(signRsa)

/** Returns a compact JWS (RFC 7515). RS256 runs on the thread pool, because it takes a quarter of a millisecond. */
export async function signToken(claims: object, key: SigningKey, typ: Typ = 'at+jwt'): Promise<string> {
  const input = `${encode({ alg: key.alg, kid: key.kid, typ })}.${encode(claims)}`
  return `${input}.${(await signatureOf(input, key)).toString('base64url')}`
}

/** RFC 7518 sections 3.2 and 3.3, over the ASCII bytes of header and payload. */
export async function signatureOf(input: string, key: SigningKey): Promise<Buffer> {
  return key.alg === 'HS256'
    ? createHmac('sha256', key.secret).update(input).digest()
    : signRsaAside('sha256', Buffer.from(input), key.privateKey)
}

/** 401 `token_invalid` for every fault; `cause` is only logged. */
export const tokenInvalid = (cause: string) =>
  unauthorized('token_invalid', 'The access token is not valid', { ...CHALLENGE, cause })
export const tokenExpired = () => unauthorized('token_expired', 'The access token has expired', CHALLENGE)
export const tokenRevoked = () => unauthorized('token_revoked', 'The access token was revoked', CHALLENGE)

/** RFC 6750 section 3.1. */
const CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } }

type FindKey = (kid: string) => Promise<VerifyKey | undefined>

/**
 * Authenticates tokens as issued by us. A partner holds the secret of its HS256 tokens, so their signature alone is no
 * proof.
 */
export type Mint = {
  /** A `jti` for these claims: 16 random bytes, a dot, and a MAC over the random bytes and all claims. */
  jtiFor: (claims: Omit<Claims, 'jti'>) => string
  isOurs: (claims: Claims) => boolean
}

/** `key`: 32 bytes that no partner knows. */
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

/** How to find a token's key, and how to tell whether we issued the token. */
export type Judges = { findKey: FindKey; isOurs: Mint['isOurs'] }

/**
 * Verifies access tokens and caches the results, so the cryptography runs once per token. The session gate checks on
 * every request whether the session is still active.
 */
export function createTokenVerifier({ max = 10_000, ...judges }: Judges & { max?: number }) {
  const seen = new Map<string, VerifiedToken>()

  function keep(token: string, verified: VerifiedToken): VerifiedToken {
    if (seen.size >= max) for (const eldest of seen.keys()) if (seen.delete(eldest)) break
    seen.set(token, verified)
    return verified
  }

  return {
    /** The claims and key of a token; throws 401 `token_invalid` or `token_expired`. */
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
    /** Call it when a key is removed: drops the cached tokens that were verified with it. */
    forgetKey(kid: string) {
      for (const [token, { key }] of seen) if (key.kid === kid) seen.delete(token)
    },
  }
}

/**
 * Verifies one token strictly: format and key before any cryptography, then the signature, then the claims. Throws 401.
 * `mayBeExpired` skips the expiry check, because logout must also work with an old token.
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
 * Verifies any other JWS that we issued, such as an ID token, equally strictly: format, key, algorithm, signature. The
 * caller must check the claims. Throws 401 `token_invalid`.
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
  // Exactly the members that we write, so crit, jku, jwk, x5u and b64 are never used.
  const { alg, kid, typ } = header
  if (typeof kid !== 'string' || Object.keys(header).length !== 3) throw tokenInvalid('header members')
  if (typ !== expected) throw tokenInvalid('typ')
  const input = token.slice(0, token.lastIndexOf('.'))
  return { alg, kid, payload: decode(payload64), input, signature: decode(signature64) }
}

/** RFC 4648 section 5 without padding; accepts only the canonical encoding of the bytes. */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw tokenInvalid('base64url')
  return bytes
}

/** A JSON object exactly as JSON.stringify writes it: no repeated members, white space or other spellings. */
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
