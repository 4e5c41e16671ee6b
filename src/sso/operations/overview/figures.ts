import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { forbidden } from '#foundation/errors.ts'
import { Nullable, Time } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator, requireOwnSite, sitesOfAdmin } from '../../core/access/access.ts'

const Hour = Type.Object({ hour: Time, succeeded: Type.Integer(), failed: Type.Integer() })
/** Null: there are too many sign-ins after this day to look back so far. */
const Day = Type.Object({ day: Time, people: Nullable(Type.Integer()) })
/** Of the last 24 hours. */
const Webhooks = Type.Object({
  delivered: Type.Integer(),
  failed: Type.Integer(),
  /** Those that are due. */
  waiting: Type.Integer(),
  /** From the event to its receipt, for 95 of 100. */
  lag_ms: Nullable(Type.Integer()),
})
/** How sites do: sign-ins of the last 24 hours, people who signed in on the last 14 days, webhooks, and what waits to be done. */
export const ConsoleFigures = Type.Object({
  sign_ins: Type.Array(Hour),
  active_people: Type.Array(Day),
  webhooks: Webhooks,
  jobs_under_way: Type.Integer(),
  /** Among the newest orders. */
  open_orders: Type.Integer(),
})
export const FiguresQuery = Type.Object({ site_code: Type.Optional(Type.String()) })

/** Older orders, and deliveries of one site, are not looked at, so that a long history costs nothing. */
const LOOKED_AT = 1_000
const SIGN_INS = 50_000

type Scope = { sites: string[]; environment?: Caller['environment'] }

/** Figures of one site, or of all sites of an ADMIN, or of the whole environment for an operator who names none. 403, 404. */
export async function readConsoleFigures(
  db: Database,
  caller: Caller,
  { site_code }: Static<typeof FiguresQuery>,
) {
  const { pool } = db
  const scope = await scopeOf(pool, caller, site_code)
  const [sign_ins, active_people, webhooks, waiting] = await Promise.all([
    db.lists(caller.user_id, hoursOf(pool, scope)),
    db.lists(caller.user_id, daysOf(pool, scope)),
    db.lists(caller.user_id, webhooksOf(pool, scope)),
    db.lists(caller.user_id, waitingOf(pool, scope)),
  ])
  return {
    sign_ins: [...sign_ins],
    active_people: [...active_people],
    webhooks: one(webhooks),
    ...one(waiting),
  }
}

async function scopeOf(sql: Lane, caller: Caller, site_code: string | undefined): Promise<Scope> {
  if (site_code !== undefined) return { sites: [(await requireOwnSite(sql, caller, site_code)).site_id] }
  const { environment } = caller
  const isEverywhere = isOperator(caller)
  const own = await sql<{ site_id: string }[]>`
    select i.site_id from sso.sites i
     where i.site_id in (${sitesOfAdmin(sql, caller)}) ${isEverywhere ? sql`and i.environment = ${environment}` : sql``}`
  if (own.length === 0) throw forbidden('admin_required', 'This needs the role ADMIN on a site')
  return { sites: own.map(({ site_id }) => site_id), ...(isEverywhere && { environment }) }
}

const hoursOf = (sql: Lane, { sites }: Scope) => sql<Static<typeof Hour>[]>`
  with counted as (
    select date_trunc('hour', a.occurred_at, 'UTC') as hour,
           count(*) filter (where a.action = 'login.succeeded')::int as succeeded,
           count(*) filter (where a.action = 'login.failed')::int as failed
      from sso.audit_log a
     where a.site_id = any(${sites}) and a.action in ('login.succeeded', 'login.failed')
           and a.occurred_at >= date_trunc('hour', statement_timestamp(), 'UTC') - interval '23 h'
     group by 1)
  select h.hour, coalesce(c.succeeded, 0) as succeeded, coalesce(c.failed, 0) as failed
    from generate_series(date_trunc('hour', statement_timestamp(), 'UTC') - interval '23 h',
                         date_trunc('hour', statement_timestamp(), 'UTC'), interval '1 h') as h(hour)
    left join counted c using (hour)
   order by h.hour`

/** The newest sign-ins, read in the order of an index: of each site, or of the environment. */
function daysOf(sql: Lane, { sites, environment }: Scope) {
  const first = sql`date_trunc('day', statement_timestamp(), 'UTC') - interval '13 days'`
  const signIns = (isOfScope: ReturnType<Lane>) => sql`
    select a.occurred_at, a.subject_user_id from sso.audit_log a
     where ${isOfScope} and a.action = 'login.succeeded' and a.occurred_at >= ${first}
     order by a.occurred_at desc, a.audit_id desc limit ${SIGN_INS}`
  const newest = environment
    ? signIns(sql`a.environment = ${environment}`)
    : sql`
      select n.occurred_at, n.subject_user_id
        from unnest(${sites}::uuid[]) as s(site_id), lateral (${signIns(sql`a.site_id = s.site_id`)}) n
       order by n.occurred_at desc limit ${SIGN_INS}`
  return sql<Static<typeof Day>[]>`
    with newest as materialized (${newest}),
    seen as (select case when count(*) = ${SIGN_INS} then min(occurred_at) end as since from newest),
    counted as (
      select date_trunc('day', occurred_at, 'UTC') as day, count(distinct subject_user_id)::int as people
        from newest group by 1)
    select d.day, case when d.day < seen.since then null else coalesce(c.people, 0) end as people
      from seen, generate_series(${first}, statement_timestamp(), interval '1 day') as d(day)
      left join counted c using (day)
     order by d.day`
}

const webhooksOf = (sql: Lane, { sites }: Scope) => sql<Static<typeof Webhooks>[]>`
  select count(*) filter (where n.state = 'delivered')::int as delivered,
         count(*) filter (where n.state = 'failed')::int as failed,
         count(*) filter (where n.state = 'pending' and n.next_attempt_at < statement_timestamp())::int as waiting,
         (1000 * extract(epoch from percentile_disc(0.95) within group (order by n.delivered_at - n.created_at)))::int as lag_ms
    from unnest(${sites}::uuid[]) as s(site_id), lateral (
         select d.state, d.next_attempt_at, d.created_at, d.delivered_at from sso.webhook_deliveries d
          where d.site_id = s.site_id and d.created_at > statement_timestamp() - interval '24 h'
          order by d.created_at desc, d.delivery_id desc limit ${LOOKED_AT}) n`

const waitingOf = (sql: Lane, { sites }: Scope) => sql<{ jobs_under_way: number; open_orders: number }[]>`
  select (select count(*)::int from sso.bulk_jobs j
           where j.site_id = any(${sites}) and j.finished_at is null) as jobs_under_way,
         (select count(*) filter (where n.status = 'pending')::int
            from (select o.status from sso.orders o where o.site_id = any(${sites})
                   order by o.created_at desc, o.order_id desc limit ${LOOKED_AT}) n) as open_orders`
