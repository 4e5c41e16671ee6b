import { type Static, Type } from 'typebox'
import type { Database, Lane, Tx } from '#foundation/database/database.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { suspended } from '../../people/sessions/open-session.ts'
import { refused } from '../../people/sessions/answer.ts'
import { ENROL_SECONDS } from '../../core/tokens/lifetimes.ts'

export const METHODS = ['totp', 'webauthn', 'email', 'sms', 'recovery_code'] as const
export type Method = (typeof METHODS)[number]

/** `amr` values (from RFC 8176 where it defines one). */
export const AMR: Record<Method, string> = {
  totp: 'otp',
  webauthn: 'hwk',
  email: 'email',
  sms: 'sms',
  recovery_code: 'recovery',
}

/** Seconds. */
export const CHALLENGE_LIFE = 300
const MAX_ATTEMPTS = 5

/** A sign-in that waits for the second factor. It holds no access token and no name. */
export type SecondFactorAsked = Static<typeof SecondFactorAsked>
export const SecondFactorAsked = Type.Object({
  mfa_required: Type.Literal(true),
  mfa_token: Type.String(),
  mfa_expires_in: Type.Integer(),
  mfa_methods: Type.Array(OneOf([...METHODS])),
})

/** A site that asks for a sign-in. With `session_id`, a session that asks its person to reauthenticate. */
export type Asker = Pick<Site, 'site_id' | 'site_code' | 'tenant_id' | 'environment'> & {
  session_id?: string
}

export type Challenge = {
  user_id: string
  methods: Method[]
  /** What the sign-in has proven so far; becomes the `auth_methods` of its session. */
  auth_methods: string[]
  login_id: string
  device_name: string | null
  webauthn_challenge: string | null
  email_code_hmac: Buffer | null
  sms_code_hmac: Buffer | null
}

/** The second factors that the person can use, in the order of METHODS; empty without an active factor. */
export async function methodsOf(sql: Lane, user_id: string): Promise<Method[]> {
  const rows = await sql<{ method: Method }[]>`
    select distinct type as method from sso.mfa_factors where user_id = ${user_id} and activated_at is not null
    union all
    select 'recovery_code' where exists (
      select from sso.recovery_codes where user_id = ${user_id} and used_at is null)`
  const found = new Set(rows.map(({ method }) => method))
  // Recovery codes cannot be created without a factor. Without one they would protect nothing.
  return found.size === 1 && found.has('recovery_code') ? [] : METHODS.filter((method) => found.has(method))
}

type NewChallenge = Pick<Challenge, 'user_id' | 'methods' | 'auth_methods' | 'login_id' | 'device_name'>

/**
 * Stores the sign-in as a challenge of this person and site, under the lock on the users row. Without methods it waits
 * for the factor to be set up (sign-in/hosted/visit-enrol.ts), and only our own pages get its token. The first
 * membership of a site is created when the sign-in succeeds. 401 account_suspended for a suspended membership.
 */
export async function openChallenge(
  tx: Tx,
  { site_id, session_id }: Asker,
  sign_in: NewChallenge,
): Promise<SecondFactorAsked> {
  const { user_id, methods, auth_methods, login_id, device_name } = sign_in
  const mfa_token = randomToken('mfat_')
  const seconds = methods.length === 0 ? ENROL_SECONDS : CHALLENGE_LIFE
  const [opened] = await tx`
    insert into sso.mfa_challenges (token_hash, user_id, site_id, session_id, methods, login_id, auth_methods, device_name,
                                    expires_at)
    select ${sha256(mfa_token)}, ${user_id}, ${site_id}, ${session_id ?? null}, ${methods}, ${login_id}, ${auth_methods}, ${device_name},
           clock_timestamp() + make_interval(secs => ${seconds})
     where not exists (select from sso.memberships
                        where user_id = ${user_id} and site_id = ${site_id} and suspended_at is not null)
    returning token_hash`
  if (!opened) throw suspended()
  return { mfa_required: true, mfa_token, mfa_expires_in: seconds, mfa_methods: methods }
}

/** The user_id of an open challenge. Undefined if it belongs to another site or session, or is over. */
export async function findChallenger(
  { fast }: Database,
  { site_id, session_id }: Asker,
  token_hash: Buffer,
): Promise<string | undefined> {
  const [challenge] = await fast<{ user_id: string }[]>`
    select user_id from sso.mfa_challenges
     where token_hash = ${token_hash} and site_id = ${site_id} and session_id is not distinct from ${session_id ?? null}
       and consumed_at is null and attempts < ${MAX_ATTEMPTS} and expires_at > statement_timestamp()`
  return challenge?.user_id
}

/**
 * Counts a guess, in a commit of its own so that each of several parallel guesses counts. Undefined as in
 * findChallenger.
 */
export async function countAttempt(
  { pool }: Database,
  { site_id, session_id }: Asker,
  token_hash: Buffer,
): Promise<Challenge | undefined> {
  const [challenge] = await pool<Challenge[]>`
    update sso.mfa_challenges set attempts = attempts + 1
     where token_hash = ${token_hash} and site_id = ${site_id} and session_id is not distinct from ${session_id ?? null}
       and consumed_at is null and attempts < ${MAX_ATTEMPTS} and expires_at > clock_timestamp()
    returning user_id, methods, auth_methods, login_id, device_name, webauthn_challenge, email_code_hmac, sms_code_hmac`
  return challenge
}

/** The only place where a challenge succeeds. False if it succeeded already or was deleted meanwhile. */
export async function consumeChallenge(tx: Tx, user_id: string, token_hash: Buffer): Promise<boolean> {
  const [consumed] = await tx`
    update sso.mfa_challenges set consumed_at = clock_timestamp()
     where token_hash = ${token_hash} and user_id = ${user_id} and consumed_at is null
    returning user_id`
  return consumed !== undefined
}

/** The same 401 for a token that is unknown, expired, spent, guessed at too often, or of another site or environment. */
export const challengeInvalid = () =>
  refused('mfa_token_invalid', 'The mfa_token is not valid any more; sign in again')
