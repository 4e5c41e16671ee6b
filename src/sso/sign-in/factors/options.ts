import { type Static, Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import { tooSoon } from '../../core/messages/turns.ts'
import type { SsoParts } from '../../core/parts.ts'
import { lockUser } from '../../people/person/users.ts'
import { type Asker, challengeInvalid, findChallenger } from './challenges.ts'
import { codePurpose } from './proofs.ts'
import { masked, requireSendable, SENT_METHODS, sendCode, type SentMethod } from './sent-codes.ts'
import { requestOptions } from './webauthn.ts'

export type OptionsBody = Static<typeof OptionsBody>
export const OptionsBody = Type.Object({
  mfa_token: Type.String(),
  method: OneOf(['webauthn', ...SENT_METHODS]),
})

export type Options = Static<typeof Options>
export const Options = Type.Object({
  method: OneOf(['webauthn', ...SENT_METHODS]),
  /** For `webauthn`: PublicKeyCredentialRequestOptionsJSON, the argument of navigator.credentials.get(). */
  public_key: Type.Optional(Type.Unsafe<object>({ type: 'object', additionalProperties: true })),
  /**
   * For `email` and `sms`: the masked address the code was sent to, and the seconds until another code may be asked
   * for.
   */
  sent_to: Type.Optional(Type.String()),
  resend_after: Type.Optional(Type.Integer()),
})

const RESEND_SECONDS = 60

/**
 * Prepares a method: sends a code, or returns the challenge that the person's key must sign. 401 mfa_token_invalid; 409
 * mfa_method_unavailable if the account lacks the method, sms_unavailable; 429 for a second code within a minute and
 * for too many SMS.
 */
export async function prepareSecondFactor(
  parts: SsoParts,
  site: Asker,
  { mfa_token, method }: OptionsBody,
): Promise<Options> {
  const token_hash = sha256(mfa_token)
  const user_id = await findChallenger(parts.database, site, token_hash)
  if (user_id === undefined) throw challengeInvalid()
  return method === 'webauthn'
    ? askForKey(parts, token_hash, user_id)
    : sendOne(parts, site, method, { token_hash, user_id })
}

async function askForKey(parts: SsoParts, token_hash: Buffer, user_id: string): Promise<Options> {
  const public_key = await requestOptions(parts.database.pool, parts, user_id)
  if (!public_key.allowCredentials?.length) throw unavailableMethod()
  const [asked] = await parts.database.pool`
    update sso.mfa_challenges set webauthn_challenge = ${public_key.challenge}
     where token_hash = ${token_hash} and user_id = ${user_id} and consumed_at is null
    returning user_id`
  if (!asked) throw challengeInvalid()
  return { method: 'webauthn', public_key }
}

async function sendOne(
  parts: SsoParts,
  site: Asker,
  method: SentMethod,
  { token_hash, user_id }: { token_hash: Buffer; user_id: string },
): Promise<Options> {
  const address = await parts.database.transaction(async (tx) => {
    await lockUser(tx, user_id)
    const [factor] = await tx<{ address: string }[]>`
      select coalesce(phone, email) as address from sso.mfa_factors
       where user_id = ${user_id} and type = ${method} and activated_at is not null`
    if (!factor) throw unavailableMethod()
    requireSendable(parts, site, method)
    const [challenge] = await tx<{ wait: number }[]>`
      select coalesce(ceil(extract(epoch from email_sent_at - clock_timestamp()) + ${RESEND_SECONDS}), 0)::int as wait
        from sso.mfa_challenges where token_hash = ${token_hash} and user_id = ${user_id} and consumed_at is null`
    if (!challenge) throw challengeInvalid()
    if (method === 'email' && challenge.wait > 0) throw tooSoon(challenge.wait)
    const { address } = factor
    const purpose = codePurpose(token_hash)
    const code_hmac = await sendCode(tx, parts, { method, user_id, address, is_active: true, site, purpose })
    const kept =
      method === 'sms'
        ? tx`sms_code_hmac = ${code_hmac}`
        : tx`email_code_hmac = ${code_hmac}, email_sent_at = clock_timestamp()`
    await tx`
      update sso.mfa_challenges set ${kept} where token_hash = ${token_hash} and user_id = ${user_id}`
    return address
  })
  return { method, sent_to: masked(address), resend_after: RESEND_SECONDS }
}

const unavailableMethod = () =>
  new ApiError(409, 'mfa_method_unavailable', 'This account does not have that second factor')
