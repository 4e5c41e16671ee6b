import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
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
/** A second factor proves possession. A fingerprint or PIN is welcome but not required. */
const USER_VERIFICATION = 'discouraged'
const TIMEOUT_MS = 300_000

type Parts = Pick<SsoParts, 'ssoUrl'>
type Key = {
  factor_id: string
  credential_id: string
  public_key: Buffer
  sign_count: number
  transports: string[] | null
}

/** The argument of navigator.credentials.create(), as JSON. The response must sign `challenge`. */
export async function creationOptions(
  sql: Lane,
  parts: Parts,
  { user_id, email }: { user_id: string; email: string },
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
    authenticatorSelection: { residentKey: 'discouraged', userVerification: USER_VERIFICATION },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

export type NewKey = Omit<Key, 'factor_id'>

/** The new key, if `credential` answers the challenge from a page of ours or of the site; otherwise undefined. */
export async function verifyNewKey(
  sql: Lane,
  parts: Parts,
  site_id: string,
  { challenge, credential }: { challenge: string; credential: object },
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
      requireUserVerification: false,
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
  const expectedOrigin = await originsOf(tx, parts, site_id)
  const { verifyAuthenticationResponse } = await library()
  const result = await tryTo(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: webauthn_challenge,
      expectedOrigin,
      expectedRPID: relyingParty(parts),
      requireUserVerification: false,
      credential: {
        id: key.credential_id,
        publicKey: Uint8Array.from(key.public_key),
        counter: key.sign_count,
      } satisfies WebAuthnCredential,
    }),
  )
  if (!result?.verified) return false
  await tx`
    update sso.mfa_factors
       set sign_count = ${result.authenticationInfo.newCounter}, last_used_at = clock_timestamp()
     where factor_id = ${key.factor_id} and user_id = ${user_id}`
  return true
}

/**
 * Where people use their keys. On a developer's machine that is `localhost`, because no key can belong to an IP address
 * (WebAuthn 5.1.3).
 */
function ownUrl({ ssoUrl }: Parts): URL {
  const url = new URL(ssoUrl())
  if (/^[\d.]+$|^\[/.test(url.hostname) && isLoopbackName(url.hostname)) url.hostname = 'localhost'
  return url
}

/** Keys belong to the host of the sso, where the hosted sign-in asks for them. */
const relyingParty = (parts: Parts) => ownUrl(parts).hostname

/** The origins of pages that may ask for a key: the hosted sign-in, and the site's own (from its callback URL). */
async function originsOf(sql: Lane, parts: Parts, site_id: string): Promise<string[]> {
  const [site] = await sql<{ callback_url: string | null }[]>`
    select callback_url from sso.sites where site_id = ${site_id}`
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
