import { type Static, Type } from 'typebox'
import { type Database, one } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { notFound } from '#foundation/errors.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperatorNow } from '../../core/access/access.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { requireOperator, requireOperatorNow } from '../../core/access/operator.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'

/** A site as operators see it, with the fields only they may set. */
export type RegisteredSite = Static<typeof RegisteredSite>
export const RegisteredSite = Type.Object({
  site_id: Uuid,
  site_code: Type.String(),
  tenant_id: Uuid,
  tenant_name: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  domain_verified: Type.Boolean(),
  environment: OneOf(['sandbox', 'production']),
  status: OneOf(['active', 'pending']),
  is_first_party: Type.Boolean(),
  trust_client_ip: Type.Boolean(),
  created_by_email: Nullable(Type.String()),
  created_at: Time,
})

export type RegisteredQuery = Static<typeof RegisteredQuery>
export const RegisteredQuery = Type.Object({
  ...CursorQuery.properties,
  status: Type.Optional(OneOf(['active', 'pending'])),
})

const columns = (sql: Database['fast']) => sql`
  i.site_id, i.site_code, i.tenant_id, t.name as tenant_name, i.name, i.domain,
  i.domain_verified_at is not null as domain_verified, i.environment, i.status, i.is_first_party, i.trust_client_ip,
  (select u.email from sso.users u where u.user_id = i.created_by) as created_by_email, i.created_at`

/** Lists every site, oldest first, for operators. 403. */
export async function listRegisteredSites(db: Database, caller: Caller, query: RegisteredQuery) {
  requireOperator(caller)
  const { pool } = db
  const { status } = query
  const { order, after, skip } = startOf('sites:created_at', caller, query)
  const isAsked = pool`
    i.deleted_at is null ${status === undefined ? pool`` : pool`and i.status = ${status}`} and ${isOperatorNow(pool, caller)}`
  const [found, count] = await bothOf(db.lists, caller.user_id, [
    pool<RegisteredSite[]>`
      select ${columns(pool)} from sso.sites i join sso.tenants t using (tenant_id)
       where ${isAsked}
             ${after ? pool`and (i.created_at, i.site_id) > (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
       order by i.created_at, i.site_id limit ${query.per_page + 1} offset ${skip}`,
    pool<{ total: number }[]>`select count(*) as total from sso.sites i where ${isAsked}`,
  ])
  return cursorPage({ found, count, query, order }, ({ site_id: id, created_at: key }) => ({ id, key }))
}

/** Lets the site sign people in. A repeat changes nothing. 403, 404. */
export const approveSite = (parts: SsoParts, caller: Caller, site_id: string, from: Origin) =>
  setPrivileges(parts, caller, site_id, { status: 'active' }, from)

export type Privileges = Static<typeof Privileges>
/** The fields of a site that only an operator may set. */
export const Privileges = Type.Object({
  is_first_party: Type.Optional(Type.Boolean()),
  trust_client_ip: Type.Optional(Type.Boolean()),
  status: Type.Optional(OneOf(['active', 'pending'])),
})

/** 403 for non-operators, 404. Tokens of a site that becomes pending again are refused. */
export async function setPrivileges(
  { database }: SsoParts,
  caller: Caller,
  site_id: string,
  given: Privileges,
  from: Origin,
): Promise<RegisteredSite> {
  requireOperator(caller)
  return await database.transaction(async (tx) => {
    await requireOperatorNow(tx, caller)
    const { is_first_party = null, trust_client_ip = null, status = null } = given
    const [changed] = await tx<{ environment: 'sandbox' | 'production'; is_changed: boolean }[]>`
        with before as (
          select site_id, is_first_party, trust_client_ip, status from sso.sites
           where site_id = ${site_id} and deleted_at is null for no key update)
        update sso.sites i
           set is_first_party = coalesce(${is_first_party}, i.is_first_party),
               trust_client_ip = coalesce(${trust_client_ip}, i.trust_client_ip),
               status = coalesce(${status}, i.status), version = i.version + 1, updated_at = clock_timestamp()
          from before b where i.site_id = b.site_id
        returning i.environment, (i.is_first_party, i.trust_client_ip, i.status)
                                 is distinct from (b.is_first_party, b.trust_client_ip, b.status) as is_changed`
    if (!changed) throw notFound()
    if (changed.is_changed)
      await recordAct(
        tx,
        {
          action: status === 'active' ? 'site.approved' : 'site.changed',
          environment: changed.environment,
          site_id,
          actor_user_id: caller.user_id,
          subject_user_id: null,
          details: { changed: Object.keys(given) },
        },
        from,
      )
    return one(
      await tx<RegisteredSite[]>`
          select ${columns(tx)} from sso.sites i join sso.tenants t using (tenant_id) where i.site_id = ${site_id}`,
    )
  })
}
