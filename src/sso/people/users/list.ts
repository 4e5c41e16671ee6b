import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { orderOf, refuseOtherPage } from '#foundation/http/cursor-page.ts'
import { offsetOf, page, PageOf, PageQuery } from '#foundation/http/paging.ts'
import { Nullable, OneOf, Time, Typed } from '#foundation/http/schemas.ts'
import { isHidden } from '#foundation/security/scope.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { type Cursor, readCursor, writeCursor } from '#foundation/http/cursor.ts'
import {
  isOperator,
  isOperatorNow,
  isVisibleFrom,
  requireSite,
  sitesOfAdmin,
} from '../../core/access/access.ts'
import type { TenantId } from '../person/email-claims.ts'
import {
  asShown,
  type MemberRow,
  isSiteToSee,
  memberStatus,
  shownTo,
  User,
  userColumns,
} from '../person/users.ts'

const SORTS = ['created_at', 'email', 'display_name', 'last_login_at'] as const
type Sort = (typeof SORTS)[number]

export type UserQuery = Static<typeof UserQuery>
export const UserQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  email: Type.Optional(Typed({ minLength: 1, maxLength: 254 })),
  status: Type.Optional(OneOf(['active', 'suspended'])),
  role: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  created_after: Type.Optional(Time),
  mfa_enabled: Type.Optional(Type.Boolean()),
  last_login_after: Type.Optional(Time),
  /** Finds those who never signed in too. */
  last_login_before: Type.Optional(Time),
  site_code: Type.Optional(Type.String()),
  sort: OneOf([...SORTS, ...SORTS.map((sort) => `-${sort}` as const)], { default: '-created_at' }),
  /** A name of 200 characters can be 6,600 bytes after case folding. */
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
})

export const UserPage = Type.Object({
  ...PageOf(User).properties,
  next_cursor: Nullable(Type.String()),
})

/** What the list covers: a site's members, everybody in the environment, or only the caller. */
type Members = { who: 'members'; site_id: string }
type Scope = Members | { who: 'everybody' } | { who: 'self'; site_id: string }
const EVERYBODY: Scope = { who: 'everybody' }

/** Beyond this offset the skip alone takes milliseconds and would delay other requests on the fast lane. */
const FAR = 2_000

/**
 * Sorting so many members costs about as much as looking for the site's among so many people. There it stands as a number,
 * because PostgreSQL plans an unknown limit for a tenth of the table.
 */
const MANY = 5_000

/**
 * One page of people the caller may see: an ADMIN the site's members, an operator without a site the whole environment,
 * anybody else themselves. `cursor` continues after an earlier page and excludes `page`. 404 if not a member of the
 * site, 422 for a cursor of another sort order.
 */
export async function listUsers(db: Database, caller: Caller, query: UserQuery) {
  const order = orderOf(query.sort, caller, query)
  const after = readAfter(query, order)
  const scope = await scopeOf(db, caller, query.site_code)
  const isWhole = !isFiltered(query)
  const isByAge = query.sort.endsWith('created_at')
  const isQuick = isWhole && isByAge && offsetOf(query) <= FAR
  const sql: Lane = isQuick ? db.fast : db.pool
  type Row = MemberRow & { key: string }
  const rowsOfPage = sql<Row[]>`${shown(sql, caller, scope, picked(sql, caller, scope, query, after), query)}`
  const total =
    isWhole && scope.who === 'members'
      ? sql<{ total: number }[]>`${membersOf(sql, caller, scope)}`
      : db.pool<{ total: number }[]>`
          select count(*)::int as total from (${matching(db.pool, caller, scope, query)}) as matching`
  const { user_id } = caller
  const [found, count] = await Promise.all([
    isQuick ? rowsOfPage : db.lists(user_id, rowsOfPage),
    isWhole && scope.who === 'members' ? total : db.lists(user_id, total),
  ])
  const rows = found.slice(0, query.per_page)
  const last = rows.at(-1)
  return {
    ...page(
      rows.map((row) => shownTo(caller, asShown(row))),
      one(count).total,
      query,
    ),
    next_cursor:
      last && found.length > rows.length ? writeCursor(order, { key: last.key, id: last.user_id }) : null,
  }
}

function readAfter(query: UserQuery, order: string): Cursor | undefined {
  refuseOtherPage(query)
  const { cursor, sort } = query
  return cursor === undefined ? undefined : readCursor(cursor, order, sort.endsWith('_at'))
}

async function scopeOf(db: Database, caller: Caller, site_code: string | undefined): Promise<Scope> {
  const { site_id } = caller
  if (site_code === undefined) {
    if (isOperator(caller)) return EVERYBODY
    return { who: caller.role === 'ADMIN' ? 'members' : 'self', site_id }
  }
  const site = await requireSite(db.fast, caller, site_code)
  return { who: site.is_admin ? 'members' : 'self', site_id: site.site_id }
}

const isFiltered = (query: UserQuery) =>
  asksPerson(query) || query.role !== undefined || query.created_after !== undefined

/** Whether a filter is about the account, which a membership knows nothing of. */
const asksPerson = ({ q, email, status, mfa_enabled, last_login_after, last_login_before }: UserQuery) =>
  [q, email, status, mfa_enabled, last_login_after, last_login_before].some((filter) => filter !== undefined)

/**
 * user_id and sort key of the page, plus one row that shows whether another page follows. By e-mail or name the people of
 * a large site are looked for among everybody, in the order of an index; all members are sorted where that finds too few.
 */
function picked(sql: Lane, caller: Caller, scope: Scope, query: UserQuery, after: Cursor | undefined) {
  const direction = isDescending(query) ? sql`desc` : sql`asc`
  const skip = after ? 0 : offsetOf(query)
  const span = sql`order by key ${direction}, user_id ${direction} limit ${query.per_page + 1} offset ${skip}`
  const sorted = sql`
    ${matching(sql, caller, scope, query)} ${after ? beyond(sql, scope, query, after) : sql``} ${span}`
  const isByName = ['email', 'display_name'].includes(sortOf(query))
  if (scope.who !== 'members' || isFiltered(query) || !isByName || skip + query.per_page >= MANY)
    return sorted
  const key = keyOf(sql, EVERYBODY, sortOf(query))
  return sql`
    with site as materialized (
      select min(here.environment) as environment from sso.member_counts here
       where here.site_id = ${scope.site_id} and ${isMemberVisible(sql, caller)} and here.members > 0
             and ${isOwn(sql, caller, scope.site_id)}
      having count(distinct here.environment) = 1 and sum(here.members) >= ${MANY}),
    walked as materialized (
      select user_id, key
        from (select u.user_id, ${key} as key from sso.users u
               where u.environment = (select environment from site) and u.status <> 'deleted'
                     ${after ? beyond(sql, EVERYBODY, query, after) : sql``}
               order by key ${direction}, user_id ${direction} limit 5000) as everybody
       where (select true from sso.memberships m
               where m.user_id = everybody.user_id and m.site_id = ${scope.site_id}) ${span})
    select user_id, key from walked where (select count(*) from walked) > ${query.per_page}
    union all
    select user_id, key from (${sorted}) as sorted where (select count(*) from walked) <= ${query.per_page}`
}

const isDescending = ({ sort }: UserQuery) => sort.startsWith('-')
const sortOf = ({ sort }: UserQuery) => sort.replace('-', '') as Sort

function beyond(sql: Lane, scope: Scope, query: UserQuery, { key, id }: Cursor) {
  const sort = sortOf(query)
  const value = sort.endsWith('_at') ? sql`${key}::timestamptz` : sql`${key}::text`
  const user_id = scope.who === 'members' ? sql`here.user_id` : sql`u.user_id`
  return isDescending(query)
    ? sql`and (${keyOf(sql, scope, sort)}, ${user_id}) < (${value}, ${id}::uuid)`
    : sql`and (${keyOf(sql, scope, sort)}, ${user_id}) > (${value}, ${id}::uuid)`
}

/** The sort key, never null. */
function keyOf(sql: Lane, { who }: Scope, sort: Sort) {
  if (sort === 'email') return sql`u.email_fold`
  if (sort === 'display_name') return sql`u.display_name_fold`
  if (sort === 'last_login_at') return sql`coalesce(u.last_login_at, 'epoch')`
  return who === 'members' ? sql`here.user_created_at` : sql`u.created_at`
}

/** Members sorted by age come from memberships alone, in index order. */
function matching(sql: Lane, caller: Caller, scope: Scope, query: UserQuery) {
  const sort = sortOf(query)
  const key = keyOf(sql, scope, sort)
  if (scope.who === 'everybody')
    return sql`
      select u.user_id, ${key} as key from ${people(sql, query)} u
       where u.environment = ${caller.environment} and u.status <> 'deleted' and ${isOperatorNow(sql, caller)}
         ${filters(sql, caller, scope, query)}`
  if (scope.who === 'self')
    return sql`
      select u.user_id, ${key} as key
        from ${people(sql, query)} u
        left join sso.memberships here on here.user_id = u.user_id and here.site_id = ${scope.site_id}
       where u.user_id = ${caller.user_id} and u.status <> 'deleted' ${filters(sql, caller, scope, query)}`
  const joins = sort !== 'created_at' || asksPerson(query)
  return sql`
    select here.user_id, ${key} as key
      from sso.memberships here ${joins ? sql`join ${people(sql, query)} u on u.user_id = here.user_id` : sql``}
     where here.site_id = ${scope.site_id} and ${isMemberVisible(sql, caller)} and ${isOwn(sql, caller, scope.site_id)}
       ${joins ? sql`and u.status <> 'deleted'` : sql``} ${filters(sql, caller, scope, query)}`
}

/**
 * The people to search. Hits are materialized first: otherwise PostgreSQL walks everybody in list order and compares
 * words, which is slow for rare ones.
 */
const people = (sql: Lane, { q }: UserQuery) =>
  q === undefined
    ? sql`sso.users`
    : sql`(
        with hits as materialized (
          select user_id, environment, status, created_at, email_fold, display_name_fold, last_login_at from sso.users
           where status <> 'deleted' and search @@ (select foundation.search_query(${q}, true)))
        select * from hits)`

/** A sandbox token does not see production managers of its site. */
const isMemberVisible = (sql: Lane, { environment }: Caller) =>
  environment === 'production' ? sql`true` : sql`here.environment = ${environment}`

const isOwn = (sql: Lane, caller: Caller, site_id: string) =>
  sql`exists (select from (${sitesOfAdmin(sql, caller)}) as own where own.site_id = ${site_id})`

/** `status` is the account's, as in User. `role` is the one at the site, or at any site if none is named. */
function filters(sql: Lane, caller: Caller, scope: Scope, query: UserQuery) {
  const { email, status, role, created_after, mfa_enabled, last_login_after, last_login_before } = query
  // The e-mail index starts with the environment.
  const visible = caller.environment === 'production' ? ['production', 'sandbox'] : ['sandbox']
  const born = keyOf(sql, scope, 'created_at')
  const hasRole =
    scope.who === 'everybody'
      ? sql`exists (select from sso.memberships m where m.user_id = u.user_id and m.role = ${role ?? null})`
      : sql`here.role = ${role ?? null}`
  return sql`
    ${scope.who === 'self' && asksHidden(caller, query) ? sql`and false` : sql``}
    ${email === undefined ? sql`` : sql`and u.email_fold = ${foldEmail(email)} and u.environment = any(${visible})`}
    ${status === undefined ? sql`` : sql`and u.status = ${status}`}
    ${role === undefined ? sql`` : sql`and ${hasRole}`}
    ${created_after === undefined ? sql`` : sql`and ${born} > ${created_after}::timestamptz`}
    ${mfa_enabled === undefined ? sql`` : sql`and ${hasFactor(sql)} = ${mfa_enabled}`}
    ${last_login_after === undefined ? sql`` : sql`and u.last_login_at >= ${last_login_after}::timestamptz`}
    ${last_login_before === undefined ? sql`` : sql`and coalesce(u.last_login_at, '-infinity') < ${last_login_before}::timestamptz`}`
}

/** A filter on what the token's scope hides finds nobody, or it would tell what it is. `q` looks at names and addresses. */
const asksHidden = ({ scope }: Caller, { q, email, mfa_enabled, ...query }: UserQuery) => {
  const last_login_at = query.last_login_after ?? query.last_login_before
  const asked = Object.entries({ email: q ?? email, display_name: q, mfa_enabled, last_login_at })
  return isHidden(Object.fromEntries(asked.filter(([, value]) => value !== undefined)), scope)
}

/** All who have a factor are read at once: everybody is compared with them. */
const hasFactor = (sql: Lane) =>
  sql`(u.user_id in (select f.user_id from sso.mfa_factors f where f.activated_at is not null))`

/** Reads the member count from a counter, so large sites cost no more (docs/decisions/counters-of-lists.md). */
const membersOf = (sql: Lane, caller: Caller, { site_id }: Members) => sql`
  select coalesce(sum(here.members), 0)::int as total from sso.member_counts here
   where here.site_id = ${site_id} and ${isMemberVisible(sql, caller)} and ${isOwn(sql, caller, site_id)}`

/**
 * The full rows of a page. `roles`: all for the caller themselves (a partner's token: only its site), else those on the
 * caller's sites.
 */
function shown(sql: Lane, caller: Caller, scope: Scope, rows: ReturnType<typeof picked>, query: UserQuery) {
  const direction = isDescending(query) ? sql`desc` : sql`asc`
  const isSelf = scope.who === 'self'
  const atSite = scope.who === 'everybody' ? sql`true` : sql`m.site_id = ${scope.site_id}`
  const tenant_id: TenantId =
    scope.who === 'everybody'
      ? null
      : sql`(select i.tenant_id from sso.sites i where i.site_id = ${scope.site_id})`
  const isSeen = isSelf
    ? isSiteToSee(sql, caller)
    : isOperator(caller)
      ? sql`true`
      : sql`m.site_id in (select site_id from own)`
  return sql`
    with own as materialized (${sitesOfAdmin(sql, caller)}), picked as materialized (${rows})
    select picked.key, ${userColumns(sql, tenant_id)}, here.external_id, ${isSelf ? sql`null` : sql`here.member_status`} as member_status,
           (select coalesce(jsonb_agg(jsonb_build_object('site_code', i.site_code, 'role', m.role)
                                      order by i.site_code), '[]')
              from sso.memberships m join sso.sites i using (site_id)
             where m.user_id = u.user_id and i.deleted_at is null and ${isSeen}) as roles
      from picked join sso.users u using (user_id)
      left join lateral (
        select m.external_id, ${memberStatus(sql)} as member_status from sso.memberships m
         where m.user_id = u.user_id and ${atSite}
         order by m.site_id = ${caller.site_id} desc, m.joined_at, m.site_id limit 1) here on true
     where u.user_id = any(array(select user_id from picked)) and u.status <> 'deleted' and ${isVisibleFrom(sql, caller)}
     order by picked.key ${direction}, picked.user_id ${direction}`
}
