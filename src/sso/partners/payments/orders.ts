import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator, isOperatorNow, requireOwnSite, sitesOfAdmin } from '../../core/access/access.ts'
import { type Order, orderColumns, STATUSES } from './order.ts'

export type OrderQuery = Static<typeof OrderQuery>
export const OrderQuery = Type.Object({
  ...CursorQuery.properties,
  status: Type.Optional(OneOf([...STATUSES])),
  kind: Type.Optional(OneOf(['plan', 'registration_usage'])),
  site_code: Type.Optional(Type.String()),
})

/**
 * Lists orders of the sites the caller is ADMIN of, newest first; an operator sees all, anybody else none. With
 * site_code only that site's: 404 for a site they may not see, 403 for one they may see but not administer.
 */
export async function listOrders(db: Database, caller: Caller, query: OrderQuery) {
  const { fast, pool } = db
  const { status, kind, site_code } = query
  const site = site_code === undefined ? undefined : await requireOwnSite(fast, caller, site_code)
  const { order, after, skip } = startOf('orders:-created_at', caller, query)
  const chosen = pool`
    ${isShown(pool, caller)}
    ${site === undefined ? pool`` : pool`and o.site_id = ${site.site_id}`}
    ${status === undefined ? pool`` : pool`and o.status = ${status}`}
    ${kind === undefined ? pool`` : pool`and o.kind = ${kind}`}`
  const [found, count] = await bothOf(db.lists, caller.user_id, [
    pool<Order[]>`
      select ${orderColumns(pool)} from sso.orders o join sso.sites i using (site_id)
       where ${chosen}
             ${after ? pool`and (o.created_at, o.order_id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
       order by o.created_at desc, o.order_id desc limit ${query.per_page + 1} offset ${skip}`,
    pool<{ total: number }[]>`select count(*) as total from sso.orders o where ${chosen}`,
  ])
  return cursorPage({ found, count, query, order }, ({ order_id: id, created_at: key }) => ({ id, key }))
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
