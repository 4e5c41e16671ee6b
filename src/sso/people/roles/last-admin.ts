import type { Tx } from '#foundation/database/database.ts'
import { conflict, unavailable } from '#foundation/errors.ts'

/**
 * Locks the sites a person is ADMIN of, in ascending order and before any users row. Every removal of an ADMIN takes
 * this lock, so ADMINs who remove each other concurrently leave one.
 */
export async function lockSitesOf(tx: Tx, user_id: string): Promise<string[]> {
  const sites = await tx<{ site_id: string }[]>`
    select i.site_id from sso.sites i
     where i.deleted_at is null
       and i.site_id in (select m.site_id from sso.memberships m join sso.roles r using (site_id, role)
                          where m.user_id = ${user_id} and r.is_admin)
     order by i.site_id for no key update of i`
  return sites.map(({ site_id }) => site_id)
}

type Loss = {
  user_id: string
  locked: string[]
  /** The sites that lose them; all of theirs if absent. */ site_ids?: string[]
}

/**
 * 409 last_admin if one of the sites would lose its last active ADMIN. Call it with the sites and the person locked.
 * 503 for a person who became ADMIN of another site between the two locks.
 */
export async function refuseLastAdmin(tx: Tx, { user_id, locked, site_ids }: Loss): Promise<void> {
  const sites = await tx<{ site_id: string; has_other: boolean }[]>`
    select m.site_id, exists (
             select from sso.memberships o
               join sso.roles r on r.site_id = o.site_id and r.role = o.role
               join sso.users u on u.user_id = o.user_id
              where o.site_id = m.site_id and o.user_id <> m.user_id and o.suspended_at is null and r.is_admin
                and u.status = 'active') as has_other
      from sso.memberships m
      join sso.roles r using (site_id, role) join sso.sites i using (site_id) join sso.users u using (user_id)
     where m.user_id = ${user_id} and m.suspended_at is null and r.is_admin and i.deleted_at is null
       and u.status = 'active' and (${site_ids === undefined} or m.site_id = any(${site_ids ?? []}::uuid[]))
     order by m.site_id`
  if (sites.some(({ site_id }) => !locked.includes(site_id)))
    throw unavailable('busy', 'The roles of this person are being changed')
  if (sites.some(({ has_other }) => !has_other))
    throw conflict('last_admin', 'This is the last active ADMIN of a site: make somebody else ADMIN first')
}
