import { startRunner } from '#foundation/jobs/runner.ts'
import { openOutbound, type OutboundEdges } from '#foundation/outbound.ts'
import type { ServiceParts } from '#foundation/service.ts'
import { deliveryHandler, type DeliveryParts, type Send } from './deliver.ts'
import { JOB_KINDS } from '../facts/events.ts'
import { fanOutHandler } from './fan-out.ts'
import { createDestinations } from './destinations.ts'
import { releaseHandler } from './held.ts'
import { createHostRate } from './host-rate.ts'
import type { SignLogout } from './logout-token.ts'
import { measureWebhooks } from './metrics.ts'
import { outboundPolicies } from './policy.ts'
import { sweepWebhooks } from './retention.ts'

export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>

export type WebhookParts = Pick<
  ServiceParts,
  'config' | 'database' | 'keys' | 'log' | 'metrics' | 'ownPorts'
> & {
  signLogout: SignLogout
  onDeletionFailed?: DeliveryParts['onDeletionFailed']
}

type EngineOptions = { edges?: OutboundEdges; wrap?: (send: Send) => Send; maxInFlight?: number }

/** A partner's answer takes up to 5 s, a slot costs next to nothing. */
const MAX_IN_FLIGHT = 256
/** For the back channel, however many lifecycle events wait for slow partners. */
const URGENT_SLOTS = 32
const SWEEP_EVERY_MS = 3_600_000

/**
 * Tells partner sites what was committed, until it is stopped. Once per process, beside any number of others. The options
 * are for tests: which addresses a name has, what happens around a send, how much at once.
 */
export async function startWebhooks(
  parts: WebhookParts,
  { edges = {}, wrap = (send) => send, maxInFlight = MAX_IN_FLIGHT }: EngineOptions = {},
) {
  const { database: db, log, keys, metrics, signLogout, onDeletionFailed } = parts
  const policyFor = outboundPolicies(parts)
  const destinations = createDestinations()
  const outbound = openOutbound({ onConnected: destinations.note, ...edges })
  const measured = measureWebhooks(metrics, db)
  const runner = startRunner({
    db,
    log,
    handlers: {
      [JOB_KINDS.fan_out]: fanOutHandler(signLogout),
      [JOB_KINDS.release]: releaseHandler,
      [JOB_KINDS.delivery]: deliveryHandler({
        keys,
        send: wrap((request) => outbound.send(request)),
        policyFor,
        rate: createHostRate(db, parts.config.SSO_WEBHOOK_RATE),
        hostOf: destinations.of,
        onAttempt: (result) => measured.countAttempt(result),
        ...(onDeletionFailed && { onDeletionFailed }),
      }),
    },
    maxInFlight,
    urgentSlots: Math.min(URGENT_SLOTS, maxInFlight >> 3),
  })
  let sweeping = Promise.resolve()
  const sweeps = setInterval(() => {
    sweeping = sweepWebhooks(db).then(
      () => {},
      (error: unknown) => log.error({ err: error }, 'old webhook events could not be deleted'),
    )
  }, SWEEP_EVERY_MS).unref()
  return {
    runner,
    /** Stops claiming, lets what is under way end within 5.2 s, gives the rest back. */
    stop: async () => {
      clearInterval(sweeps)
      await runner.stop()
      await outbound.close()
      await sweeping
    },
  }
}
