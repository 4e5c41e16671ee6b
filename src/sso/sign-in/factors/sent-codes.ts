import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Sender } from '../../people/letters/letters.ts'
import { queueMessage } from '../../core/messages/queue.ts'
import { letterTo } from '../../core/messages/templates.ts'
import type { SsoParts } from '../../core/parts.ts'

/** Methods whose codes are sent to the address or number that the factor was set up with. */
export const SENT_METHODS = ['email', 'sms'] as const
export type SentMethod = (typeof SENT_METHODS)[number]
export const isSentMethod = (method: string): method is SentMethod =>
  SENT_METHODS.some((sent) => sent === method)

/** Whether an SMS can be sent. A sandbox sends none: its ADMINs read it at GET /messages. */
const canSendSms = ({ config }: Pick<SsoParts, 'config'>, { environment }: Pick<Sender, 'environment'>) =>
  environment === 'sandbox' || config.SMS_URL !== undefined

/** The methods, of those given, whose codes can be sent in this environment. */
export const sendable = (
  parts: Pick<SsoParts, 'config'>,
  site: Pick<Sender, 'environment'>,
  methods: readonly string[] = SENT_METHODS,
): SentMethod[] =>
  SENT_METHODS.filter((method) => methods.includes(method) && (method === 'email' || canSendSms(parts, site)))

/** 409 sms_unavailable. */
export function requireSendable(
  parts: Pick<SsoParts, 'config'>,
  site: Pick<Sender, 'environment'>,
  method: SentMethod,
) {
  if (!sendable(parts, site).includes(method))
    throw conflict('sms_unavailable', 'Codes by SMS cannot be sent here')
}

type Code = {
  method: SentMethod
  user_id: string
  /** An e-mail address, or a number in E.164. */
  address: string
  /** True if a code proved the address before. */
  is_active: boolean
  site: Sender
  /** Binds the code to one sign-in or one enrolment, so that it is valid nowhere else. */
  purpose: string
}

const DIGITS = 6

/**
 * Queues a message with a new code and returns the HMAC to store. Needs a transaction that holds the lock on the users
 * row. 429 for too many codes.
 */
export async function sendCode(
  tx: Tx,
  { keys }: Pick<SsoParts, 'keys'>,
  { method, user_id, address, is_active, site, purpose }: Code,
): Promise<Buffer> {
  const { environment, site_id, site_code } = site
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
  const words = await letterTo(tx, user_id, method === 'sms' ? 'sms_code' : 'mfa_code', { site_code, code })
  const sent = { channel: method, kind: 'mfa_code', recipient: address, is_active } as const
  await queueMessage(tx, { keys }, { environment, site_id, user_id, ...sent, ...words })
  return hmacOf(keys, purpose, code)
}

export const isSentCode = (keys: MasterKeys, purpose: string, kept: Buffer | null, code: string) =>
  kept !== null && timingSafeEqual(kept, hmacOf(keys, purpose, code))

/** Six digits are quick to try out, so the HMAC uses a key that the database does not hold. */
const hmacOf = (keys: MasterKeys, purpose: string, code: string): Buffer =>
  createHmac('sha256', keys.derive('e-mail codes')).update(`${purpose}/${code}`).digest()

/** Enough for a person to recognise their own mailbox or phone: a***@example.org, +49***12. */
export const masked = (address: string) =>
  address.includes('@')
    ? `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`
    : `${address.slice(0, 3)}***${address.slice(-2)}`
