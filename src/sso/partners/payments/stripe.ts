import type { Tx } from '#foundation/database/database.ts'
import { badRequest, unauthorized, unavailable } from '#foundation/errors.ts'
import type { SsoParts } from '../../core/parts.ts'
import { meaningOf, type Told } from './stripe-meaning.ts'
import { type LockedOrder, lockOrder, mayBecome, moveOrder, type Mover } from './transition.ts'

/** The result of an event, stored with its id. */
type Outcome =
  | 'done'
  | 'unknown_order'
  | 'stale'
  | 'early'
  | 'wrong_amount'
  | 'test_mode'
  | 'too_late'
  | 'paid_twice'
  | 'period_open'
  | 'site_deleted'

const SIGNATURE_WANTED = { headers: { 'WWW-Authenticate': 'Stripe-Signature' } }

/**
 * Handles a Stripe webhook: the raw body and the header Stripe-Signature. A paid plan order is fulfilled in the same
 * transaction. Each event counts once, in any order; ignored types are accepted. 401 for a missing, wrong or expired
 * signature; 503 while no secret is set, so that Stripe retries.
 */
export async function takeStripeEvent(
  { config, database, log }: Pick<SsoParts, 'config' | 'database' | 'log'>,
  body: Uint8Array,
  signature: string | undefined,
): Promise<void> {
  if (config.STRIPE_WEBHOOK_SECRET === undefined)
    throw unavailable('payments_not_configured', 'STRIPE_WEBHOOK_SECRET is not set', 3_600)
  const told = meaningOf(
    await verified(body, signature, config.STRIPE_WEBHOOK_SECRET, config.STRIPE_WEBHOOK_TOLERANCE),
  )
  if (!told) return
  const outcome = await database.transaction(async (tx) => {
    const [fresh] = await tx`
      insert into sso.payment_events (event_id, event_type, payment_id, outcome)
      values (${told.event_id}, ${told.event_type}, ${told.payment_id ?? null}, 'unknown_order') on conflict do nothing returning event_id`
    // Already handled, or handled by another process that this insert waited for.
    if (!fresh) return 'repeated'
    const order = told.order_id === undefined ? undefined : await lockOrder(tx, told.order_id)
    if (!order) return 'unknown_order'
    const became = await follow(tx, order, told)
    await tx`
      update sso.payment_events set order_id = ${order.order_id}, outcome = ${became}
       where event_id = ${told.event_id}`
    return became
  })
  const { event_id, event_type, order_id } = told
  const line = { event_id, event_type, order_id, outcome }
  // Money has moved but no order reflects it, so a person must look.
  if (['too_late', 'paid_twice', 'period_open', 'wrong_amount', 'site_deleted'].includes(outcome))
    log.error(line, 'a payment needs a person')
  else log.info(line, 'payment event')
}

/** Imported on demand: the library is a seventh of the code loaded at start, and most installations never need it. */
async function verified(body: Uint8Array, signature: string | undefined, secret: string, tolerance: number) {
  const { default: stripe } = await import('stripe')
  try {
    return stripe.webhooks.constructEvent(body, signature ?? '', secret, tolerance)
  } catch (error) {
    if (error instanceof stripe.errors.StripeSignatureVerificationError)
      throw unauthorized('signature_invalid', 'The signature is missing, wrong or too old', {
        ...SIGNATURE_WANTED,
        cause: error,
      })
    throw badRequest('malformed_json', 'This is no event of Stripe', { cause: error })
  }
}

async function follow(tx: Tx, order: LockedOrder, told: Told): Promise<Outcome> {
  const { next, event_id } = told
  if (told.is_test && order.environment === 'production') return 'test_mode'
  if (next === 'refunded' && order.status === 'pending') return 'early'
  const isOther = await isOtherPayment(tx, order.order_id, told)
  if (!mayBecome(order, next)) {
    if (next !== 'paid') return 'stale'
    if (order.status === 'failed' || order.status === 'canceled') return 'too_late'
    return isOther ? 'paid_twice' : 'stale'
  }
  // The refund of a payment that was never applied to the order.
  if (next === 'refunded' && isOther) return 'stale'
  if (next === 'paid' && !isEnough(order, told)) return 'wrong_amount'
  // Nobody was asked to pay this yet: a month is invoiced only once it is closed.
  if (order.is_open) return next === 'paid' ? 'period_open' : 'stale'
  const mover: Mover = { actor_user_id: null, event_id }
  const moved = await moveOrder(tx, order, next, mover)
  if (next !== 'paid') return 'done'
  if (await wasRefundedBefore(tx, order.order_id, told)) await moveOrder(tx, moved, 'refunded', mover)
  else if (order.kind === 'plan' && order.is_site_gone) return 'site_deleted'
  else if (order.kind === 'plan') await moveOrder(tx, moved, 'fulfilled', mover)
  return 'done'
}

/** At least the order's amount, because taxes may be added to it. */
const isEnough = (order: LockedOrder, { amount, currency }: Told) =>
  (amount ?? -1) >= order.amount && currency?.toUpperCase() === order.currency

/** True if a different payment paid the order: the customer paid twice, or paid incorrectly first. */
async function isOtherPayment(tx: Tx, order_id: string, { payment_id }: Told): Promise<boolean> {
  if (payment_id === undefined) return false
  const rows = await tx`
    select from sso.payment_events
     where order_id = ${order_id} and outcome = any('{done,site_deleted}') and event_type <> 'charge.refunded'
       and payment_id <> ${payment_id} limit 1`
  return rows.length > 0
}

/**
 * Events may arrive out of order: a refund can precede its payment. A refund of a different payment does not count.
 */
async function wasRefundedBefore(tx: Tx, order_id: string, { payment_id }: Told): Promise<boolean> {
  const rows = await tx`
    select from sso.payment_events
     where order_id = ${order_id} and outcome = 'early' and coalesce(payment_id = ${payment_id ?? null}, true) limit 1`
  return rows.length > 0
}
