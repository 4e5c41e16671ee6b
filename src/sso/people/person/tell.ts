import type { Tx } from '#foundation/database/database.ts'
import { PROFILE_FIELDS, profileColumns } from '../../core/profile.ts'
import { isEmailVerified } from './email-claims.ts'
import { recordFacts } from '../../events/facts/facts.ts'
import { type ToldProfile, userUpdated } from '../../events/facts/telling.ts'

/** The fields of `User` that partners are told about. Other account data concerns the person and one site only. */
const TOLD = new Set<string>(['email', 'email_verified', ...PROFILE_FIELDS])

type Changed = Omit<ToldProfile, 'email_verified'> & {
  environment: 'sandbox' | 'production'
  sites: { site_id: string; email_verified: boolean }[]
}

/**
 * Records user.updated for every site of the person, in the transaction that changed these fields. No-op for no fields.
 */
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
  // A tenant's claim about an address is told only to that tenant's sites.
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
