import { offsetOf } from '#foundation/http/paging.ts'
import { accessible, type Actor, counting, roleOn, type Sql } from '../access.ts'
import { type Condition, conditionsOf, type ListQuery } from '../query/conditions.ts'
import type { Fragment, Listing } from '../query/listing.ts'
import { beyond, keyColumns, keyed, orderBy, termsOf } from '../query/order.ts'

export type Scope = 'own' | 'all'
export type CollectionsOf = { actor: Actor; scope: Scope; listing: Listing }

/**
 * Filters, sorts and counts what the actor sees, each row read once. The ids come as an array, so that the plan is the
 * same without statistics. Rows of the page are judged once more when they are shown.
 */
export function matching(sql: Sql, of: CollectionsOf, query: ListQuery): Fragment {
  const { actor, listing } = of
  const terms = termsOf(sql, listing, query, sql`node.id`)
  const found = keyed(sql, terms, 'matching')
  const { sets, ids, conditions } = parentsOf(query) ? children(sql, of, query) : everything(sql, of, query)
  return sql`
    ${sets}
    matching as materialized (
      select node.id, ${keyColumns(sql, terms)}
        from collections.collections as node
       where node.id = any(array(${ids})) and node.tenant_id = ${actor.tenant_id}
             ${conditionsOf(sql, listing, { ...query, conditions })}),
    counted as (select count(*) as total from matching),
    picked as (
      select matching.* from matching where true ${beyond(sql, found, query.after)}
       order by ${orderBy(sql, found)} limit ${query.per_page + 1} offset ${offsetOf(query)})`
}

type Source = { sets: Fragment; ids: Fragment; conditions: Condition[] }

const isOfRole = ({ name }: Condition) => name === 'my_role'

function everything(sql: Sql, { actor, scope, listing }: CollectionsOf, query: ListQuery): Source {
  const seen = scope === 'all' ? accessible(sql, actor, scope) : counting(sql, actor)
  const ofRole = { ...query, q: undefined, conditions: query.conditions.filter(isOfRole) }
  return {
    sets: sql`accessible as materialized (${seen}),`,
    ids: sql`select collection_id from accessible where true ${conditionsOf(sql, listing, ofRole)}`,
    conditions: query.conditions.filter((condition) => !isOfRole(condition)),
  }
}

const NEED_ALL: readonly string[] = ['my_role', 'ancestor_id', 'parent_id']

/** The condition that names parents, if it alone decides which collections are in question. */
function parentsOf({ conditions }: ListQuery): Condition | undefined {
  const [one, ...more] = conditions.filter(({ name }) => NEED_ALL.includes(name))
  const isNaming = one?.name === 'parent_id' && ['eq', 'in'].includes(one.operator)
  return isNaming && more.length === 0 ? one : undefined
}

/**
 * Below a parent one sees the children that inherit, and those where one is a member: nothing else is judged. `offset 0`:
 * the role on the parent is read once, not for each child.
 */
function children(sql: Sql, { actor, scope }: CollectionsOf, query: ListQuery): Source {
  const { user_id, tenant_id, is_site_admin } = actor
  const named = parentsOf(query)
  const values = named?.values ?? []
  const parents = values.filter((value) => value !== 'root')
  const isAll = scope === 'all' && is_site_admin
  const below = sql`
    select child.id
      from (select up.id, ${roleOn(sql, actor, 'up')} is not null as is_own
              from collections.collections as up
             where up.id = any(${parents}::uuid[]) and up.tenant_id = ${tenant_id} offset 0) as parent
      join collections.collections as child on child.tenant_id = ${tenant_id} and child.parent_id = parent.id
     where (${is_site_admin}::boolean or parent.is_own)
       and (${isAll}::boolean or (child.inherit_members and parent.is_own)
            or exists (select from collections.members as own
                        where own.tenant_id = ${tenant_id} and own.collection_id = child.id and own.user_id = ${user_id}))`
  const ids = values.includes('root') ? sql`${below} union all ${tops(sql, actor, isAll)}` : below
  return { sets: sql``, ids, conditions: query.conditions.filter((condition) => condition !== named) }
}

/** The collections without a parent that the actor sees: whoever sees one is a direct member of it. */
const tops = (sql: Sql, actor: Actor, isAll: boolean) =>
  isAll
    ? sql`select top.id from collections.collections as top
           where top.tenant_id = ${actor.tenant_id} and top.parent_id is null`
    : sql`
      select top.id
        from collections.members as membership
        join collections.collections as top on top.id = membership.collection_id and top.tenant_id = ${actor.tenant_id}
        left join collections.collections as up on up.tenant_id = top.tenant_id and up.id = top.parent_id
       where membership.tenant_id = ${actor.tenant_id} and membership.user_id = ${actor.user_id}
         and (up.id is null or (not ${actor.is_site_admin}::boolean and ${roleOn(sql, actor, 'up')} is null))`
