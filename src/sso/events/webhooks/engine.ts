import { startRunner } from '#foundation/jobs/runner.ts'
import { openOutbound, type OutboundEdges } from '#foundation/outbound/outbound.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { type CrewParts, startCrew } from './crew.ts'
import type { Send } from './deliver.ts'
import { JOB_KINDS } from '../facts/events.ts'
import { fanOutHandler } from './fan-out.ts'
import { createDestinations } from './destinations.ts'
import { releaseHandler } from './held.ts'
import { createHostRate } from './host-rate.ts'
import type { SignLogout } from './logout-token.ts'
import { measureWebhooks } from './metrics.ts'
import { outboundPolicies } from './policy.ts'
import { type OnDeletionFailed, recordAttempts } from './record-attempts.ts'
import { sweepWebhooks } from './retention.ts'
import { createSettler } from './settle.ts'

export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>

export type WebhookParts = Pick<
  ServiceParts,
  'config' | 'database' | 'keys' | 'log' | 'metrics' | 'ownPorts'
> & {
  signLogout: SignLogout
  /** Called in the transaction that ends the last attempt of a user.account.deleted, to notify the site's ADMINs. */
  onDeletionFailed?: OnDeletionFailed
}

type EngineOptions = { edges?: OutboundEdges; wrap?: (send: Send) => Send; maxInFlight?: number }

/** Failing endpoints get one request at a time and their own slots, so that they never delay working ones. */
const CREWS = [
  { crew: 'urgent', slots: 64, perEndpoint: 8 },
  { crew: 'usual', slots: 192, perEndpoint: 8 },
  { crew: 'failing', slots: 64, perEndpoint: 1 },
] as const
/** Maximum concurrent fan-outs; each is one transaction. */
const FAN_OUTS = 8
const SWEEP_EVERY_MS = 3_600_000

/**
 * Runs the webhook engine until stopped; once per process, in any number of processes. The options are for tests: DNS,
 * a wrapper around each send, and concurrency.
 */
export async function startWebhooks(
  parts: WebhookParts,
  { edges = {}, wrap = (send) => send, maxInFlight = Infinity }: EngineOptions = {},
) {
  const { database: db, log, keys, metrics, signLogout, onDeletionFailed } = parts
  const destinations = createDestinations()
  const outbound = openOutbound({ onConnected: destinations.note, ...edges })
  const measured = measureWebhooks(metrics, db)
  const delivery: CrewParts = {
    db,
    log,
    keys,
    send: wrap((request) => outbound.send(request)),
    policyFor: outboundPolicies(parts),
    rate: createHostRate(db, parts.config.SSO_WEBHOOK_RATE),
    hostOf: destinations.of,
    onAttempt: (result: string) => measured.countAttempt(result),
    wakeAllIn: (ms) => crews.forEach((crew) => crew.wakeIn(ms)),
    settle: createSettler({ db, log, record: (tx, all) => recordAttempts(tx, all, onDeletionFailed) }),
  }
  const handlers = { [JOB_KINDS.fan_out]: fanOutHandler(signLogout), [JOB_KINDS.release]: releaseHandler }
  const crews = CREWS.map((crew) =>
    startCrew(delivery, { ...crew, slots: Math.min(crew.slots, maxInFlight) }),
  )
  const workers = [startRunner({ db, log, handlers, maxInFlight: FAN_OUTS }), ...crews]
  const runner = {
    /** Checks for due work now instead of at the next poll. */
    wake: () => workers.forEach((worker) => worker.wake()),
    /** Stops claiming, waits up to 5.2 s for requests in flight, then releases the leases of the rest. */
    stop: async () => void (await Promise.all(workers.map((worker) => worker.stop()))),
  }
  let sweeping = Promise.resolve()
  const sweeps = setInterval(() => {
    sweeping = sweepWebhooks(db).then(
      () => {},
      (error: unknown) => log.error({ err: error }, 'old webhook events could not be deleted'),
    )
  }, SWEEP_EVERY_MS).unref()
  return {
    runner,
    stop: async () => {
      clearInterval(sweeps)
      await runner.stop()
      await outbound.close()
      await sweeping
    },
  }
}
