import { createHmac } from 'node:crypto'
import { one, type Tx } from '#foundation/database/database.ts'
import { unavailable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import { foldEmail } from '#foundation/text.ts'

/** US cents (API document, part 8): 0.05 per new registration, capped at 499 per month and site. */
export const CENTS_PER_REGISTRATION = 5
export const CENTS_PER_MONTH = 49_900

export type Registration = { user_id: string; site_id: string; email: string }

/**
 * Bills a new registration at a production site: the last statement of the account's transaction, since all
 * registrations of a site wait for its order of the month. Not billed: sandbox, imports, further memberships, an
 * account twice, an address billed for this site this month and deleted since. 503 if the month closed meanwhile.
 */
export async function billRegistration(
  tx: Tx,
  { keys }: { keys: MasterKeys },
  { user_id, site_id, email }: Registration,
): Promise<void> {
  const digest = digestOf(keys, email)
  // If the person billed under this address still has an account, they use another address now, so this registration is
  // someone else.
  await tx`
    update sso.billing_ledger l set email_hmac = null from sso.users u
     where l.site_id = ${site_id} and l.month = date_trunc('month', statement_timestamp(), 'UTC')
       and l.email_hmac = ${digest} and u.user_id = l.user_id and u.status <> 'deleted'`
  const rows = await tx<{ billed: number; counted: number }[]>`
    with billed as (
      insert into sso.billing_ledger (user_id, site_id, month, email_hmac)
      select ${user_id}, site_id, date_trunc('month', clock_timestamp(), 'UTC'), ${digest}
        from sso.sites where site_id = ${site_id} and environment = 'production'
          on conflict do nothing
      returning site_id, month),
    counted as (
      insert into sso.orders (order_id, site_id, kind, amount, period_start, period_end, registrations)
      select ${newId()}, site_id, 'registration_usage', ${CENTS_PER_REGISTRATION}, month, month + interval '1 month', 1
        from billed
          on conflict (site_id, period_start) where kind = 'registration_usage'
          do update set registrations = orders.registrations + 1,
                        amount = least(${CENTS_PER_REGISTRATION} * (orders.registrations + 1), ${CENTS_PER_MONTH})
              where orders.closed_at is null
      returning order_id)
    select (select count(*) from billed) as billed, (select count(*) from counted) as counted`
  const { billed, counted } = one(rows)
  if (billed !== counted) throw unavailable('busy', 'The month of this registration is closed')
}

/** Keyed with a key that is not in the database, so that reading the ledger reveals no addresses. */
const digestOf = (keys: MasterKeys, email: string) =>
  createHmac('sha256', keys.derive('billed address')).update(foldEmail(email)).digest()
