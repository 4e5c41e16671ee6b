import { startRunner } from '#foundation/jobs/runner.ts'
import { openOutbound, type OutboundEdges } from '#foundation/outbound/outbound.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { startCrew } from './crew.ts'
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
  /** Called in the transaction that ends the last attempt of a user.account.deleted: its ADMINs are to be told. */
  onDeletionFailed?: OnDeletionFailed
}

type EngineOptions = { edges?: OutboundEdges; wrap?: (send: Send) => Send; maxInFlight?: number }

/** Endpoints that fail get one request at a time, so that those that work never wait for them. */
const CREWS = [
  { crew: 'urgent', slots: 64, perEndpoint: 8 },
  { crew: 'usual', slots: 192, perEndpoint: 8 },
  { crew: 'failing', slots: 64, perEndpoint: 1 },
] as const
/** At the same time; each is one transaction. */
const FAN_OUTS = 8
const SWEEP_EVERY_MS = 3_600_000

/**
 * Tells partner sites what was committed, until it is stopped. Once per process, beside any number of others. The options
 * are for tests: which addresses a name has, what happens around a send, how much at once.
 */
export async function startWebhooks(
  parts: WebhookParts,
  { edges = {}, wrap = (send) => send, maxInFlight = Infinity }: EngineOptions = {},
) {
  const { database: db, log, keys, metrics, signLogout, onDeletionFailed } = parts
  const destinations = createDestinations()
  const outbound = openOutbound({ onConnected: destinations.note, ...edges })
  const measured = measureWebhooks(metrics, db)
  const delivery = {
    db,
    log,
    keys,
    send: wrap((request) => outbound.send(request)),
    policyFor: outboundPolicies(parts),
    rate: createHostRate(db, parts.config.SSO_WEBHOOK_RATE),
    hostOf: destinations.of,
    onAttempt: (result: string) => measured.countAttempt(result),
    settle: createSettler({ db, log, record: (tx, all) => recordAttempts(tx, all, onDeletionFailed) }),
  }
  const handlers = { [JOB_KINDS.fan_out]: fanOutHandler(signLogout), [JOB_KINDS.release]: releaseHandler }
  const workers = [
    startRunner({ db, log, handlers, maxInFlight: FAN_OUTS }),
    ...CREWS.map((crew) => startCrew(delivery, { ...crew, slots: Math.min(crew.slots, maxInFlight) })),
  ]
  const runner = {
    /** Looks for what is due now instead of at the next poll. */
    wake: () => workers.forEach((worker) => worker.wake()),
    /** Stops claiming, lets what is under way end within 5.2 s, gives the rest back. */
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
