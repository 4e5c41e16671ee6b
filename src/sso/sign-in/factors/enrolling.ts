import type { Tx } from '#foundation/database/database.ts'
import type { Caller, Site } from '#foundation/security/session-gate.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { completeOrAsk, type ConsentAsked } from '../completing/ask-consent.ts'
import type { Purpose } from '../consent/purpose.ts'
import type { SignIn } from '../completing/complete.ts'
import { lockSelf } from '../../people/person/self.ts'
import { userColumns, type UserRow } from '../../people/person/users.ts'
import { AMR, challengeInvalid, type Challenge, consumeChallenge } from './challenges.ts'
import type { FactorType } from './factors.ts'

/**
 * Who sets up a factor: a signed-in caller, or a person who gave the right password at a site that requires a factor
 * (`token_hash` names the waiting sign-in).
 */
export type Enroller =
  | Caller
  | (Pick<Caller, 'user_id' | 'site_id' | 'site_code' | 'environment'> & { token_hash: Buffer })

/** Takes the lock under which a person's factors change. 401 if the session or the waiting sign-in has ended. */
export async function lockEnroller(
  tx: Tx,
  enroller: Enroller,
): Promise<{ email: string; email_verified: boolean }> {
  if ('session_id' in enroller) return lockSelf(tx, enroller)
  const { user_id, site_id, token_hash } = enroller
  const [owner] = await tx<{ email: string; email_verified: boolean }[]>`
    select email, email_verified from sso.users
     where user_id = ${user_id} and status = 'active' for no key update`
  const [waiting] = await tx`select from sso.mfa_challenges where ${isWaiting(tx, site_id, token_hash)}`
  if (!owner || !waiting) throw challengeInvalid()
  return owner
}

/** The person whose sign-in waits for a factor to be set up. 401 mfa_token_invalid. */
export async function findEnroller(
  { database: { fast } }: SsoParts,
  site: Site,
  token_hash: Buffer,
): Promise<Extract<Enroller, { token_hash: Buffer }> & { email_verified: boolean }> {
  const { site_id, site_code, environment } = site
  const [found] = await fast<{ user_id: string; email_verified: boolean }[]>`
    select user_id, u.email_verified from sso.mfa_challenges join sso.users u using (user_id)
     where ${isWaiting(fast, site_id, token_hash)} and u.status = 'active'`
  if (!found) throw challengeInvalid()
  return { ...found, site_id, site_code, environment, token_hash }
}

/**
 * Completes the waiting sign-in, in the transaction that activates the factor; its first right code proves it. 401
 * mfa_token_invalid if the sign-in has ended meanwhile.
 */
export async function finishEnrolment(
  tx: Tx,
  site: Site,
  { user_id, token_hash }: Extract<Enroller, { token_hash: Buffer }>,
  { type, purpose, from }: { type: FactorType; purpose: Purpose; from: Origin },
): Promise<SignIn | ConsentAsked> {
  const [user] = await tx<UserRow[]>`
    select ${userColumns(tx, site.tenant_id)} from sso.users u where u.user_id = ${user_id} and u.status = 'active'`
  const [waiting] = await tx<Challenge[]>`
    select auth_methods, login_id, device_name from sso.mfa_challenges
     where ${isWaiting(tx, site.site_id, token_hash)}`
  if (!user || !waiting || !(await consumeChallenge(tx, user_id, token_hash))) throw challengeInvalid()
  const { auth_methods, ...rest } = waiting
  const proven = [...auth_methods, AMR[type]]
  const proven_methods = proven.filter((method) => method !== 'sso')
  const opening = { ...rest, auth_methods: proven, proven_methods, from }
  const sign_in = await completeOrAsk(tx, site, user, opening, purpose)
  if (!sign_in) throw new Error('a second factor was proven and the session was not opened')
  return sign_in
}

const isWaiting = (sql: Tx | SsoParts['database']['fast'], site_id: string, token_hash: Buffer) => sql`
  token_hash = ${token_hash} and site_id = ${site_id} and methods = '{}' and consumed_at is null
  and expires_at > statement_timestamp()`
