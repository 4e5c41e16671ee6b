import { type Static, Type } from 'typebox'
import { type Database, type Lane, type Tx } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { type CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { lockUser } from '../../people/person/users.ts'

/**
 * A partner's site that knows the person. `scopes` is empty if the site added them as a member and they never
 * consented.
 */
export type ConnectedSite = Static<typeof ConnectedSite>
export const ConnectedSite = Type.Object({
  site_id: Uuid,
  site_code: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  is_domain_verified: Type.Boolean(),
  tenant_name: Type.String(),
  role: Nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  given_by: OneOf(['page', 'password', 'organisation', 'site']),
  since: Time,
})

/** The condition for a connection, over a site `i`, a membership `m` and a consent `c`. */
const isConnected = (sql: Lane, user_id: string) => sql`
  from sso.sites i join sso.tenants t using (tenant_id)
  left join sso.memberships m on m.site_id = i.site_id and m.user_id = ${user_id}
  left join sso.consents c on c.site_id = i.site_id and c.user_id = ${user_id}
 where i.site_id in (select site_id from sso.memberships where user_id = ${user_id}
                     union select site_id from sso.consents where user_id = ${user_id})
   and c.revoked_at is null and not i.is_first_party and i.deleted_at is null`

/** One page of the connected sites, newest first. */
export async function listConnectedSites(
  { fast }: Database,
  caller: { user_id: string; tenant_id: string },
  query: CursorQuery,
) {
  const { user_id } = caller
  const { order, after, skip } = startOf('connected sites:-since', caller, query)
  const since = fast`coalesce(c.granted_at, m.joined_at)`
  const [found, count] = await Promise.all([
    fast<ConnectedSite[]>`
      select i.site_id, i.site_code, i.name, i.domain, i.domain_verified_at is not null as is_domain_verified,
             t.name as tenant_name, m.role, coalesce(c.scopes, '{}') as scopes, coalesce(c.given_by, 'site') as given_by,
             ${since} as since
             ${isConnected(fast, user_id)}
             ${after ? fast`and (${since} < ${after.key}::timestamptz or (${since} = ${after.key}::timestamptz and i.site_id > ${after.id}::uuid))` : fast``}
       order by since desc, i.site_id limit ${query.per_page + 1} offset ${skip}`,
    fast<{ total: number }[]>`select count(*) as total ${isConnected(fast, user_id)}`,
  ])
  return cursorPage({ found, count, query, order }, ({ site_id, since: key }) => ({
    id: site_id,
    key,
  }))
}

/**
 * Revokes the consent, ends the person's sessions at the site and every sign-in on its way to it. The membership stays:
 * it is the site's own record. 404 for a site they are not connected with.
 */
export async function disconnectSite(
  { database }: SsoParts,
  { user_id }: { user_id: string },
  site_id: string,
  from: Origin,
): Promise<{ name: string }> {
  return await database.transaction(async (tx) => {
    await lockUser(tx, user_id)
    const site = await revoke(tx, user_id, site_id)
    if (!site) throw notFound()
    await tx`delete from sso.proven_sign_ins where user_id = ${user_id} and site_id = ${site_id}`
    const caller = { user_id, site_id }
    const scope = { site_ids: [site_id] }
    await endSessions(tx, { user_id, scope, reason: 'consent_revoked', caller, from })
    await recordAct(tx, { action: 'consent.revoked', ...byOneself({ ...site, site_id }, user_id) }, from)
    return { name: site.name }
  })
}

/** Also stores the revocation for a member who was never asked for consent, so that no later sign-in there is silent. */
async function revoke(tx: Tx, user_id: string, site_id: string) {
  const [site] = await tx<{ name: string; environment: 'sandbox' | 'production' }[]>`
    with connected as (
      select i.site_id, i.name, i.environment ${isConnected(tx, user_id)} and i.site_id = ${site_id}),
    revoked as (
      insert into sso.consents (user_id, site_id, scopes, given_by, revoked_at)
      select ${user_id}, site_id, '{}', 'site', clock_timestamp() from connected
      on conflict (user_id, site_id) do update set revoked_at = clock_timestamp()
      returning site_id)
    select name, environment from connected join revoked using (site_id)`
  return site
}
