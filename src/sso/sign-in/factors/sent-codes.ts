import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Tx } from '#foundation/database/database.ts'
import { conflict, tooMany } from '#foundation/errors.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Sender } from '../../people/letters/letters.ts'
import { queueMessage } from '../../core/messages/queue.ts'
import { templates } from '../../core/messages/templates.ts'
import type { SsoParts } from '../../core/parts.ts'
import { countSms } from './sms-limits.ts'

/** Methods whose codes are sent, to the address or the number that the factor was set up with. */
export const SENT_METHODS = ['email', 'sms'] as const
export type SentMethod = (typeof SENT_METHODS)[number]
export const isSentMethod = (method: string): method is SentMethod =>
  SENT_METHODS.some((sent) => sent === method)

/** Whether an SMS can leave. That of a sandbox never does: its ADMINs read it at GET /messages. */
const canSendSms = ({ config }: Pick<SsoParts, 'config'>, { environment }: Pick<Sender, 'environment'>) =>
  environment === 'sandbox' || config.SMS_URL !== undefined

/** What a page may offer to send of these methods. */
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
  /** The address was proven by a code before. */
  is_active: boolean
  site: Sender
  /** Ties the code to one sign-in or one enrolment: nowhere else is it worth anything. */
  purpose: string
}

const DIGITS = 6

/**
 * Queues a message with a new code and returns what to keep of it, in a transaction that holds the lock of the users row.
 * 429 for too many SMS.
 */
export async function sendCode(
  tx: Tx,
  { keys }: Pick<SsoParts, 'keys'>,
  { method, user_id, address, is_active, site, purpose }: Code,
): Promise<Buffer> {
  if (method === 'sms') await countSms(tx, keys, { user_id, phone: address, is_active })
  const { environment, site_id, site_code } = site
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
  const words = templates[method === 'sms' ? 'sms_code' : 'mfa_code']({ site_code, code })
  const sent = { channel: method, kind: 'mfa_code', recipient: address } as const
  await queueMessage(tx, { keys }, { environment, site_id, user_id, ...sent, ...words })
  return hmacOf(keys, purpose, code)
}

export const isSentCode = (keys: MasterKeys, purpose: string, kept: Buffer | null, code: string) =>
  kept !== null && timingSafeEqual(kept, hmacOf(keys, purpose, code))

/** A million codes are quickly tried out, hence a key that the database does not hold. */
const hmacOf = (keys: MasterKeys, purpose: string, code: string): Buffer =>
  createHmac('sha256', keys.derive('e-mail codes')).update(`${purpose}/${code}`).digest()

/** Enough to know one's own mailbox or phone: a***@example.org, +49***12. */
export const masked = (address: string) =>
  address.includes('@')
    ? `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`
    : `${address.slice(0, 3)}***${address.slice(-2)}`

export const tooSoon = (wait: number) =>
  tooMany('too_many_attempts', `A code was sent already, ask again in ${wait} s`, wait)
