import { type Static, Type } from 'typebox'
import { clock } from '#foundation/clock.ts'
import { one, type Tx, violates } from '#foundation/database/database.ts'
import { type ApiError, conflict, missingField, notFound, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { addToProof } from '../../people/sessions/proof.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'
import { profileFaults, refuseFaults } from '../../people/person/fields.ts'
import { AMR } from './challenges.ts'
import { type Begin, beginSent, existsAlready, purposeOf, verifyPhone } from './enrol-sent.ts'
import { type Enroller, lockEnroller } from './enrolling.ts'
import { ENROLMENT_LIFE, type Factor, FACTOR_TYPES, type FactorType } from './factors.ts'
import { openSeed, sealSeed } from './proofs.ts'
import { isSentCode, isSentMethod } from './sent-codes.ts'
import { bareCode, newSeed, seedForApp, stepOf } from './totp.ts'
import { creationOptions, verifyNewKey } from './webauthn.ts'

export type EnrolBody = Static<typeof EnrolBody>
export const EnrolBody = Type.Object({
  type: OneOf([...FACTOR_TYPES]),
  /** For `sms`: a number in E.164; defaults to the number of the account. */
  phone: Type.Optional(Type.String()),
  name: Type.Optional(Type.String({ maxLength: 100 })),
  password: Type.Optional(Type.String()),
})

export type Enrolment = Static<typeof Enrolment>
export const Enrolment = Type.Object({
  factor_id: Uuid,
  type: OneOf([...FACTOR_TYPES]),
  name: Nullable(Type.String()),
  expires_in: Type.Integer(),
  /** For `totp`, shown only here: the secret in base32, and the same as the text of a QR code. */
  secret: Type.Optional(Type.String()),
  otpauth_uri: Type.Optional(Type.String()),
  /** For `webauthn`: PublicKeyCredentialCreationOptionsJSON, the argument of navigator.credentials.create(). */
  public_key: Type.Optional(Type.Unsafe<object>({ type: 'object', additionalProperties: true })),
  /** For `email` and `sms`: the address or number the code was sent to. */
  sent_to: Type.Optional(Type.String()),
})

export type ActivateBody = Static<typeof ActivateBody>
export const ActivateBody = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 100 })),
  /** For `webauthn`, instead of a code: the result of navigator.credentials.create(), as JSON. */
  credential: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
})

const MAX_FACTORS = 10
const MAX_ATTEMPTS = 5

/**
 * Starts an enrolment; the factor is inactive until it is activated. It replaces an earlier enrolment of the same type.
 * 409 email_not_verified, sms_unavailable, factor_exists (a second address or number), factor_limit; 422 invalid_phone,
 * phone_required; 429 for a second mail within a minute and for too many SMS.
 */
export async function enrolFactor(
  parts: SsoParts,
  caller: Enroller,
  { type, phone, ...body }: EnrolBody,
): Promise<Enrolment> {
  refuseFaults(profileFaults({ phone }))
  const { user_id } = caller
  const factor_id = newId()
  const name = body.name ?? null
  const shown = await parts.database.transaction(async (tx) => {
    const owner = await lockEnroller(tx, caller)
    await tx`
      delete from sso.mfa_factors
       where user_id = ${user_id} and activated_at is null
         and (type = ${type} or created_at <= clock_timestamp() - make_interval(secs => ${ENROLMENT_LIFE}))`
    const kept = await tx<{ total: number }[]>`
      select count(*) as total from sso.mfa_factors where user_id = ${user_id}`
    if (one(kept).total >= MAX_FACTORS)
      throw conflict('factor_limit', `One person may have at most ${MAX_FACTORS} factors`)
    const begun = await begin(tx, parts, caller, { factor_id, type, ...owner, phone })
    const { secret_enc = null, enrol_challenge = null, enrol_code_hmac = null, ...sent } = begun.kept
    await tx`
      insert into sso.mfa_factors (factor_id, user_id, type, name, secret_enc, email, phone, enrol_challenge, enrol_code_hmac)
      values (${factor_id}, ${user_id}, ${type}, ${name}, ${secret_enc}, ${sent.email ?? null}, ${sent.phone ?? null},
              ${enrol_challenge}, ${enrol_code_hmac})`
    return begun.shown
  })
  return { factor_id, type, name, expires_in: ENROLMENT_LIFE, ...shown }
}

type Begun = {
  kept: {
    secret_enc?: Buffer
    enrol_challenge?: string
    enrol_code_hmac?: Buffer
    email?: string
    phone?: string
  }
  shown: Pick<Enrolment, 'secret' | 'otpauth_uri' | 'public_key' | 'sent_to'>
}

async function begin(tx: Tx, parts: SsoParts, caller: Enroller, factor: Begin): Promise<Begun> {
  const { factor_id, type, email } = factor
  if (type === 'totp') {
    const seed = newSeed()
    return { kept: { secret_enc: sealSeed(parts.keys, factor_id, seed) }, shown: seedForApp(seed, email) }
  }
  if (type === 'webauthn') {
    const public_key = await creationOptions(tx, parts, { user_id: caller.user_id, email })
    return { kept: { enrol_challenge: public_key.challenge }, shown: { public_key } }
  }
  return beginSent(tx, parts, caller, { ...factor, type })
}

type Pending = {
  type: FactorType
  secret_enc: Buffer | null
  enrol_challenge: string | null
  enrol_code_hmac: Buffer | null
}

/**
 * Activates the factor by its first right code, which also counts as a proof for this session. The first factor ends
 * all other sessions, which only the password proved. 404 for a factor that is not the caller's, too old, or guessed at
 * five times; 409 factor_active; 422 mfa_code_invalid.
 */
export const activateFactor = (parts: SsoParts, caller: Caller, activated: Activated): Promise<Factor> =>
  activateAndThen(parts, caller, activated, async (_, factor) => factor)

type Activated = ActivateBody & { factor_id: string; from: Origin }

/** As activateFactor; runs `then` in the same transaction. */
export async function activateAndThen<T>(
  parts: SsoParts,
  caller: Enroller,
  { factor_id, from, ...body }: Activated,
  then: (tx: Tx, factor: Factor) => Promise<T>,
): Promise<T> {
  const { database } = parts
  const { user_id } = caller
  // Its own commit, so that each of several parallel guesses counts.
  const [pending] = await database.pool<Pending[]>`
    update sso.mfa_factors set enrol_attempts = enrol_attempts + 1
     where factor_id = ${factor_id} and user_id = ${user_id} and activated_at is null
       and enrol_attempts < ${MAX_ATTEMPTS}
       and created_at > clock_timestamp() - make_interval(secs => ${ENROLMENT_LIFE})
    returning type, secret_enc, enrol_challenge, enrol_code_hmac`
  if (!pending) throw await whyNot(parts, caller, factor_id)
  const first = await firstUse(parts, caller, { factor_id, ...pending }, body)
  try {
    return await database.transaction(async (tx) => {
      const { email } = await lockEnroller(tx, caller)
      const [other] = await tx`
        select from sso.mfa_factors where user_id = ${user_id} and activated_at is not null limit 1`
      const [factor] = await tx<Factor[]>`
        update sso.mfa_factors
           set activated_at = clock_timestamp(), enrol_challenge = null, enrol_code_hmac = null,
               last_used_step = ${first.step ?? null}, credential_id = ${first.key?.credential_id ?? null},
               public_key = ${first.key?.public_key ?? null}, sign_count = ${first.key?.sign_count ?? null},
               transports = ${first.key?.transports ?? null},
               is_user_verified = ${first.key?.is_user_verified ?? false}
         where factor_id = ${factor_id} and user_id = ${user_id} and activated_at is null
        returning factor_id, type, name, created_at, activated_at, last_used_at`
      if (!factor) throw factorActive()
      if (factor.type === 'sms') await verifyPhone(tx, user_id, factor_id)
      // The first code is also a proof for the caller's session. A waiting sign-in has no session yet.
      const isSignedIn = 'session_id' in caller
      if (isSignedIn) await addToProof(tx, caller, AMR[factor.type])
      if (!other)
        await endSessions(tx, {
          user_id,
          scope: isSignedIn ? { except_session_id: caller.session_id } : 'everywhere',
          reason: 'factor_added',
          caller,
          from,
        })
      const details = { factor_id, type: factor.type }
      await recordAct(tx, { action: 'mfa.factor_added', ...byOneself(caller, user_id), details }, from)
      await queueNotice(tx, parts, 'factor_added_notice', { user: { user_id, email }, site: caller })
      const result = await then(tx, factor)
      await deleteChallenges(tx, user_id)
      return result
    })
  } catch (error) {
    if (violates(error, 'mfa_factors_one_email')) throw existsAlready('email')
    if (violates(error, 'mfa_factors_one_sms')) throw existsAlready('sms')
    if (violates(error, 'mfa_factors_by_credential'))
      throw conflict('factor_exists', 'This key is in use already')
    throw error
  }
}

/** Verifies the first code or key. Returns the TOTP step, to be spent like any other, or the key to store. */
async function firstUse(
  { keys, database, ssoUrl }: SsoParts,
  { site_id }: Enroller,
  { factor_id, type, secret_enc, enrol_challenge, enrol_code_hmac }: Pending & { factor_id: string },
  { code: typed, credential }: ActivateBody,
) {
  if (type === 'webauthn') {
    if (!credential) throw missingField('credential')
    const key =
      enrol_challenge !== null &&
      (await verifyNewKey(database.pool, { ssoUrl }, site_id, { challenge: enrol_challenge, credential }))
    if (!key) throw unprocessable('credential', 'credential_invalid', 'is not the answer to this enrolment')
    return { key }
  }
  if (typed === undefined) throw missingField('code')
  const code = bareCode(typed)
  if (type === 'totp' && secret_enc) {
    const step = stepOf(openSeed(keys, factor_id, secret_enc), code, clock.now())
    if (step !== undefined) return { step }
  }
  if (isSentMethod(type) && isSentCode(keys, purposeOf(factor_id), enrol_code_hmac, code)) return {}
  throw unprocessable('code', 'mfa_code_invalid', 'is wrong')
}

async function whyNot({ database }: SsoParts, { user_id }: Enroller, factor_id: string): Promise<ApiError> {
  const [active] = await database.fast`
    select from sso.mfa_factors
     where factor_id = ${factor_id} and user_id = ${user_id} and activated_at is not null`
  return active ? factorActive() : notFound()
}

const factorActive = () => conflict('factor_active', 'The factor is active already')
