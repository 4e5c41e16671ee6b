import { one, type Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin } from '../../core/parts.ts'
import { recordFact } from '../../events/facts/facts.ts'
import { paymentCompleted } from '../../events/facts/telling.ts'
import { type Order, orderColumns, type OrderStatus } from './order.ts'

/** Allowed transitions from each status (docs/choices-sso.md); all others are 409. */
const NEXT: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ['paid', 'failed', 'canceled'],
  paid: ['fulfilled', 'refunded'],
  fulfilled: ['refunded'],
  failed: [],
  canceled: [],
  refunded: [],
}

export const mayBecome = ({ status }: Pick<Order, 'status'>, next: OrderStatus) => NEXT[status].includes(next)

export type LockedOrder = Order & {
  environment: 'sandbox' | 'production'
  is_open: boolean
  is_site_gone: boolean
}

/**
 * Locks an order, after its site, whose plan may change. `is_open`: its month is not closed yet. Undefined: no such
 * order.
 */
export async function lockOrder(tx: Tx, order_id: string): Promise<LockedOrder | undefined> {
  await tx`
    select from sso.sites i where i.site_id = (select o.site_id from sso.orders o where o.order_id = ${order_id})
       for no key update of i`
  await tx`select from sso.orders where order_id = ${order_id} for update`
  // Read again: the statement that waited for the lock saw the order as it was before.
  const [order] = await tx<LockedOrder[]>`
    select ${orderColumns(tx)}, i.environment, i.deleted_at is not null as is_site_gone,
           o.kind = 'registration_usage' and o.closed_at is null as is_open
      from sso.orders o join sso.sites i using (site_id) where o.order_id = ${order_id}`
  return order
}

/** Who changed the order: an operator, or the payment provider with its event id. */
export type Mover = { actor_user_id: string | null; from?: Origin | undefined; event_id?: string }

/**
 * Changes the status of a locked order, in the transaction that holds its lock. Fulfilling a plan order sets the site's
 * plan and records payment.completed in the same transaction; a refund takes the plan back. 409 illegal_transition,
 * period_open.
 */
export async function moveOrder(
  tx: Tx,
  order: LockedOrder,
  next: OrderStatus,
  mover: Mover,
): Promise<LockedOrder> {
  const { order_id, status, kind } = order
  if (!mayBecome(order, next))
    throw conflict('illegal_transition', `An order that is ${status} cannot become ${next}`)
  if (order.is_open) throw conflict('period_open', 'The month of this order is not closed yet')
  if (next === 'fulfilled' && order.is_site_gone)
    throw conflict('site_deleted', 'The site of this order was deleted')
  const moved = one(
    await tx<Order[]>`
      update sso.orders o
         set status = ${next},
             paid_at = case when ${next} = 'paid' then clock_timestamp() else o.paid_at end,
             fulfilled_at = case when ${next} = 'fulfilled' then clock_timestamp() else o.fulfilled_at end,
             ended_at = case when ${next} = any('{failed,canceled,refunded}') then clock_timestamp() end
        from sso.sites i where i.site_id = o.site_id and o.order_id = ${order_id}
      returning ${orderColumns(tx)}`,
  )
  if (kind === 'plan' && (next === 'fulfilled' || status === 'fulfilled')) await setPlan(tx, moved)
  if (kind === 'plan' && next === 'fulfilled') {
    const { site_id, site_code, plan, amount, currency, fulfilled_at } = moved
    const site = { site_id, site_code, environment: order.environment }
    // Set by the statement above.
    const completed = { order_id, plan, amount, currency, fulfilled_at: fulfilled_at ?? '' }
    await recordFact(tx, paymentCompleted(site, completed))
  }
  await recordAct(
    tx,
    {
      action: 'order.changed',
      environment: order.environment,
      site_id: order.site_id,
      actor_user_id: mover.actor_user_id,
      subject_user_id: null,
      details: {
        order_id,
        before: status,
        after: next,
        ...(mover.event_id !== undefined && { event_id: mover.event_id }),
      },
    },
    mover.from,
  )
  return { ...order, ...moved }
}

/** The plan of the last order that is fulfilled and not refunded; without one, the plan every site starts with. */
async function setPlan(tx: Tx, { site_id }: Order) {
  await tx`
    update sso.sites i set plan = fulfilled.plan, version = i.version + 1, updated_at = clock_timestamp()
      from (select coalesce(
             (select o.plan from sso.orders o
               where o.site_id = ${site_id} and o.kind = 'plan' and o.status = 'fulfilled'
               order by o.fulfilled_at desc, o.order_id desc limit 1), 'starter') as plan) as fulfilled
     where i.site_id = ${site_id} and i.plan <> fulfilled.plan`
}
