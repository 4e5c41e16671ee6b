import { accessible, roleOn, type Sql } from '../access.ts'
import type { ListQuery } from '../query/conditions.ts'
import type { Fragment } from '../query/listing.ts'
import { beyond, keyColumns, termsOf } from '../query/order.ts'
import type { CollectionsOf } from './matching.ts'

/** From this many collections on, the query walks the tenant's newest collections instead of sorting the actor's. */
export const MANY = 1_000
/** The walk stops after this many: the actor's collections may be the oldest of a large tenant. */
const WALKED = 2_000
/** Above this many memberships, sorting the actor's collections as a set is cheaper. */
const MEMBERSHIPS = 500

/**
 * The default page, at a cost that does not grow with the number of collections. The total sums over memberships,
 * except those below another one that counts there, so nothing counts twice. Few collections are sorted; with many,
 * the tenant's newest are checked one by one until the page is full.
 */
export function newest(sql: Sql, { actor, listing }: CollectionsOf, query: ListQuery): Fragment {
  const { user_id, tenant_id } = actor
  const { page: number, per_page, after } = query
  const reach = number * per_page + 1
  const terms = termsOf(sql, listing, query, sql`node.id`)
  return sql`
    own as materialized (
      select collection_id from collections.members
       where tenant_id = ${tenant_id} and user_id = ${user_id} order by collection_id limit ${MEMBERSHIPS + 1}),
    counted as materialized (
      select case when (select count(*) from own) <= ${MEMBERSHIPS}
                  then coalesce(sum(below.number), 0)::bigint end as total
        from own as top
       cross join lateral (
         select count(*) as number from collections.collection_ancestors as line
          where line.tenant_id = ${tenant_id} and line.ancestor_id = top.collection_id and line.counts) as below
       where (select count(*) from own) <= ${MEMBERSHIPS}
         -- As an array, so that it is asked from the lower one upwards: at most nine stand above it, but thousands below.
         and not exists (
           select from own as upper
            where upper.collection_id = any(array(
              select way.ancestor_id from collections.collection_ancestors as way
               where way.tenant_id = ${tenant_id} and way.descendant_id = top.collection_id and way.distance > 0 and way.counts)))),
    few as (
      select node.id, node.updated_at
        from (${accessible(sql, actor)}) as accessible
        join collections.collections as node on node.id = accessible.collection_id and node.tenant_id = ${tenant_id}
       where (select total from counted) < ${MANY} ${beyond(sql, terms, after)}
       order by node.updated_at desc, node.id desc limit ${reach}),
    many as (
      select node.id, node.updated_at
        from (select node.id, node.tenant_id, node.inherit_reach, node.updated_at from collections.collections as node
               where node.tenant_id = ${tenant_id} and (select total from counted) >= ${MANY} ${beyond(sql, terms, after)}
               order by node.updated_at desc, node.id desc limit ${WALKED}) as node
       cross join lateral ${roleOn(sql, actor)} as role(my_role)
       where role.my_role is not null
       order by node.updated_at desc, node.id desc limit ${reach}),
    picked as (
      select node.id, ${keyColumns(sql, terms)}
        from (select * from few union all select * from many) as node
       order by node.updated_at desc, node.id desc limit ${per_page + 1} offset ${reach - per_page - 1})`
}
