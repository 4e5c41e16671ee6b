import type { Tx } from '#foundation/database/database.ts'
import { giveRole } from '../../people/roles/provider-roles.ts'
import { refuseLastAdmin } from '../../people/roles/last-admin.ts'
import { lockUser } from '../../people/person/users.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import type { ByDirectory } from './hold.ts'

/**
 * Suspends or restores the membership of the site; suspending ends the person's sessions there at once. Who is not a
 * member any more becomes one again, with `role` or the default one. The transaction holds the site. 409 last_admin. Returns whether anything changed.
 */
export async function setActive(
  tx: Tx,
  { directory: { site }, from }: ByDirectory,
  user_id: string,
  active: boolean,
  role: string | null = null,
): Promise<boolean> {
  const { site_id } = site
  await lockUser(tx, user_id)
  const [member] = await tx<{ is_suspended: boolean }[]>`
    select suspended_at is not null as is_suspended from sso.memberships
     where user_id = ${user_id} and site_id = ${site_id}`
  if (member ? member.is_suspended !== active : !active) return false
  if (!member) {
    await giveRole(tx, site, user_id, role, from)
    return true
  }
  if (!active) await refuseLastAdmin(tx, { user_id, locked: [site_id], site_ids: [site_id] })
  await tx`
    update sso.memberships set suspended_at = case when ${!active}::boolean then clock_timestamp() end
     where user_id = ${user_id} and site_id = ${site_id}`
  if (active) return true
  await tx`delete from sso.mfa_challenges where user_id = ${user_id} and site_id = ${site_id}`
  await tx`delete from sso.proven_sign_ins where user_id = ${user_id} and site_id = ${site_id}`
  await endSessions(tx, {
    user_id,
    scope: { site_ids: [site_id] },
    reason: 'member_removed',
    always_bump: true,
    caller: { user_id: null, site_id },
    from,
  })
  return true
}
