import type { Tx } from '#foundation/database/database.ts'
import { PROFILE_FIELDS, profileColumns } from '../../core/profile.ts'
import { isEmailVerified } from './email-claims.ts'
import { recordFacts } from '../../events/facts/facts.ts'
import { type ToldProfile, userUpdated } from '../../events/facts/telling.ts'

/** What a partner is told of, in the words of `User`; the rest of an account is between the person and one site. */
const TOLD = new Set<string>(['email', 'email_verified', ...PROFILE_FIELDS])

type Changed = Omit<ToldProfile, 'email_verified'> & {
  environment: 'sandbox' | 'production'
  sites: { site_id: string; email_verified: boolean }[]
}

/** user.updated to every site of the person, in the transaction that changed these fields; none are no work. */
export async function tellProfileChanged(tx: Tx, user_id: string, fields: readonly string[]): Promise<void> {
  const changed_fields = fields.filter((field) => TOLD.has(field))
  if (changed_fields.length === 0) return
  const [changed] = await tx<Changed[]>`
    select u.user_id, u.email, ${profileColumns(tx, 'u')}, u.version, u.environment,
           (select coalesce(json_agg(json_build_object('site_id', m.site_id, 'email_verified',
                                                       ${isEmailVerified(tx, tx`i.tenant_id`)}) order by m.site_id), '[]')
              from sso.memberships m join sso.sites i using (site_id) where m.user_id = u.user_id) as sites
      from sso.users u where u.user_id = ${user_id} and u.status <> 'deleted'`
  if (!changed) return
  const { environment, sites, ...profile } = changed
  // What one tenant claims of an address is told to the sites of that tenant only.
  const groups = Map.groupBy(sites, ({ email_verified }) => email_verified)
  await recordFacts(
    tx,
    [...groups].map(([email_verified, members]) =>
      userUpdated(
        environment,
        members.map(({ site_id }) => site_id),
        { ...profile, email_verified },
        changed_fields,
      ),
    ),
  )
}
