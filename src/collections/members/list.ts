import type { Static } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { type CursorPage, offsetOf, page } from '#foundation/http/paging.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { type Actor, isVisible, logAdminAccess, type Role, roleOn, ROLES } from '../access.ts'
import { conditionsOf } from '../query/conditions.ts'
import { type Listing, listQuerySchema } from '../query/listing.ts'
import { beyond, cut, keyTexts, orderBy, termsOf } from '../query/order.ts'
import { readListQuery } from '../query/read.ts'
import { effectiveMembers, Member, memberColumns, type MemberRow, withProfiles } from './member.ts'

/** Rows are `member` of effectiveMembers. */
const listing: Listing = {
  name: 'members',
  fields: {
    role: {
      kind: 'word',
      words: ROLES,
      column: (sql) => sql`member.role`,
      order: (sql) => sql`member.role`,
      short: true,
    },
    source: {
      kind: 'word',
      words: ['direct', 'inherited'],
      column: (sql) => sql`member.source`,
      short: true,
    },
    joined_at: {
      kind: 'time',
      column: (sql) => sql`member.joined_at`,
      order: (sql) => sql`member.joined_at`,
    },
  },
  defaultSort: '-role,joined_at',
  shown: Object.keys(Member.properties),
}

export const MembersQuery = listQuerySchema(listing)

type Row = { total: number; my_role: Role | null; keys: string[] | null } & (MemberRow | { user_id: null })

/**
 * All users with access, each once. One statement reads rights, rows and total; one call to the sso reads names. 404.
 */
export async function listMembers(
  { db, identity }: { db: Database; identity: Identity },
  actor: Actor,
  collection_id: string,
  sent: Static<typeof MembersQuery>,
): Promise<CursorPage<Partial<Member>>> {
  const query = readListQuery(listing, sent, { actor, parent: collection_id })
  const sql = db.pool
  const conditions = conditionsOf(sql, listing, query)
  const terms = termsOf(sql, listing, query, sql`member.user_id`)
  const order = orderBy(sql, terms)
  const rows = await db.lists(
    actor.user_id,
    sql<Row[]>`
    with place as materialized (
      select node.id, node.tenant_id, node.inherit_reach, ${roleOn(sql, actor)} as my_role
        from collections.collections as node
       where node.id = ${collection_id} and ${isVisible(sql, actor)}),
    people as materialized (
      select member.* from place as node cross join lateral ${effectiveMembers(sql)} as member)
    select place.my_role, counted.total, ${memberColumns(sql, actor)}, ${keyTexts(sql, terms)} as keys
      from place
     cross join (select count(*) as total from people as member where true ${conditions}) as counted
      left join lateral (
        select * from people as member where true ${conditions} ${beyond(sql, terms, query.after)}
         order by ${order} limit ${query.per_page + 1} offset ${offsetOf(query)}) as member on true
     order by ${order}`,
  )
  const [first] = rows
  if (!first) throw notFound()
  logAdminAccess(actor, first.my_role, 'viewer', { collection_id })
  const { rows: shown, next_cursor } = cut(rows, query)
  const found = shown.filter((row): row is Row & MemberRow => row.user_id !== null)
  const role = actor.is_site_admin ? 'admin' : (first.my_role ?? 'viewer')
  const members = await withProfiles(identity, actor, role, found)
  const items = members.map((member) => narrow(member, query.fields))
  return { ...page(items, first.total, query), next_cursor }
}

/** `user_id` always stays, because it identifies the member. */
function narrow(member: Member, fields: string[] | undefined): Partial<Member> {
  if (!fields) return member
  const isNamed = ([name]: [string, unknown]) => name === 'user_id' || fields.includes(name)
  return Object.fromEntries(Object.entries(member).filter(isNamed))
}
