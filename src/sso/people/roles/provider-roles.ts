import type { Tx } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin } from '../../core/parts.ts'
import { endSessions } from '../sessions/sessions.ts'
import { recordFact } from '../../events/facts/facts.ts'
import { roleAssigned } from '../../events/facts/telling.ts'
import { refuseLastAdmin } from './last-admin.ts'

type Right = { role: string; is_admin: boolean; permissions: string[] }
type Held = { before: Right | undefined; next: Right }

/** The person's current role at the site and the one they should have; a deleted role counts as the default one. */
export async function compareRoles(
  tx: Tx,
  { site_id }: Pick<Site, 'site_id'>,
  user_id: string | undefined,
  wanted: string | null,
): Promise<Held> {
  const rows = await tx<(Right & { is_held: boolean; is_next: boolean })[]>`
    select r.role, r.is_admin, r.permissions,
           exists (select from sso.memberships m
                    where m.user_id = ${user_id ?? null} and m.site_id = r.site_id and m.role = r.role) as is_held,
           row_number() over (order by (r.role = ${wanted}) is true desc, r.is_default desc, r.role) = 1 as is_next
      from sso.roles r where r.site_id = ${site_id}`
  const next = rows.find(({ is_next }) => is_next)
  if (!next) throw new Error('the site has no roles')
  return { before: rows.find(({ is_held }) => is_held), next }
}

/**
 * Assigns the role the identity provider names. The transaction must hold the person, and the site if the role changes.
 * A site's last ADMIN stays ADMIN, so that a wrong group cannot lock everybody out.
 */
export async function giveRole(
  tx: Tx,
  site: Site,
  user_id: string,
  wanted: string | null,
  from: Origin,
): Promise<void> {
  const { before, next } = await compareRoles(tx, site, user_id, wanted)
  const { site_id, environment } = site
  if (before?.role === next.role) return
  if (before?.is_admin && !next.is_admin && (await isLastAdmin(tx, user_id, site_id))) return
  const [member] = await tx<{ assigned_at: string }[]>`
    insert into sso.memberships as m (user_id, site_id, role) values (${user_id}, ${site_id}, ${next.role})
    on conflict (user_id, site_id) do update
       set role = excluded.role, assigned_by = null, assigned_at = clock_timestamp()
    returning assigned_at`
  if (!member) throw new Error('a membership that is written whatever happens was not')
  if (
    before &&
    !next.is_admin &&
    !before.permissions.every((permission) => next.permissions.includes(permission))
  )
    await endSessions(tx, {
      user_id,
      scope: 'none',
      reason: 'role_changed',
      always_bump: true,
      caller: { user_id: null, site_id },
      from,
    })
  // Every account gets the default role, so only a role from the provider counts as role.assigned.
  if (!before && wanted === null) return
  const { role, permissions } = next
  const { assigned_at } = member
  const details = { role, ...(before && { before: before.role }) }
  await recordAct(
    tx,
    { action: 'role.assigned', environment, site_id, actor_user_id: null, subject_user_id: user_id, details },
    from,
  )
  await recordFact(tx, roleAssigned(site, { user_id, role, permissions, assigned_by: null, assigned_at }))
}

async function isLastAdmin(tx: Tx, user_id: string, site_id: string): Promise<boolean> {
  try {
    await refuseLastAdmin(tx, { user_id, locked: [site_id], site_ids: [site_id] })
    return false
  } catch (error) {
    if (error instanceof ApiError && error.code === 'last_admin') return true
    throw error
  }
}
