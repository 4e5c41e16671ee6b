import type { Tx } from '#foundation/database/database.ts'
import { conflict, unprocessable } from '#foundation/errors.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import { tooSoon } from '../../core/messages/turns.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Enroller } from './enrolling.ts'
import type { FactorType } from './factors.ts'
import { requireSendable, sendCode, type SentMethod } from './sent-codes.ts'

export type Begin = {
  factor_id: string
  type: FactorType
  email: string
  email_verified: boolean
  /** The number from the request; without it the number of the account is used. */
  phone: string | undefined
}

/** Sends the code that proves the mailbox or the number, under the lock of lockEnroller. Errors as in enrolFactor. */
export async function beginSent(
  tx: Tx,
  parts: SsoParts,
  caller: Enroller,
  { factor_id, type, email, email_verified, phone }: Begin & { type: SentMethod },
) {
  const { user_id } = caller
  requireSendable(parts, caller, type)
  if (type === 'email' && !email_verified)
    throw conflict('email_not_verified', 'The e-mail address has to be verified first')
  const [known] = await tx`
    select from sso.mfa_factors where user_id = ${user_id} and type = ${type} and activated_at is not null`
  if (known) throw existsAlready(type)
  if (type === 'email' && (await wasWrittenToLately(tx, user_id, 'mfa_code'))) throw tooSoon(60)
  const address = type === 'email' ? email : (phone ?? (await phoneOf(tx, user_id)))
  const code = { method: type, user_id, address, is_active: false, site: caller }
  const enrol_code_hmac = await sendCode(tx, parts, { ...code, purpose: purposeOf(factor_id) })
  const kept = type === 'email' ? { email } : { phone: address }
  return { kept: { enrol_code_hmac, ...kept }, shown: { sent_to: address } }
}

async function phoneOf(tx: Tx, user_id: string): Promise<string> {
  const [owner] = await tx<{ phone: string | null }[]>`select phone from sso.users where user_id = ${user_id}`
  if (!owner?.phone)
    throw unprocessable('phone', 'phone_required', 'is required, since the account has no number')
  return owner.phone
}

/** Marks the account's number as verified if the factor, just proven, uses the same number. */
export async function verifyPhone(tx: Tx, user_id: string, factor_id: string): Promise<void> {
  await tx`
    update sso.users u set phone_verified = true, version = u.version + 1, updated_at = clock_timestamp()
      from sso.mfa_factors f
     where f.factor_id = ${factor_id} and f.user_id = u.user_id and u.user_id = ${user_id} and u.phone = f.phone
       and not u.phone_verified`
}

export const purposeOf = (factor_id: string) => `enrolment/${factor_id}`
export const existsAlready = (method: SentMethod) =>
  conflict('factor_exists', `Codes by ${method === 'sms' ? 'SMS' : 'e-mail'} are in use already`)
