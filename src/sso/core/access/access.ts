import { type Lane, one, type Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import { isClient, reachOf } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { type Profile, profileColumns } from '../profile.ts'

/** The identity and site on whose behalf something is done: a caller, or whoever queued work for later. */
export type Acting = Pick<Caller, 'user_id' | 'site_id' | 'site_code' | 'is_first_party' | 'role'>

/**
 * Subquery for the site_ids the caller administers with this token: sites in its reach where the holder is ADMIN. An
 * operator administers every site. The check runs again in the statement because the caller may have been demoted,
 * suspended or erased since authentication.
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

/** SQL condition for isOperator that checks the current membership when the statement runs. */
export const isOperatorNow = (sql: Lane, caller: Acting) =>
  isOperator(caller)
    ? sql`exists (
        select from sso.memberships a join sso.users c using (user_id)
         where a.user_id = ${caller.user_id} and a.site_id = ${caller.site_id} and a.role = 'ADMIN'
           and a.suspended_at is null and c.status = 'active')`
    : sql`false`

/**
 * SQL condition: the caller is the machine client of site `i`, and that client still has scopes. The route has already
 * checked for the specific scope.
 */
const isClientNow = (sql: Lane, caller: Acting) =>
  isClient(caller)
    ? sql`(i.site_id = ${caller.site_id} and exists (
        select from sso.openid_clients k where k.site_id = i.site_id and cardinality(k.scopes) > 0))`
    : sql`false`

/** Rejects machine clients with 403, for actions that a person must answer for. */
export function requirePerson(caller: Acting): void {
  if (isClient(caller))
    throw forbidden(
      'person_required',
      'This needs a person who is signed in; a client acting for itself cannot do it',
    )
}

/**
 * 403 for a machine client that assigns a role without the scope roles:assign. People need no check here: the route's
 * permission already requires ADMIN.
 */
export function requireMayAssign(caller: Caller): void {
  if (isClient(caller) && !caller.permissions.includes('roles:assign'))
    throw forbidden('insufficient_scope', 'Giving a role needs the scope roles:assign')
}

/** Hides production people from a sandbox token, including the production managers of its own site. */
export const isVisibleFrom = (sql: Lane, { environment }: Caller) =>
  environment === 'production' ? sql`true` : sql`u.environment = ${environment}`

export type SeenSite = {
  site_id: string
  site_code: string
  tenant_id: string
  environment: 'sandbox' | 'production'
  is_first_party: boolean
  trust_client_ip: boolean
  /** True when the caller may administer the site with this token. */
  is_admin: boolean
}

/**
 * Loads the site a call refers to; the default is the token's own site. 404 if it does not exist or the caller is not a
 * member of it.
 */
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

/** Like requireSite, for actions only an ADMIN of the site may take: 403 for other members. */
export async function requireOwnSite(sql: Lane, caller: Caller, site_code?: string): Promise<SeenSite> {
  const site = await requireSite(sql, caller, site_code)
  if (!site.is_admin) throw forbidden('admin_required', 'This needs the role ADMIN on the site')
  return site
}

/** The mutable columns of a person's own row. */
export type Person = Profile & {
  environment: 'sandbox' | 'production'
  email: string
  email_fold: string
  /** Verified by the person or claimed by any tenant. */
  email_verified: boolean
  is_email_proven: boolean
  metadata: Record<string, unknown>
  status: 'active' | 'suspended'
  version: number
}
type Rights = { is_visible: boolean; is_exclusive: boolean }

/**
 * Locks the row of the caller or of a person they may see, and returns the caller's rights over it. 404 for everybody
 * else. Rights are read in a separate statement: the one that waits for the lock uses a snapshot from before it.
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
 * The caller's rights over another person. Evaluate after locking the users row; adding a membership takes the same
 * lock. Visible: a member of a site the token administers. Exclusive: a member of such sites only, else one site's
 * ADMIN could take over an account that opens another site. For an operator everybody is exclusive.
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
