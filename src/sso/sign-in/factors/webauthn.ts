import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  verifyAuthenticationResponse,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import type { Lane, Tx } from '#foundation/database/database.ts'
import { isLoopbackName } from '#foundation/web/hosts.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Challenge } from './challenges.ts'

/** Loaded at first use: it is a tenth of all files that a start would read. */
const library = () => import('@simplewebauthn/server')

/** ES256, EdDSA and RS256: every key and every browser supports one of them. */
const ALGORITHMS = [-7, -8, -257]
/** A second factor proves possession. A fingerprint or PIN is welcome but not required: old keys have none. */
const USER_VERIFICATION = 'preferred'
export const TIMEOUT_MS = 300_000

type Parts = Pick<SsoParts, 'ssoUrl'>
type Key = {
  factor_id: string
  credential_id: string
  public_key: Buffer
  sign_count: number
  transports: string[] | null
}

/**
 * The argument of navigator.credentials.create(), as JSON. The response must sign `challenge`. With a challenge of the
 * caller's the key is to sign in alone: it must know its user and be found without a name.
 */
export async function creationOptions(
  sql: Lane,
  parts: Parts,
  { user_id, email, ...alone }: { user_id: string; email: string; challenge?: string },
) {
  const keys = await keysOf(sql, user_id)
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Lyceum',
    rpID: relyingParty(parts),
    userName: email,
    userID: Uint8Array.from(Buffer.from(user_id)),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: keys.map(descriptor),
    ...(alone.challenge !== undefined && {
      challenge: Uint8Array.from(Buffer.from(alone.challenge, 'base64url')),
    }),
    authenticatorSelection:
      alone.challenge === undefined
        ? { residentKey: 'preferred', userVerification: USER_VERIFICATION }
        : { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

export type NewKey = Omit<Key, 'factor_id'> & { is_user_verified: boolean }

type NewAnswer = {
  challenge: string | ((challenge: string) => boolean)
  credential: object
  /** The key is to sign in without a password, so that whoever made it must have proven themselves to the device. */
  alone?: boolean
}

/** The new key, if `credential` answers the challenge from a page of ours or of the site; otherwise undefined. */
export async function verifyNewKey(
  sql: Lane,
  parts: Parts,
  site_id: string | undefined,
  { challenge, credential, alone = false }: NewAnswer,
): Promise<NewKey | undefined> {
  const expectedOrigin = await originsOf(sql, parts, site_id)
  const { verifyRegistrationResponse } = await library()
  const result = await tryTo(() =>
    verifyRegistrationResponse({
      // The cast is safe: the library validates every member.
      response: credential as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID: relyingParty(parts),
      requireUserVerification: alone,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (!result?.verified) return undefined
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey),
    sign_count: counter,
    transports: transports.filter((word) => /^[a-z-]{1,20}$/.test(word)).slice(0, 10),
    is_user_verified: result.registrationInfo.userVerified,
  }
}

/** The argument of navigator.credentials.get(), as JSON. */
export async function requestOptions(sql: Lane, parts: Parts, user_id: string) {
  const keys = await keysOf(sql, user_id)
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: relyingParty(parts),
    allowCredentials: keys.map(descriptor),
    timeout: TIMEOUT_MS,
    userVerification: USER_VERIFICATION,
  })
}

/** True if one of the person's keys signed the challenge. Stores the new counter, which reveals a copied key. */
export async function verifyAssertion(
  tx: Tx,
  parts: Parts,
  { site_id }: { site_id: string },
  { user_id, webauthn_challenge }: Challenge,
  credential: object | undefined,
): Promise<boolean> {
  if (!credential || webauthn_challenge === null) return false
  const response = credential as AuthenticationResponseJSON
  const key = (await keysOf(tx, user_id)).find(({ credential_id }) => credential_id === response.id)
  if (!key) return false
  const counter = await verifySignature(parts, key, {
    response,
    expectedChallenge: webauthn_challenge,
    expectedOrigin: await originsOf(tx, parts, site_id),
    requireUserVerification: false,
  })
  if (counter === undefined) return false
  await tx`
    update sso.mfa_factors set sign_count = ${counter}, last_used_at = clock_timestamp()
     where factor_id = ${key.factor_id} and user_id = ${user_id}`
  return true
}

type Asserted = Omit<Parameters<typeof verifyAuthenticationResponse>[0], 'credential' | 'expectedRPID'>

/** The new counter of the key, if it gave this answer; otherwise undefined. */
export async function verifySignature(
  parts: Parts,
  key: Omit<Key, 'factor_id' | 'transports'>,
  asserted: Asserted,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse: verify } = await library()
  const result = await tryTo(() =>
    verify({
      ...asserted,
      expectedRPID: relyingParty(parts),
      credential: {
        id: key.credential_id,
        publicKey: Uint8Array.from(key.public_key),
        counter: key.sign_count,
      } satisfies WebAuthnCredential,
    }),
  )
  return result?.verified ? result.authenticationInfo.newCounter : undefined
}

/**
 * Where people use their keys. On a developer's machine that is `localhost`, because no key can belong to an IP address
 * (WebAuthn 5.1.3).
 */
export function ownUrl({ ssoUrl }: Parts): URL {
  const url = new URL(ssoUrl())
  if (/^[\d.]+$|^\[/.test(url.hostname) && isLoopbackName(url.hostname)) url.hostname = 'localhost'
  return url
}

/** Keys belong to the host of the sso, where the hosted sign-in asks for them. */
export const relyingParty = (parts: Parts) => ownUrl(parts).hostname

/** The origins of pages that may ask for a key: the hosted sign-in, and the site's own (from its callback URL). */
async function originsOf(sql: Lane, parts: Parts, site_id: string | undefined): Promise<string[]> {
  const [site] = await sql<{ callback_url: string | null }[]>`
    select callback_url from sso.sites where site_id = ${site_id ?? null}`
  const own = ownUrl(parts).origin
  return site?.callback_url ? [own, new URL(site.callback_url).origin] : [own]
}

async function keysOf(sql: Lane, user_id: string): Promise<Key[]> {
  return sql<Key[]>`
    select factor_id, credential_id, public_key, sign_count, transports from sso.mfa_factors
     where user_id = ${user_id} and type = 'webauthn' and activated_at is not null order by created_at, factor_id`
}

const descriptor = ({ credential_id, transports }: Key) => ({
  id: credential_id,
  ...(transports && { transports }),
})

/** The library throws on any mismatch. The reason is withheld from the client on purpose. */
async function tryTo<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify()
  } catch {
    return undefined
  }
}
