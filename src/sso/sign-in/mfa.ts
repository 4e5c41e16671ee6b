import { type Static, Type } from 'typebox'
import type { Tx } from '#foundation/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { OneOf } from '#foundation/schemas.ts'
import { sha256 } from '#foundation/secrets.ts'
import type { Site } from '#foundation/session-gate.ts'
import { recordAct } from '../audit.ts'
import {
  type Challenge,
  challengeInvalid,
  consumeChallenge,
  countAttempt,
  findChallenger,
  type Method,
  METHODS,
} from '../mfa/challenges.ts'
import { completeOrAsk, type ConsentAsked } from '../consent/complete.ts'
import type { Purpose } from '../consent/purpose.ts'
import { type Proof, spendProof } from '../mfa/proofs.ts'
import { isSixDigits } from '../mfa/totp.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { userColumns, type UserRow } from '../users/users.ts'
import { refused } from './answer.ts'
import type { SignIn } from './complete.ts'

export type SecondFactorBody = Static<typeof SecondFactorBody>
export const SecondFactorBody = Type.Object({
  mfa_token: Type.String(),
  code: Type.Optional(Type.String({ maxLength: 100 })),
  method: Type.Optional(OneOf([...METHODS])),
  /** Instead of a code, for `webauthn`: what navigator.credentials.get() gave, as JSON. */
  credential: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
})

const CODE_INVALID = 'mfa_code_invalid'

/** `amr` (RFC 8176 where it has a word). */
export const AMR: Record<Method, string> = {
  totp: 'otp',
  webauthn: 'hwk',
  email: 'email',
  recovery_code: 'recovery',
}

/**
 * Completes a sign-in that was asked for a second factor. The first right code opens the session, any other of the same
 * moment finds nothing. 401 mfa_token_invalid, 401 mfa_code_invalid, 429 after ten wrong codes on the account.
 */
export async function verifySecondFactor(
  parts: SsoParts,
  site: Site,
  { mfa_token, ...presented }: SecondFactorBody,
  from: Origin,
): Promise<SignIn> {
  const verified = await verifyOnPage(parts, site, { mfa_token, ...presented }, from, undefined)
  if ('consent_token' in verified) throw new Error('a server that has the password was asked for consent')
  return verified
}

/** The same on our own pages, which ask for consent before a partner's site hears anything. */
export async function verifyOnPage(
  parts: SsoParts,
  site: Site,
  { mfa_token, ...presented }: SecondFactorBody,
  from: Origin,
  purpose: Purpose | undefined,
): Promise<SignIn | ConsentAsked> {
  const { code = '', credential } = presented
  if (presented.code === undefined && credential === undefined)
    throw new ApiError(400, 'missing_field', 'code: is required', {
      errors: [{ field: 'code', code: 'required', message: 'is required' }],
    })
  const { database, throttle } = parts
  const token_hash = sha256(mfa_token)
  const user_id = await findChallenger(database, site, token_hash)
  if (user_id === undefined) throw challengeInvalid()
  const sign_in = await throttle.guard({ kind: 'mfa', user_id }, async () => {
    const challenge = await countAttempt(database, site, token_hash)
    if (!challenge) return undefined
    const method = presented.method ?? methodFor(challenge, code, credential)
    const proof = { token_hash, method, code, credential }
    try {
      return await database.transaction((tx) => spend(tx, parts, { site, purpose, from }, challenge, proof))
    } catch (error) {
      if (error instanceof ApiError && error.code === CODE_INVALID)
        await noteFailure(parts, site, { user_id, method }, from)
      throw error
    }
  })
  // Not a guess: the sign-in was over before the code was looked at.
  if (!sign_in) throw challengeInvalid()
  return sign_in
}

/** The method nobody named: six digits are a code of the app or the mail, anything else is a recovery code. */
function methodFor({ methods }: Challenge, code: string, credential: object | undefined): Method {
  if (credential) return 'webauthn'
  if (!isSixDigits(code)) return 'recovery_code'
  return methods.includes('totp') || !methods.includes('email') ? 'totp' : 'email'
}

/**
 * V2, in the transaction of the session: the person locked and active, the challenge consumed, the proof spent. A wrong
 * one takes everything back, so that the next guess finds the challenge open. Undefined: it was over already.
 */
async function spend(
  tx: Tx,
  parts: SsoParts,
  { site, purpose, from }: { site: Site; purpose: Purpose | undefined; from: Origin },
  challenge: Challenge,
  proof: Proof,
): Promise<SignIn | ConsentAsked | undefined> {
  const { user_id, auth_methods, device_name, login_id } = challenge
  const [user] = await tx<UserRow[]>`
    select ${userColumns(tx, site.tenant_id)} from sso.users u
     where u.user_id = ${user_id} and u.status = 'active' for no key update of u`
  if (!user || !(await consumeChallenge(tx, user_id, proof.token_hash))) return undefined
  if (!(await spendProof(tx, parts, site, challenge, proof))) throw refused(CODE_INVALID, 'The code is wrong')
  const proven = [...auth_methods, AMR[proof.method]]
  const opening = { auth_methods: proven, device_name, login_id, from }
  const sign_in = await completeOrAsk(tx, site, user, opening, purpose)
  if (!sign_in) throw new Error('a second factor was proven and the session was not opened')
  return sign_in
}

async function noteFailure(
  { database }: SsoParts,
  { environment, site_id }: Site,
  { user_id, method }: { user_id: string; method: Method },
  from: Origin,
) {
  await recordAct(
    database.pool,
    {
      action: 'login.second_factor_failed',
      environment,
      site_id,
      actor_user_id: null,
      subject_user_id: user_id,
      details: { method },
    },
    from,
  )
}
