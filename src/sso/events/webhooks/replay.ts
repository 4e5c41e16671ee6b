import { type Static, Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { conflict, notFound } from '#foundation/errors.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { requireManaged } from './access.ts'
import { type Delivery, Delivery as DeliverySchema, readDeliveries } from './deliveries.ts'
import { insertDeliveries } from './insert-deliveries.ts'

export type ReplayBody = Static<typeof ReplayBody>
export const ReplayBody = Type.Object({ webhook_id: Type.Optional(Uuid) })
/** One delivery, or `items` if the event went to several endpoints. */
export const Replayed = Type.Object({
  ...Type.Partial(DeliverySchema).properties,
  items: Type.Optional(Type.Array(DeliverySchema)),
})

type ToReplay = {
  webhook_id: string
  /** The latest run; 0 if the endpoint was never sent this event. */
  run: number
  delivery_id: string | null
  state: Delivery['status'] | null
}

/**
 * Sends an event again with the same id and bytes and a full retry schedule; a run that still waits is attempted now.
 * Targets: all endpoints it went to, or one endpoint of the site, even a newer one. 403, 404, 409 event_erased, 409
 * no_endpoint when none is left.
 */
export async function replayEvent(
  { database }: SsoParts,
  caller: Caller,
  event_id: string,
  { webhook_id }: ReplayBody,
  from: Origin,
): Promise<Delivery[]> {
  return database.transaction(async (tx) => {
    const { site_id, environment } = await requireManaged(tx, caller, { event_id })
    const [event] = await tx<{ event_type: string; is_erased: boolean }[]>`
      select event_type, body is null or erased_at is not null as is_erased
        from sso.webhook_events where event_id = ${event_id} and site_id = ${site_id} for update`
    if (!event) throw notFound()
    if (event.is_erased) throw conflict('event_erased', 'The person this event is about has been erased')
    const targets = await findTargets(tx, { event_id, site_id, webhook_id: webhook_id ?? null })
    if (targets.length === 0 && webhook_id !== undefined) throw notFound()
    if (targets.length === 0)
      throw conflict('no_endpoint', 'No endpoint that this event was sent to is left; name one as webhook_id')
    const waiting = targets.flatMap(({ state, delivery_id }) =>
      state === 'pending' && delivery_id !== null ? [delivery_id] : [],
    )
    await hurry(tx, waiting)
    const started = await insertDeliveries(
      tx,
      targets.flatMap((target) =>
        target.state === 'pending'
          ? []
          : [
              {
                event_id,
                site_id,
                event_type: event.event_type,
                webhook_id: target.webhook_id,
                run: target.run + 1,
                state: 'pending' as const,
              },
            ],
      ),
    )
    await recordAct(
      tx,
      {
        action: 'webhook_event.replayed',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { event_id, webhook_ids: targets.map((target) => target.webhook_id) },
      },
      from,
    )
    return readDeliveries(tx, [...waiting, ...started])
  })
}

/** Live endpoints of the site with their latest run. The event is locked, so nobody else adds a run. */
function findTargets(
  tx: Tx,
  { event_id, site_id, webhook_id }: { event_id: string; site_id: string; webhook_id: string | null },
): Promise<ToReplay[]> {
  return tx<ToReplay[]>`
    select w.webhook_id, coalesce(d.run, 0) as run, d.delivery_id, d.state
      from sso.webhook_endpoints w
      left join lateral (
        select run, delivery_id, state from sso.webhook_deliveries
         where event_id = ${event_id} and webhook_id = w.webhook_id order by run desc limit 1) d on true
     where w.site_id = ${site_id} and w.deleted_at is null
       and (w.webhook_id = ${webhook_id} or ${webhook_id}::uuid is null and d.run is not null)
     order by w.created_at, w.webhook_id`
}

/** Makes waiting deliveries due now. If an attempt under way fails, the next one follows at once. */
async function hurry(tx: Tx, delivery_ids: string[]) {
  await tx`
    update sso.webhook_deliveries set next_attempt_at = clock_timestamp()
     where delivery_id = any(${delivery_ids}::uuid[]) and state = 'pending'`
}
