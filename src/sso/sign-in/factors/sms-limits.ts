import { createHmac } from 'node:crypto'
import { one, type Tx } from '#foundation/database/database.ts'
import { tooMany } from '#foundation/errors.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'

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
export async function countSms(tx: Tx, keys: MasterKeys, { user_id, phone, is_active }: Sms): Promise<void> {
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
