import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { one, type Tx } from '#foundation/database/database.ts'
import { conflict, tooMany } from '#foundation/errors.ts'
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
 * row. 429 for too many SMS.
 */
export async function sendCode(
  tx: Tx,
  { keys }: Pick<SsoParts, 'keys'>,
  { method, user_id, address, is_active, site, purpose }: Code,
): Promise<Buffer> {
  if (method === 'sms') await countSms(tx, keys, { user_id, phone: address, is_active })
  const { environment, site_id, site_code } = site
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
  const words = await letterTo(tx, user_id, method === 'sms' ? 'sms_code' : 'mfa_code', { site_code, code })
  const sent = { channel: method, kind: 'mfa_code', recipient: address } as const
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

export const tooSoon = (wait: number) =>
  tooMany('too_many_attempts', `A code was sent already, ask again in ${wait} s`, wait)

/**
 * At most so many SMS within so many seconds. Each SMS costs money, and some numbers pay whoever makes us send there.
 */
type Limit = { most: number; seconds: number }
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]
const OF_PERSON: Limit[] = [
  { most: 1, seconds: MINUTE },
  { most: 5, seconds: HOUR },
  { most: 10, seconds: DAY },
]
/** Shared by all people who try to set up the same number. */
const OF_NEW_NUMBER: Limit[] = [{ most: 3, seconds: DAY }]
const LONGEST = 10

type Sms = { user_id: string; phone: string; is_active: boolean }

/** Counts an SMS that is about to be queued. On 429 the transaction rolls the count back. */
async function countSms(tx: Tx, keys: MasterKeys, { user_id, phone, is_active }: Sms): Promise<void> {
  const waits = [await count(tx, keys, `person/${user_id}`, OF_PERSON)]
  if (!is_active) waits.push(await count(tx, keys, `number/${phone}`, OF_NEW_NUMBER))
  const wait = Math.max(...waits)
  if (wait > 0) throw tooMany('too_many_attempts', `Too many SMS were sent, ask again in ${wait} s`, wait)
}

/**
 * Seconds until the limits allow another SMS; 0 if they allow it now. The row lock makes parallel counts of the same
 * key wait.
 */
async function count(tx: Tx, keys: MasterKeys, counted: string, limits: Limit[]): Promise<number> {
  const counted_hmac = createHmac('sha256', keys.derive('sent SMS')).update(counted).digest()
  const rows = await tx<{ wait: number }[]>`
    insert into sso.sms_sent as s (counted_hmac, sent_at) values (${counted_hmac}, array[clock_timestamp()])
    on conflict (counted_hmac) do update set sent_at = (clock_timestamp() || s.sent_at)[1:${LONGEST + 1}]
    returning (
      select coalesce(ceil(greatest(max(l.seconds - extract(epoch from s.sent_at[1] - s.sent_at[l.most + 1])), 0)), 0)::int
        from unnest(${limits.map(({ most }) => most)}::int[], ${limits.map(({ seconds }) => seconds)}::int[])
               as l (most, seconds)) as wait`
  return one(rows).wait
}
