import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { offsetOf, page, PageQuery } from '#foundation/http/paging.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator, isOperatorNow, requireOwnSite, sitesOfAdmin } from '../../core/access/access.ts'
import { type Order, orderColumns, STATUSES } from './order.ts'

export type OrderQuery = Static<typeof OrderQuery>
export const OrderQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(OneOf([...STATUSES])),
  kind: Type.Optional(OneOf(['plan', 'registration_usage'])),
  site_code: Type.Optional(Type.String()),
})

/**
 * Lists orders of the sites the caller is ADMIN of, newest first; an operator sees all, anybody else none. With
 * site_code only that site's: 404 for a site they may not see, 403 for one they may see but not administer.
 */
export async function listOrders({ fast }: Database, caller: Caller, query: OrderQuery) {
  const { status, kind, site_code } = query
  const site = site_code === undefined ? undefined : await requireOwnSite(fast, caller, site_code)
  const chosen = fast`
    ${isShown(fast, caller)}
    ${site === undefined ? fast`` : fast`and o.site_id = ${site.site_id}`}
    ${status === undefined ? fast`` : fast`and o.status = ${status}`}
    ${kind === undefined ? fast`` : fast`and o.kind = ${kind}`}`
  const [items, count] = await Promise.all([
    fast<Order[]>`
      select ${orderColumns(fast)} from sso.orders o join sso.sites i using (site_id)
       where ${chosen} order by o.created_at desc, o.order_id desc
       limit ${query.per_page} offset ${offsetOf(query)}`,
    fast<{ total: number }[]>`select count(*) as total from sso.orders o where ${chosen}`,
  ])
  return page([...items], one(count).total, query)
}

/** Undefined unless the caller is ADMIN of the order's site; an operator finds any order. */
export async function findOrder(sql: Lane, caller: Caller, order_id: string): Promise<Order | undefined> {
  const [order] = await sql<Order[]>`
    select ${orderColumns(sql)} from sso.orders o join sso.sites i using (site_id)
     where o.order_id = ${order_id} and ${isShown(sql, caller)}`
  return order
}

/** An operator also sees orders of deleted sites, because their debts remain. */
const isShown = (sql: Lane, caller: Caller) =>
  isOperator(caller) ? isOperatorNow(sql, caller) : sql`o.site_id in (${sitesOfAdmin(sql, caller)})`
