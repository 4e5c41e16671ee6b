import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Lane, Tx } from '#foundation/database/database.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { SsoParts } from '../../core/parts.ts'
import { ownUrl, relyingParty, TIMEOUT_MS, verifySignature } from './webauthn.ts'

/**
 * What a passkey that knows its user proves, in the values of RFC 8176: possession of the key (`hwk`), that the person
 * was there (`user`), and by both more than one factor (`mfa`).
 */
export const PASSKEY_METHODS = ['hwk', 'user', 'mfa']

/** The argument of navigator.credentials.get() for whoever comes, as JSON: the browser knows its passkeys for us. */
export const optionsForAnybody = (parts: Pick<SsoParts, 'ssoUrl'>, challenge: string) => ({
  challenge,
  rpId: relyingParty(parts),
  timeout: TIMEOUT_MS,
  userVerification: 'required',
  allowCredentials: [],
})

export type Passkey = {
  factor_id: string
  user_id: string
  status: 'active' | 'suspended'
  credential_id: string
  public_key: Buffer
  sign_count: number
}

/** The passkey of this name and its owner. A person of the sandbox is unknown in production, and the other way round. */
export async function findPasskey(
  sql: Lane,
  environment: 'sandbox' | 'production',
  credential_id: string,
): Promise<Passkey | undefined> {
  const [found] = await sql<Passkey[]>`
    select f.factor_id, f.user_id, u.status, f.credential_id, f.public_key, f.sign_count
      from sso.mfa_factors f join sso.users u using (user_id)
     where f.credential_id = ${credential_id} and f.type = 'webauthn' and f.activated_at is not null
       and u.environment = ${environment} and u.status <> 'deleted'`
  return found
}

/** What was answered, and by when the challenge in it ends. */
export type Answered = { credential: object; endOfChallenge: (challenge: string) => Date | undefined }
/** A right answer: the challenge it spends, and the new counter of the key. */
export type Assertion = { challenge: string; ends: Date; counter: number }

/**
 * The answer, if the passkey signed a challenge of ours on a page of ours and knows its user (WebAuthn 7.2); otherwise
 * undefined.
 */
export async function verifyPasskey(
  parts: Pick<SsoParts, 'ssoUrl'>,
  key: Passkey,
  { credential, endOfChallenge }: Answered,
): Promise<Assertion | undefined> {
  const response = credential as AuthenticationResponseJSON
  let spent: Omit<Assertion, 'counter'> | undefined
  const counter = await verifySignature(parts, key, {
    response,
    expectedChallenge(challenge) {
      const ends = endOfChallenge(challenge)
      spent = ends && { challenge, ends }
      return ends !== undefined
    },
    expectedOrigin: ownUrl(parts).origin,
    requireUserVerification: true,
  })
  if (counter === undefined || !spent) return undefined
  const { userHandle = '' } = response.response
  return Buffer.from(userHandle, 'base64url').toString() === key.user_id ? { ...spent, counter } : undefined
}

/**
 * Spends the challenge and moves the counter, in a transaction that holds the lock on the users row. False if the
 * challenge was answered before, the key is gone, or its counter decreased, which reveals a copy. Some authenticators
 * never count: theirs stays 0.
 */
export async function spendAssertion(
  tx: Tx,
  { factor_id, user_id }: Passkey,
  { challenge, ends, counter }: Assertion,
): Promise<boolean> {
  const [first] = await tx`
    insert into sso.spent_challenges (challenge_hash, expires_at) values (${sha256(challenge)}, ${ends})
    on conflict do nothing returning challenge_hash`
  if (!first) return false
  const [used] = await tx`
    update sso.mfa_factors
       set sign_count = ${counter}, last_used_at = clock_timestamp(), is_user_verified = true
     where factor_id = ${factor_id} and user_id = ${user_id} and activated_at is not null
       and (sign_count < ${counter} or (sign_count = 0 and ${counter} = 0))
    returning factor_id`
  return used !== undefined
}
