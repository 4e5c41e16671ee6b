import type Stripe from 'stripe'
import { badRequest } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import type { OrderStatus } from './order.ts'

/** What a Stripe event means for one of our orders. */
export type Told = {
  event_id: string
  event_type: string
  order_id: string | undefined
  next: Extract<OrderStatus, 'paid' | 'failed' | 'canceled' | 'refunded'>
  /** The payment intent, shared by the events of one payment. Invoices have none. */
  payment_id: string | undefined
  /** The amount paid, in the smallest unit of the currency. */
  amount?: number | null | undefined
  currency?: string | null | undefined
  is_test: boolean
}

/** Longer than any Stripe id. */
const ID_LENGTH = 255

type Meaning = Pick<Told, 'next' | 'amount' | 'currency'> & { order_id: unknown; payment?: unknown }

/** Our order_id is in the object's metadata; a checkout session also has it as client_reference_id. */
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
 * Only final outcomes count. A failed attempt may still succeed (payment_intent.payment_failed), so it changes nothing;
 * neither does a partial refund.
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

/** Undefined for event types we ignore. 400 for anything that is not an event. */
export function meaningOf({ id, type, livemode, data }: Stripe.Event): Told | undefined {
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
