import { type Static, Type } from 'typebox'
import { one, type Tx } from '#foundation/database/database.ts'
import { conflict, forbidden, notFound } from '#foundation/errors.ts'
import { Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isCleanText } from '#foundation/text.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { endSessions } from '../sessions/sessions.ts'
import { lockSite } from '../../core/access/managed-site.ts'
import {
  type Acting,
  lockPerson,
  requireOwnSite,
  type SeenSite,
  sitesOfAdmin,
} from '../../core/access/access.ts'
import { unknownRole } from './roles.ts'
import { recordFact } from '../../events/facts/facts.ts'
import { roleAssigned } from '../../events/facts/telling.ts'
import { refuseLastAdmin } from './last-admin.ts'

export type RoleBody = Static<typeof RoleBody>
export const RoleBody = Type.Object({
  role: Type.String({ minLength: 1, maxLength: 64 }),
  site_code: Type.Optional(Type.String()),
})

export type Assignment = Static<typeof Assignment>
export const Assignment = Type.Object({
  user_id: Uuid,
  site_code: Type.String(),
  role: Type.String(),
  assigned_by: Uuid,
  assigned_at: Time,
})

/**
 * Replaces a person's role at a site of the caller; a person the caller knows from another site becomes a member. 403
 * not ADMIN, environment_forbidden; 404 unknown site or person; 409 role_already_assigned, last_admin; 422 unknown
 * role.
 */
export async function assignRole(
  parts: SsoParts,
  caller: Caller,
  user_id: string,
  { role, site_code }: RoleBody,
  from: Origin,
): Promise<Assignment> {
  const site = await requireOwnSite(parts.database.fast, caller, site_code)
  return await parts.database.transaction(async (tx) => {
    await lockSite(tx, caller, site.site_id)
    const { person } = await lockPerson(tx, caller, user_id)
    // A production person may administer a sandbox site, but not the reverse.
    if (person.environment === 'sandbox' && site.environment === 'production')
      throw forbidden('environment_forbidden', 'A sandbox account cannot have a role on a production site')
    const before = await findRoleOf(tx, site, user_id)
    const next = await findRole(tx, site, role)
    if (!next) throw unknownRole()
    if (before?.role === role) throw conflict('role_already_assigned', 'The person has this role already')
    return await replaceRole(tx, { site, user_id, caller, from }, before, next)
  })
}

/**
 * Removes a role: the person returns to the site's default role. 403 not ADMIN; 404 unknown site or person, or a role
 * they do not have; 409 last_admin, default_role.
 */
export async function removeRole(
  parts: SsoParts,
  caller: Caller,
  { user_id, role, site_code }: { user_id: string; role: string; site_code: string | undefined },
  from: Origin,
): Promise<void> {
  const site = await requireOwnSite(parts.database.fast, caller, site_code)
  if (!isCleanText(role)) throw notFound()
  await parts.database.transaction(async (tx) => {
    await lockSite(tx, caller, site.site_id)
    await lockPerson(tx, caller, user_id)
    const before = await findRoleOf(tx, site, user_id)
    if (before?.role !== role) throw notFound()
    const next = one(await rolesOf(tx, site, tx`r.is_default`))
    if (before.role === next.role)
      throw conflict('default_role', 'This is the role every member has: remove the membership instead')
    await replaceRole(tx, { site, user_id, caller, from }, before, next)
  })
}

export type Rights = { role: string; is_admin: boolean; permissions: string[] }
type Change = {
  site: Pick<SeenSite, 'site_id' | 'site_code' | 'environment'>
  user_id: string
  caller: Acting
  /** Undefined for work done in a background job. */
  from: Origin | undefined
}

const rolesOf = (tx: Tx, { site_id }: SeenSite, isAsked: ReturnType<Tx>) => tx<Rights[]>`
  select r.role, r.is_admin, r.permissions from sso.roles r where r.site_id = ${site_id} and ${isAsked}`

async function findRole(tx: Tx, site: SeenSite, role: string): Promise<Rights | undefined> {
  const [found] = await rolesOf(tx, site, tx`r.role = ${role}`)
  return found
}

async function findRoleOf(tx: Tx, site: SeenSite, user_id: string): Promise<Rights | undefined> {
  const { site_id } = site
  const [found] = await rolesOf(
    tx,
    site,
    tx`r.role = (select role from sso.memberships where user_id = ${user_id} and site_id = ${site_id})`,
  )
  return found
}

/** The transaction must hold the locks of the site and the person. */
export async function replaceRole(
  tx: Tx,
  { site, user_id, caller, from }: Change,
  before: Rights | undefined,
  next: Rights,
): Promise<Assignment> {
  const { site_id, site_code, environment } = site
  if (before?.is_admin && !next.is_admin)
    await refuseLastAdmin(tx, { user_id, locked: [site_id], site_ids: [site_id] })
  const [member] = await tx<{ assigned_at: string }[]>`
    insert into sso.memberships as m (user_id, site_id, role, assigned_by)
    select ${user_id}, own.site_id, ${next.role}, ${caller.user_id} from (${sitesOfAdmin(tx, caller)}) as own
     where own.site_id = ${site_id}
    on conflict (user_id, site_id) do update
       set role = excluded.role, assigned_by = excluded.assigned_by, assigned_at = clock_timestamp()
    returning assigned_at`
  // The caller lost ADMIN since the earlier check.
  if (!member) throw forbidden('admin_required', 'This needs the role ADMIN on the site')
  if (before && losesRights(before, next))
    await endSessions(tx, { user_id, scope: 'none', reason: 'role_changed', always_bump: true, caller, from })
  await recordAct(
    tx,
    {
      action: 'role.assigned',
      environment,
      site_id,
      actor_user_id: caller.user_id,
      subject_user_id: user_id,
      details: { role: next.role, ...(before && { before: before.role }) },
    },
    from,
  )
  const { assigned_at } = member
  const { role, permissions } = next
  await recordFact(
    tx,
    roleAssigned(site, { user_id, role, permissions, assigned_by: caller.user_id, assigned_at }),
  )
  return { user_id, site_code, role: next.role, assigned_by: caller.user_id, assigned_at }
}

/**
 * Access tokens with more rights than the holder now has must be revoked; tokens of a person who gains rights stay
 * valid.
 */
const losesRights = (before: Rights, next: Rights) =>
  !next.is_admin &&
  (before.is_admin || before.permissions.some((permission) => !next.permissions.includes(permission)))
