import { type Static, Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { ApiError, missingField } from '#foundation/errors.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { byNobody, recordAct } from '../../core/audit/audit.ts'
import {
  AMR,
  type Asker,
  type Challenge,
  challengeInvalid,
  consumeChallenge,
  countAttempt,
  findChallenger,
  type Method,
  METHODS,
} from '../factors/challenges.ts'
import { completeOrAsk, type ConsentAsked } from '../completing/ask-consent.ts'
import type { Purpose } from '../consent/purpose.ts'
import { queueNotice, type Sender } from '../../people/letters/letters.ts'
import { type Proof, spendProof } from '../factors/proofs.ts'
import { isSentMethod } from '../factors/sent-codes.ts'
import { bareCode, isSixDigits } from '../factors/totp.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockActiveUser, lockUser, type UserRow } from '../../people/person/users.ts'
import { refused } from '../../people/sessions/answer.ts'
import type { SignIn } from '../completing/complete.ts'
import { tellNewDevice } from '../completing/new-device.ts'

export type SecondFactorBody = Static<typeof SecondFactorBody>
export const SecondFactorBody = Type.Object({
  mfa_token: Type.String(),
  code: Type.Optional(Type.String({ maxLength: 100 })),
  method: Type.Optional(OneOf([...METHODS])),
  /** For `webauthn`, instead of a code: the result of navigator.credentials.get(), as JSON. */
  credential: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
})

export const CODE_INVALID = 'mfa_code_invalid'

/**
 * Completes a sign-in that waits for a second factor. The first right code opens the session; a parallel one gets 401.
 * 401 mfa_token_invalid, 401 mfa_code_invalid, 429 after ten wrong codes on the account.
 */
export async function verifySecondFactor(
  parts: SsoParts,
  site: Site,
  body: SecondFactorBody,
  from: Origin,
): Promise<SignIn> {
  const verified = await verifyOnPage(parts, site, body, { from, purpose: undefined })
  if ('consent_token' in verified) throw new Error('a server that has the password was asked for consent')
  return verified
}

/** As verifySecondFactor, for our own pages, which ask for consent before a partner's site learns anything. */
export async function verifyOnPage(
  parts: SsoParts,
  site: Site,
  body: SecondFactorBody,
  { from, purpose }: { from: Origin; purpose: Purpose | undefined },
): Promise<SignIn | ConsentAsked> {
  return answerChallenge(parts, site, { ...body, from }, async (tx, user, proven, challenge) => {
    const { device_name, login_id } = challenge
    // A proof at an identity provider was not given to this session.
    const proven_methods = proven.filter((method) => method !== 'sso')
    const opening = { auth_methods: proven, proven_methods, device_name, login_id, from }
    const sign_in = await completeOrAsk(tx, site, user, opening, purpose)
    if (!sign_in) throw new Error('a second factor was proven and the session was not opened')
    return 'session' in sign_in ? tellNewDevice(tx, parts, site, sign_in) : sign_in
  })
}

/** Runs after a right answer, in the transaction that spends it. Undefined if it is too late. */
type Follow<T> = (tx: Tx, user: UserRow, proven: string[], challenge: Challenge) => Promise<T | undefined>

/** Spends an open challenge with a right proof, then runs `follow`. Errors as in verifySecondFactor. */
export async function answerChallenge<T>(
  parts: SsoParts,
  site: Asker,
  { mfa_token, from, ...presented }: SecondFactorBody & { from: Origin },
  follow: Follow<T>,
): Promise<T> {
  const { credential } = presented
  const code = bareCode(presented.code ?? '')
  if (presented.code === undefined && credential === undefined) throw missingField('code')
  const { database, throttle } = parts
  const token_hash = sha256(mfa_token)
  const user_id = await findChallenger(database, site, token_hash)
  if (user_id === undefined) throw challengeInvalid()
  const done = await throttle.guard({ kind: 'mfa', user_id }, async () => {
    const challenge = await countAttempt(database, site, token_hash)
    if (!challenge) return undefined
    const method = presented.method ?? methodFor(challenge, code, credential)
    const proof = { token_hash, method, code, credential }
    try {
      return await database.transaction(async (tx) => {
        const user = await spend(tx, parts, site, { challenge, proof })
        return user && follow(tx, user, [...challenge.auth_methods, AMR[method]], challenge)
      })
    } catch (error) {
      if (error instanceof ApiError && error.code === CODE_INVALID)
        await noteFailure(parts, site, { user_id, method }, from)
      throw error
    }
  })
  // The challenge was over before the code was checked, so this is not counted as a guess.
  if (!done) throw challengeInvalid()
  return done
}

/**
 * The method if the client names none: six digits are a code of the app, mail or SMS; anything else is a recovery code.
 */
function methodFor(
  { methods, email_code_hmac, sms_code_hmac }: Challenge,
  code: string,
  credential: object | undefined,
): Method {
  if (credential) return 'webauthn'
  if (!isSixDigits(code)) return 'recovery_code'
  if (methods.includes('totp') || !methods.some(isSentMethod)) return 'totp'
  const isFromSms = sms_code_hmac !== null && email_code_hmac === null
  return methods.includes('email') && !isFromSms ? 'email' : 'sms'
}

/**
 * Locks the active person, consumes the challenge and spends the proof, in the transaction of `follow`. A wrong proof
 * rolls everything back, so that the next guess finds the challenge open. Undefined if the challenge is over.
 */
async function spend(
  tx: Tx,
  parts: SsoParts,
  site: Asker,
  { challenge, proof }: { challenge: Challenge; proof: Proof },
): Promise<UserRow | undefined> {
  const { user_id } = challenge
  const user = await lockActiveUser(tx, site, user_id)
  if (!user || !(await consumeChallenge(tx, user_id, proof.token_hash))) return undefined
  if (!(await spendProof(tx, parts, site, challenge, proof))) throw refused(CODE_INVALID, 'The code is wrong')
  return user
}

const [FAILURES, FAILURE_MINUTES] = [3, 15]

/** The third wrong code within 15 minutes mails the person: somebody else may have their password. */
export async function noteFailure(
  parts: SsoParts,
  site: Sender,
  { user_id, method }: { user_id: string; method: Method },
  from: Origin,
) {
  const action = 'login.second_factor_failed'
  await parts.database.transaction(async (tx) => {
    await lockUser(tx, user_id)
    await recordAct(tx, { action, ...byNobody(site, user_id), details: { method } }, from)
    const [user] = await tx<{ email: string; failures: number }[]>`
      select u.email,
             (select count(*)::int from sso.audit_log a
               where a.subject_user_id = u.user_id and a.action = ${action}
                 and a.occurred_at > statement_timestamp() - make_interval(mins => ${FAILURE_MINUTES})) as failures
        from sso.users u
       where u.user_id = ${user_id} and u.status = 'active'
         and not exists (select from sso.messages m
                          where m.user_id = u.user_id and m.kind = 'second_factor_failed_notice'
                            and m.created_at > clock_timestamp() - make_interval(mins => ${FAILURE_MINUTES}))`
    if (user && user.failures >= FAILURES)
      await queueNotice(tx, parts, 'second_factor_failed_notice', {
        user: { user_id, email: user.email },
        site,
      })
  })
}
