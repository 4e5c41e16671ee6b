import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { CursorPageOf, CursorQuery, cutPage, startOf } from '#foundation/http/cursor-page.ts'
import { page } from '#foundation/http/paging.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { Cursor } from '#foundation/http/cursor.ts'
import { isOperator, isOperatorNow, requireOwnSite, sitesOfAdmin } from '../access/access.ts'

export type AuditLine = Static<typeof AuditLine>
export const AuditLine = Type.Object({
  audit_id: Uuid,
  occurred_at: Time,
  action: Type.String(),
  site_code: Nullable(Type.String()),
  actor_user_id: Nullable(Uuid),
  subject_user_id: Nullable(Uuid),
  ip_address: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
})
export const AuditPage = CursorPageOf(AuditLine)

type AuditFilter = Static<typeof AuditFilter>
export const AuditFilter = Type.Object({
  site_code: Type.Optional(Type.String()),
  /** Only for an operator who names no site. */
  environment: Type.Optional(OneOf(['sandbox', 'production'])),
  action: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  actor: Type.Optional(Uuid),
  subject: Type.Optional(Uuid),
  audit_id: Type.Optional(Uuid),
  since: Type.Optional(Time),
  until: Type.Optional(Time),
})
export type AuditQuery = Static<typeof AuditQuery>
export const AuditQuery = Type.Object({ ...CursorQuery.properties, ...AuditFilter.properties })

/** The entries of one site, or of a whole environment. */
export type Scope = { site_id: string } | { environment: 'sandbox' | 'production' }

/**
 * Lists a site's audit log for its ADMIN, newest first. An operator who names no site reads the whole environment.
 * `cursor` continues after an earlier page, unaffected by new entries. 404 for a site the caller may not see; 403 if
 * not ADMIN.
 */
export async function listAudit(db: Database, caller: Caller, query: AuditQuery) {
  const { order, after, skip } = startOf('-occurred_at', caller, query)
  const scope = await scopeOf(db.pool, caller, query)
  const [found, total] = await Promise.all([
    readLines(db, caller, { scope, query, after, skip, limit: query.per_page + 1 }),
    countLines(db, caller, scope, query),
  ])
  const { rows, next_cursor } = cutPage(found, query, order, placeOf)
  return { ...page(rows, total, query), next_cursor }
}

export const placeOf = ({ audit_id, occurred_at }: AuditLine): Cursor => ({ key: occurred_at, id: audit_id })

type Asked = { scope: Scope; query: AuditFilter; after: Cursor | undefined; skip?: number; limit: number }

/** The lines behind `after`, newest first. */
export const readLines = (
  { pool, lists }: Database,
  caller: Caller,
  { scope, query, after, skip = 0, limit }: Asked,
) =>
  lists(
    caller.user_id,
    pool<AuditLine[]>`
      with picked as (
        select a.audit_id, a.occurred_at, a.action, a.site_id, a.details, a.actor_user_id, a.subject_user_id,
               a.ip_address, a.user_agent
          from sso.audit_log a
         where ${matches(pool, caller, scope, query)}
               ${after ? pool`and (a.occurred_at, a.audit_id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
         order by a.occurred_at desc, a.audit_id desc
         limit ${limit} offset ${skip})
      select a.audit_id, a.occurred_at, a.action, i.site_code, a.details, ${peopleOf(pool, caller)}
        from picked a left join sso.sites i using (site_id)
       order by a.occurred_at desc, a.audit_id desc`,
  )

export async function countLines(
  { pool, lists }: Database,
  caller: Caller,
  scope: Scope,
  query: AuditFilter,
): Promise<number> {
  const count = pool<{ total: number }[]>`
    select (${countOf(pool, caller, scope, query)})::bigint as total`
  return one(await lists(caller.user_id, count)).total
}

/** 403, 404. */
export async function scopeOf(
  sql: Lane,
  caller: Caller,
  { site_code, environment }: AuditFilter,
): Promise<Scope> {
  if (site_code === undefined && isOperator(caller)) return { environment: environment ?? caller.environment }
  const { site_id } = await requireOwnSite(sql, caller, site_code)
  return { site_id }
}

/** Actor, origin and subject of an entry `a`, each null where the caller may not know it. */
export const peopleOf = (sql: Lane, caller: Caller) => {
  const [isActorSeen, isSubjectSeen] = [isSeen(sql, caller, 'actor'), isSubjectKnown(sql, caller)]
  return sql`
    case when ${isActorSeen} then a.actor_user_id end as actor_user_id,
    case when ${isActorSeen} then a.ip_address end as ip_address,
    case when ${isActorSeen} then a.user_agent end as user_agent,
    case when ${isSubjectSeen} then a.subject_user_id end as subject_user_id`
}

/**
 * A sandbox token sees no production people, so it must not learn who administers its site from production, nor their
 * IP address.
 */
const isSeen = (sql: Lane, { environment }: Caller, who: 'actor' | 'subject') =>
  environment === 'production'
    ? sql`true`
    : sql`
        not exists (select from sso.users p where p.environment = 'production'
                       and p.user_id = ${who === 'actor' ? sql`a.actor_user_id` : sql`a.subject_user_id`})`

/**
 * Anyone can try to sign in with, or request a link to, any address. The subject is shown only to sites that know the
 * person; otherwise a partner could find out who has an account by trying a wrong password. One row is looked up for each
 * entry: after `exists` PostgreSQL would rather read all sessions for one page.
 */
const isSubjectKnown = (sql: Lane, caller: Caller) =>
  isOperator(caller)
    ? sql`true`
    : sql`
        ${isSeen(sql, caller, 'subject')}
        and (a.actor_user_id is not null
             or coalesce(
               (select true from sso.memberships m where m.user_id = a.subject_user_id and m.site_id = a.site_id),
               (select true from sso.sessions s
                 where s.user_id = a.subject_user_id and s.site_id = a.site_id limit 1), false))`

/** Includes the access check, so that it holds in the very statement that reads. */
function matches(
  sql: Lane,
  caller: Caller,
  scope: Scope,
  { action, actor, subject, audit_id, since, until }: AuditFilter,
) {
  return sql`
    ${isInScope(sql, caller, scope)}
    ${action === undefined ? sql`` : sql`and a.action = ${action}`}
    ${actor === undefined ? sql`` : sql`and a.actor_user_id = ${actor} and ${isSeen(sql, caller, 'actor')}`}
    ${subject === undefined ? sql`` : sql`and a.subject_user_id = ${subject} and ${isSubjectKnown(sql, caller)}`}
    ${audit_id === undefined ? sql`` : sql`and a.audit_id = ${audit_id}`}
    ${since === undefined ? sql`` : sql`and a.occurred_at >= ${since}::timestamptz`}
    ${until === undefined ? sql`` : sql`and a.occurred_at < ${until}::timestamptz`}`
}

const isInScope = (sql: Lane, caller: Caller, scope: Scope) =>
  'site_id' in scope
    ? sql`a.site_id = ${scope.site_id}
          and exists (select from (${sitesOfAdmin(sql, caller)}) as own where own.site_id = ${scope.site_id})`
    : sql`a.environment = ${scope.environment} and ${isOperatorNow(sql, caller)}`

/**
 * Counters exist for all entries and for all entries of one action (docs/decisions/counters-of-lists.md); narrower
 * filters are counted.
 */
function countOf(sql: Lane, caller: Caller, scope: Scope, query: AuditFilter) {
  const { action, actor, subject, audit_id, since, until } = query
  if ([actor, subject, audit_id, since, until].some((filter) => filter !== undefined))
    return sql`select count(*) from sso.audit_log a where ${matches(sql, caller, scope, query)}`
  return sql`
    select coalesce(sum(a.lines), 0) from sso.audit_counts a
     where ${isInScope(sql, caller, scope)} ${action === undefined ? sql`` : sql`and a.action = ${action}`}`
}
