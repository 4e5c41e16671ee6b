import { type Lane, one, type Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import { isClient, reachOf } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { type Profile, profileColumns } from '../profile.ts'

/** In whose name something is done, and from which site: a caller, or whoever left work to be done later. */
export type Acting = Pick<Caller, 'user_id' | 'site_id' | 'site_code' | 'is_first_party' | 'role'>

/**
 * The sites the caller manages with this token, as a query of site_id: those that the token reaches and its holder is ADMIN
 * of; an operator manages every site. The statement asks again because the caller may have been demoted, suspended or
 * erased since they were let in.
 */
export const sitesOfAdmin = (sql: Lane, caller: Acting) =>
  isOperator(caller)
    ? sql`select i.site_id from sso.sites i where i.deleted_at is null and ${isOperatorNow(sql, caller)}`
    : isClient(caller)
      ? sql`select i.site_id from sso.sites i where i.deleted_at is null and ${isClientNow(sql, caller)}`
      : sql`
        select i.site_id
          from sso.memberships a join sso.roles r using (site_id, role) join sso.sites i using (site_id)
          join sso.users c using (user_id)
         where a.user_id = ${caller.user_id} and a.suspended_at is null and c.status = 'active' and r.is_admin
           and i.deleted_at is null and ${isReached(sql, caller)}`

/** Whether the token's administrative rights reach site `i`. */
export function isReached(sql: Lane, caller: Acting) {
  const reach = reachOf(caller)
  if (reach === 'site_of_token') return sql`i.site_id = ${caller.site_id}`
  if (reach === 'partner_sites_of_holder') return sql`(i.site_id = ${caller.site_id} or not i.is_first_party)`
  return sql`true`
}

/** An ADMIN of the site `console`, signed in there, acts as ADMIN on every site of both environments. */
export const isOperator = (caller: Acting) => reachOf(caller) === 'every_site'

/** The same as a condition, at the moment of the statement. */
export const isOperatorNow = (sql: Lane, caller: Acting) =>
  isOperator(caller)
    ? sql`exists (
        select from sso.memberships a join sso.users c using (user_id)
         where a.user_id = ${caller.user_id} and a.site_id = ${caller.site_id} and a.role = 'ADMIN'
           and a.suspended_at is null and c.status = 'active')`
    : sql`false`

/** The caller is the back end of site `i`, whose client still has scopes. The route has asked for the right one. */
const isClientNow = (sql: Lane, caller: Acting) =>
  isClient(caller)
    ? sql`(i.site_id = ${caller.site_id} and exists (
        select from sso.openid_clients k where k.site_id = i.site_id and cardinality(k.scopes) > 0))`
    : sql`false`

/** 403 for the back end of a site, where a person has to answer for what is done. */
export function requirePerson(caller: Acting): void {
  if (isClient(caller))
    throw forbidden(
      'person_required',
      'This needs a person who is signed in; a client acting for itself cannot do it',
    )
}

/** 403 for the back end of a site that gives a role without the scope for it. A person with the route's permission is ADMIN. */
export function requireMayAssign(caller: Caller): void {
  if (isClient(caller) && !caller.permissions.includes('roles:assign'))
    throw forbidden('insufficient_scope', 'Giving a role needs the scope roles:assign')
}

/** A sandbox token sees nothing of production, not even the production managers of its own site. */
export const isVisibleFrom = (sql: Lane, { environment }: Caller) =>
  environment === 'production' ? sql`true` : sql`u.environment = ${environment}`

export type SeenSite = {
  site_id: string
  site_code: string
  tenant_id: string
  environment: 'sandbox' | 'production'
  is_first_party: boolean
  trust_client_ip: boolean
  /** The caller manages it with this token. */
  is_admin: boolean
}

/** The site a call is about, by default that of the token. 404 for one the caller is no member of, as for none. */
export async function requireSite(
  sql: Lane,
  caller: Caller,
  site_code: string = caller.site_code,
): Promise<SeenSite> {
  const [site] = await sql<SeenSite[]>`
    select i.site_id, i.site_code, i.tenant_id, i.environment, i.is_first_party, i.trust_client_ip,
           coalesce(r.is_admin and ${isReached(sql, caller)}, false) or ${isOperatorNow(sql, caller)}
             or ${isClientNow(sql, caller)} as is_admin
      from sso.sites i
      left join sso.memberships m
        on m.site_id = i.site_id and m.user_id = ${caller.user_id} and m.suspended_at is null
      left join sso.roles r on r.site_id = m.site_id and r.role = m.role
     where i.site_code = ${site_code} and i.deleted_at is null
       and (m.user_id is not null or ${isOperatorNow(sql, caller)} or ${isClientNow(sql, caller)})`
  if (!site) throw notFound()
  return site
}

/** The same for what only an ADMIN of the site may do: 403 for its other members. */
export async function requireOwnSite(sql: Lane, caller: Caller, site_code?: string): Promise<SeenSite> {
  const site = await requireSite(sql, caller, site_code)
  if (!site.is_admin) throw forbidden('admin_required', 'This needs the role ADMIN on the site')
  return site
}

/** What of a person stands in their own row and may be changed. */
export type Person = Profile & {
  environment: 'sandbox' | 'production'
  email: string
  email_fold: string
  /** To anybody at all. */
  email_verified: boolean
  is_email_proven: boolean
  metadata: Record<string, unknown>
  status: 'active' | 'suspended'
  version: number
}
type Rights = { is_visible: boolean; is_exclusive: boolean }

/**
 * Locks a person the caller is, or may see, and tells whether all of them is the caller's to change. 404 for everybody
 * else. Rights are judged in a statement of their own: the one that waited for the lock saw the time before it.
 */
export async function lockPerson(tx: Tx, caller: Caller, user_id: string) {
  const [person] = await tx<Person[]>`
    select u.environment, u.email, u.email_fold, u.email_proven_at is not null as is_email_proven,
           u.email_verified or exists (
             select from sso.email_claims c where c.user_id = u.user_id and c.email_fold = u.email_fold) as email_verified,
           ${profileColumns(tx, 'u')}, u.metadata, u.status, u.version
      from sso.users u
     where u.user_id = ${user_id} and u.status <> 'deleted' and ${isVisibleFrom(tx, caller)}
       for no key update of u`
  const { is_visible, is_exclusive } = one(await tx<Rights[]>`${rightsOver(tx, caller, user_id)}`)
  const is_self = user_id === caller.user_id
  if (!person || !(is_self || is_visible)) throw notFound()
  return { person, is_self, is_exclusive }
}

/**
 * What the caller may do with another person, judged after the lock of the users row, which whoever adds a membership takes
 * as well. Visible: a member of a site that the token administers. Exclusive: a member of such sites only, or the ADMIN of
 * one site could take over an account that opens another one. To an operator everybody is exclusive.
 */
export const rightsOver = (sql: Lane, caller: Caller, user_id: string | ReturnType<Lane>) => sql`
  with own as materialized (${sitesOfAdmin(sql, caller)}),
  theirs as materialized (
    select m.site_id in (select site_id from own) as is_own
      from sso.memberships m join sso.sites i using (site_id)
     where m.user_id = ${user_id} and i.deleted_at is null)
  select coalesce(bool_or(is_own), false) or ${isOperatorNow(sql, caller)} as is_visible,
         coalesce(bool_and(is_own), false) or ${isOperatorNow(sql, caller)} as is_exclusive
    from theirs`
