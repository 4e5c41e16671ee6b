import { type Static, Type } from 'typebox'
import { type Lane, one, type Tx } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { requireOperator, requireOperatorNow } from '../../core/access/operator.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'

export type ImportQuota = Static<typeof ImportQuota>
export const ImportQuota = Type.Object({
  tenant_id: Uuid,
  /** Null: no limit. */
  people_per_day: Nullable(Type.Integer()),
  /** New people today (UTC) that count towards the quota. */
  used_today: Type.Integer(),
  resets_at: Time,
})

export const QuotaBody = Type.Object({
  people_per_day: Nullable(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
})

type Setting = Pick<SsoParts['config'], 'SSO_IMPORT_QUOTA'>

/** Days for which past counts are kept. */
const KEPT_DAYS = 30

/**
 * Daily quota of tenant `t`: the value an operator set for it, or for the production tenant of this sandbox; else the
 * configured default if a non-operator founded it. The first tenant has no founder and no limit.
 */
const perDay = (sql: Lane, { SSO_IMPORT_QUOTA }: Setting) => sql`
  case when ${SSO_IMPORT_QUOTA === 0}::boolean and q.tenant_id is null then null
       when q.tenant_id is not null then q.people_per_day
       when coalesce(p.created_by, t.created_by) is null then null
       when exists (select from sso.memberships m join sso.sites c using (site_id)
                     where m.user_id = coalesce(p.created_by, t.created_by) and c.site_code = 'console'
                       and m.role = 'ADMIN' and m.suspended_at is null) then null
       else ${SSO_IMPORT_QUOTA}::int end`

const quotas = (sql: Lane) => sql`
  sso.tenants t left join sso.tenants p on p.tenant_id = t.production_tenant_id
  left join lateral (
    select * from sso.import_quotas where tenant_id in (t.tenant_id, p.tenant_id)
     order by tenant_id = t.tenant_id desc limit 1) q on true`

const today = (sql: Lane) => sql`(clock_timestamp() at time zone 'UTC')::date`

type Asked = {
  tenant_id: string
  wanted: number
  /** People counted so far by a dry run. Null for a real import, which uses up the quota. */
  counted: number | null
}

/**
 * Returns how many of the wanted new people the tenant may still import today, and uses up that number when the
 * transaction commits.
 */
export async function takeQuota(
  tx: Tx,
  setting: Setting,
  { tenant_id, wanted, counted }: Asked,
): Promise<number> {
  if (wanted === 0) return 0
  const rows = await tx<{ people_per_day: number | null }[]>`
    select ${perDay(tx, setting)} as people_per_day from ${quotas(tx)} where t.tenant_id = ${tenant_id}`
  const { people_per_day } = one(rows)
  if (people_per_day === null) return wanted
  const used = counted === null ? await lockUsage(tx, tenant_id) : counted + (await usageOf(tx, tenant_id))
  const taken = Math.max(0, Math.min(wanted, people_per_day - used))
  if (counted === null && taken > 0)
    await tx`
      update sso.import_usage set people = people + ${taken}
       where tenant_id = ${tenant_id} and day = ${today(tx)}`
  return taken
}

/** Imports of several sites of a tenant wait for this lock, so that together they keep to its quota. */
async function lockUsage(tx: Tx, tenant_id: string): Promise<number> {
  await tx`
    with old as (
      delete from sso.import_usage where tenant_id = ${tenant_id} and day < ${today(tx)} - ${KEPT_DAYS}::int)
    insert into sso.import_usage (tenant_id, day, people) values (${tenant_id}, ${today(tx)}, 0)
        on conflict do nothing`
  const rows = await tx<{ people: number }[]>`
    select people from sso.import_usage
     where tenant_id = ${tenant_id} and day = ${today(tx)} for no key update`
  return one(rows).people
}

async function usageOf(sql: Lane, tenant_id: string): Promise<number> {
  const [usage] = await sql<{ people: number }[]>`
    select people from sso.import_usage where tenant_id = ${tenant_id} and day = ${today(sql)}`
  return usage?.people ?? 0
}

/** For operators and ADMINs of a site of the tenant; 404 for everybody else. */
export async function findQuota(
  sql: Lane,
  setting: Setting,
  caller: Caller,
  tenant_id: string,
): Promise<ImportQuota> {
  const [quota] = await sql<ImportQuota[]>`
    select t.tenant_id, ${perDay(sql, setting)} as people_per_day,
           coalesce((select u.people from sso.import_usage u
                      where u.tenant_id = t.tenant_id and u.day = ${today(sql)}), 0) as used_today,
           (${today(sql)} + 1)::timestamp at time zone 'UTC' as resets_at
      from ${quotas(sql)}
     where t.tenant_id = ${tenant_id}
       and exists (select from (${sitesOfAdmin(sql, caller)}) as own join sso.sites i using (site_id)
                    where i.tenant_id = t.tenant_id)`
  if (!quota) throw notFound()
  return quota
}

/** Sets or lifts (null) a tenant's quota. 403 for non-operators, 404. */
export async function setQuota(
  parts: SsoParts,
  caller: Caller,
  { tenant_id, people_per_day }: { tenant_id: string; people_per_day: number | null },
  from: Origin,
): Promise<ImportQuota> {
  requireOperator(caller)
  return parts.database.transaction(async (tx) => {
    await requireOperatorNow(tx, caller)
    const [tenant] = await tx<{ environment: Caller['environment'] }[]>`
      select environment from sso.tenants where tenant_id = ${tenant_id} for key share`
    if (!tenant) throw notFound()
    await tx`
      insert into sso.import_quotas (tenant_id, people_per_day, set_by)
      values (${tenant_id}, ${people_per_day}, ${caller.user_id})
          on conflict (tenant_id) do update
         set people_per_day = excluded.people_per_day, set_by = excluded.set_by, set_at = clock_timestamp()`
    const act = { action: 'import_quota.set', environment: tenant.environment, site_id: null } as const
    const details = { tenant_id, people_per_day: people_per_day ?? 'none' }
    await recordAct(tx, { ...act, actor_user_id: caller.user_id, subject_user_id: null, details }, from)
    return findQuota(tx, parts.config, caller, tenant_id)
  })
}
