import { createHmac } from 'node:crypto'
import { one, type Tx } from '#foundation/database/database.ts'
import { tooMany } from '#foundation/errors.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import { foldEmail } from '#foundation/text.ts'
import type { Message, MessageKind } from './queue.ts'

/** ISO 8601; without it the message leaves at once. */
type Turn = { run_at?: string }

/**
 * When this message may leave; undefined for a mail over the daily bound. Counted by an HMAC of the
 * recipient in sso.sms_sent, which an erasure leaves alone: otherwise making and erasing people would lift the limit.
 * 429 for too many codes.
 */
export async function takeTurn(tx: Tx, keys: MasterKeys, message: Message): Promise<Turn | undefined> {
  if (message.channel === 'sms') return countSms(tx, keys, message)
  // A sandbox sends nothing.
  return message.environment === 'sandbox' ? {} : turnOfMail(tx, keys, message)
}

/** Mails a day to one address: of one kind to its owner, of all kinds together where nobody has proven it. */
export const MOST_MAILS = { proven: 20, unproven: 10 }
/** Kinds that a busy owner gets more of, and that only proven addresses get. */
const MORE: Partial<Record<MessageKind, number>> = { mfa_code: 50, learning_letter: 50 }

/**
 * One a minute; what comes sooner leaves a minute after the one before. The kinds of one owner do not wait for each
 * other, or a stranger could hold back a warning with mails that anybody may ask for.
 */
async function turnOfMail(tx: Tx, keys: MasterKeys, message: Message): Promise<Turn | undefined> {
  const { user_id, kind, recipient } = message
  const fold = foldEmail(recipient)
  const isOwners = kind in MORE || (await isProven(tx, user_id, fold))
  const most = isOwners ? (MORE[kind] ?? MOST_MAILS.proven) : MOST_MAILS.unproven
  const counted = hmacOf(keys, isOwners ? `mail/${kind}/${fold}` : `mail/${fold}`)
  const [turn] = await tx<{ run_at: string }[]>`
    insert into sso.sms_sent as s (counted_hmac, sent_at) values (${counted}, array[clock_timestamp()])
    on conflict (counted_hmac) do update
       set sent_at = (greatest(clock_timestamp(), s.sent_at[1] + interval '1 minute') || s.sent_at)[1:${most}]
     where s.sent_at[${most}] is null or s.sent_at[${most}] <= clock_timestamp() - interval '1 day'
    returning sent_at[1] as run_at`
  if (!turn && kind === 'mfa_code') throw tooSoon(DAY)
  return turn
}

async function isProven(tx: Tx, user_id: string, fold: string): Promise<boolean> {
  const [owner] = await tx`
    select from sso.users where user_id = ${user_id} and email_fold = ${fold} and email_proven_at is not null`
  return owner !== undefined
}

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

/** On 429 the transaction rolls the count back. */
async function countSms(
  tx: Tx,
  keys: MasterKeys,
  { user_id, recipient, is_active = false }: Message,
): Promise<Turn> {
  const waits = [await count(tx, keys, `person/${user_id}`, OF_PERSON)]
  if (!is_active) waits.push(await count(tx, keys, `number/${recipient}`, OF_NEW_NUMBER))
  const wait = Math.max(...waits)
  if (wait > 0) throw tooMany('too_many_attempts', `Too many SMS were sent, ask again in ${wait} s`, wait)
  return {}
}

/**
 * Seconds until the limits allow another SMS; 0 if they allow it now. The row lock makes parallel counts of the same
 * key wait.
 */
async function count(tx: Tx, keys: MasterKeys, counted: string, limits: Limit[]): Promise<number> {
  const rows = await tx<{ wait: number }[]>`
    insert into sso.sms_sent as s (counted_hmac, sent_at) values (${hmacOf(keys, counted)}, array[clock_timestamp()])
    on conflict (counted_hmac) do update set sent_at = (clock_timestamp() || s.sent_at)[1:${LONGEST + 1}]
    returning (
      select coalesce(ceil(greatest(max(l.seconds - extract(epoch from s.sent_at[1] - s.sent_at[l.most + 1])), 0)), 0)::int
        from unnest(${limits.map(({ most }) => most)}::int[], ${limits.map(({ seconds }) => seconds)}::int[])
               as l (most, seconds)) as wait`
  return one(rows).wait
}

const hmacOf = (keys: MasterKeys, counted: string) =>
  createHmac('sha256', keys.derive('sent SMS')).update(counted).digest()
