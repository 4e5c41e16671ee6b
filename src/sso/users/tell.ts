import type { Tx } from '#foundation/database.ts'
import { recordFact } from '../webhooks/facts.ts'
import { type ToldProfile, userUpdated } from '../webhooks/telling.ts'

/** What a partner is told of, in the words of `User`; the rest of an account is between the person and one site. */
const TOLD = new Set([
  'email', 'email_verified', 'phone', 'username', 'display_name', 'given_name', 'family_name', 'locale', 'time_zone',
  'avatar_url',
]) // prettier-ignore

type Changed = ToldProfile & { environment: 'sandbox' | 'production'; site_ids: string[] }

/** user.updated to every site of the person, in the transaction that changed these fields; none are no work. */
export async function tellProfileChanged(tx: Tx, user_id: string, fields: readonly string[]): Promise<void> {
  const changed_fields = fields.filter((field) => TOLD.has(field))
  if (changed_fields.length === 0) return
  const [changed] = await tx<Changed[]>`
    select u.user_id, u.email, u.email_verified, u.phone, u.username, u.display_name, u.given_name, u.family_name,
           u.locale, u.time_zone, u.avatar_url, u.version, u.environment,
           array(select m.site_id from sso.memberships m where m.user_id = u.user_id order by m.site_id) as site_ids
      from sso.users u where u.user_id = ${user_id} and u.status <> 'deleted'`
  if (!changed) return
  const { environment, site_ids, ...profile } = changed
  await recordFact(tx, userUpdated(environment, site_ids, profile, changed_fields))
}
