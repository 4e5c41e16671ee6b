import type Stripe from 'stripe'
import type { Tx } from '#foundation/database.ts'
import { badRequest, unauthorized, unavailable } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { OrderStatus } from './order.ts'
import { type LockedOrder, lockOrder, mayBecome, moveOrder, type Mover } from './transition.ts'

/** What a message of Stripe means for one of our orders. */
type Told = {
  event_id: string
  event_type: string
  order_id: string | undefined
  next: Extract<OrderStatus, 'paid' | 'failed' | 'canceled' | 'refunded'>
  /** The payment intent, which the messages of one payment share. Invoices name none. */
  payment_id: string | undefined
  /** What was paid, in the smallest unit of the currency. */
  amount?: number | null | undefined
  currency?: string | null | undefined
  is_test: boolean
}

/** What became of a message; kept with its id. */
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
/** Longer than any id of Stripe's. */
const ID_LENGTH = 255

/**
 * Takes a message of the payment provider: the bytes as they came and the header Stripe-Signature. An order that is paid is
 * fulfilled in the same transaction. Each event counts once, in whatever order they come; what means nothing to us is taken
 * and forgotten. 401 for a signature that is missing, wrong or too old, 503 while no secret is set: Stripe comes back.
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
    // Taken before, or by another process whose end this insert waited for.
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
  // Money has moved and no order says so: a person has to look.
  if (['too_late', 'paid_twice', 'period_open', 'wrong_amount', 'site_deleted'].includes(outcome))
    log.error(line, 'a payment needs a person')
  else log.info(line, 'payment event')
}

/** The library is a seventh of the code of a start, and most installations never need it. */
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

type Meaning = Pick<Told, 'next' | 'amount' | 'currency'> & { order_id: unknown; payment?: unknown }

/** Our order_id stands in the metadata of the object, in a checkout session also as client_reference_id. */
const inMetadata = ({ metadata }: { metadata?: Stripe.Metadata | null }) => metadata?.['order_id']
const inSession = (session: Stripe.Checkout.Session) => inMetadata(session) ?? session.client_reference_id

const paidSession = (session: Stripe.Checkout.Session): Meaning | undefined =>
  session.payment_status === 'unpaid'
    ? undefined
    : {
        next: 'paid',
        order_id: inSession(session),
        payment: session.payment_intent,
        amount: session.amount_total,
        currency: session.currency,
      }

/**
 * Only what ends the matter: a payment that failed once may still succeed (payment_intent.payment_failed), so it changes
 * nothing, and neither does a refund of a part.
 */
const MEANINGS: Partial<Record<Stripe.Event['type'], (object: never) => Meaning | undefined>> = {
  'checkout.session.completed': paidSession,
  'checkout.session.async_payment_succeeded': paidSession,
  'checkout.session.async_payment_failed': (session: Stripe.Checkout.Session) => ({
    next: 'failed',
    order_id: inSession(session),
  }),
  'checkout.session.expired': (session: Stripe.Checkout.Session) => ({
    next: 'canceled',
    order_id: inSession(session),
  }),
  'payment_intent.succeeded': (intent: Stripe.PaymentIntent) => ({
    next: 'paid',
    order_id: inMetadata(intent),
    payment: intent.id,
    amount: intent.amount_received,
    currency: intent.currency,
  }),
  'payment_intent.canceled': (intent: Stripe.PaymentIntent) => ({
    next: 'canceled',
    order_id: inMetadata(intent),
  }),
  'invoice.paid': (invoice: Stripe.Invoice) => ({
    next: 'paid',
    order_id: inMetadata(invoice),
    amount: invoice.amount_paid,
    currency: invoice.currency,
  }),
  'invoice.voided': (invoice: Stripe.Invoice) => ({ next: 'canceled', order_id: inMetadata(invoice) }),
  'invoice.marked_uncollectible': (invoice: Stripe.Invoice) => ({
    next: 'failed',
    order_id: inMetadata(invoice),
  }),
  'charge.refunded': (charge: Stripe.Charge) =>
    charge.refunded
      ? { next: 'refunded', order_id: inMetadata(charge), payment: charge.payment_intent }
      : undefined,
}

/** Undefined for what means nothing to us. 400 for what is no event. */
function meaningOf({ id, type, livemode, data }: Stripe.Event): Told | undefined {
  if (
    typeof id !== 'string' ||
    id.length > ID_LENGTH ||
    typeof data?.object !== 'object' ||
    data.object === null
  )
    throw badRequest('malformed_event', 'This is no event of Stripe')
  const meaning = Object.hasOwn(MEANINGS, type) ? MEANINGS[type]?.(data.object as never) : undefined
  if (!meaning) return undefined
  const { order_id, payment, ...told } = meaning
  return {
    event_id: id,
    event_type: type,
    order_id: typeof order_id === 'string' && isUuid(order_id) ? order_id.toLowerCase() : undefined,
    payment_id: typeof payment === 'string' && payment.length <= ID_LENGTH ? payment : undefined,
    ...told,
    is_test: livemode === false,
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
  // Money that never counted was given back.
  if (next === 'refunded' && isOther) return 'stale'
  if (next === 'paid' && !isEnough(order, told)) return 'wrong_amount'
  // Nobody was asked to pay it: a month is sent out once it is closed.
  if (order.is_open) return next === 'paid' ? 'period_open' : 'stale'
  const mover: Mover = { actor_user_id: null, event_id }
  const moved = await moveOrder(tx, order, next, mover)
  if (next !== 'paid') return 'done'
  if (await wasRefundedBefore(tx, order.order_id, told)) await moveOrder(tx, moved, 'refunded', mover)
  else if (order.kind === 'plan' && order.is_site_gone) return 'site_deleted'
  else if (order.kind === 'plan') await moveOrder(tx, moved, 'fulfilled', mover)
  return 'done'
}

/** Taxes may stand on top of what an order says. */
const isEnough = (order: LockedOrder, { amount, currency }: Told) =>
  (amount ?? -1) >= order.amount && currency?.toUpperCase() === order.currency

/** The order was paid by another payment than the one this is about: the customer paid twice, or paid wrongly first. */
async function isOtherPayment(tx: Tx, order_id: string, { payment_id }: Told): Promise<boolean> {
  if (payment_id === undefined) return false
  const rows = await tx`
    select from sso.payment_events
     where order_id = ${order_id} and outcome = any('{done,site_deleted}') and event_type <> 'charge.refunded'
       and payment_id <> ${payment_id} limit 1`
  return rows.length > 0
}

/** Messages overtake each other: the refund of a payment we had not heard of. One of other money counts for nothing. */
async function wasRefundedBefore(tx: Tx, order_id: string, { payment_id }: Told): Promise<boolean> {
  const rows = await tx`
    select from sso.payment_events
     where order_id = ${order_id} and outcome = 'early' and coalesce(payment_id = ${payment_id ?? null}, true) limit 1`
  return rows.length > 0
}
