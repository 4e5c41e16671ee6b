import { hostname } from 'node:os'
import { type Static, Type } from 'typebox'
import { clock } from '#foundation/clock.ts'
import {
  createHealthCheck,
  type DatabaseHealth,
  degraded,
  healthy,
  type PartHealth,
} from '#foundation/database/health.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import { Nullable, OneOf, Time } from '#foundation/http/schemas.ts'
import { emailHealth } from '../../core/messages/health.ts'
import type { SsoParts } from '../../core/parts.ts'
import { webhookHealth } from '../../events/webhooks/health.ts'

type State = Static<typeof State>
const State = OneOf(['operational', 'degraded', 'outage'])

export type Status = Static<typeof Status>
export const Status = Type.Object({
  status: State,
  components: Type.Array(
    Type.Object({
      name: Type.String(),
      status: State,
      latency_ms: Nullable(Type.Number()),
      /** Included for operators only. */
      reason: Type.Optional(Type.String()),
    }),
  ),
  version: Type.String(),
  /** The process that answered. Included for operators only. */
  node_id: Type.Optional(Type.String()),
  time: Time,
})

const SHARED_MS = 1_000

/** Checks the components at most once a second; the overall status is that of the worst one. */
export function createStatus(
  {
    database,
    config,
    ring,
    version,
    log,
  }: Pick<SsoParts, 'database' | 'config' | 'ring' | 'version' | 'log'>,
  limiter: Limiter,
): () => Promise<Status> {
  const askDatabase = createHealthCheck(database)
  const node_id = config.NODE_ID ?? `${hostname()}:${process.pid}`
  let shared: { until: number; status: Promise<Status> } | undefined

  async function ask(): Promise<Status> {
    const health = await askDatabase()
    const components = [
      databaseState(health),
      ...(await Promise.all([
        fromDatabase(health, 'webhooks', () => webhookHealth(database)),
        fromDatabase(health, 'email', () => emailHealth(database, config)),
      ])),
      component('signing_keys', ring.health()),
      // Degraded rather than down: without the shared store the limiter continues in memory.
      component(
        'rate_limits',
        limiter.state() === 'degraded'
          ? degraded('REDIS_URL does not answer, so each process counts its own limits')
          : healthy,
      ),
    ]
    const time = new Date(clock.now()).toISOString()
    return { status: worstOf(components), components, version, node_id, time }
  }

  async function fromDatabase({ status }: DatabaseHealth, name: string, read: () => Promise<PartHealth>) {
    if (status !== 'ok') return component(name, degraded('The database does not answer'))
    try {
      return component(name, await read())
    } catch (error) {
      log.warn({ err: error, component: name }, 'the state of a component could not be read')
      return component(name, degraded('Its state could not be read, see the log'))
    }
  }

  return () => {
    const now = clock.monotonic()
    if (!shared || now >= shared.until) shared = { until: now + SHARED_MS, status: ask() }
    return shared.status
  }
}

type Part = { status: State; reason?: string }

const component = (name: string, part: Part, latency_ms: number | null = null) => ({
  name,
  ...part,
  latency_ms,
})

const databaseState = ({ status, response_time_ms }: DatabaseHealth) =>
  component(
    'database',
    status === 'ok' ? healthy : { status: 'outage', reason: 'The database does not answer' },
    response_time_ms,
  )

/** The public view: states without reasons and without the process. */
export const withoutReasons = ({ status, components, version, time }: Status): Status => ({
  status,
  components: components.map((part) => ({
    name: part.name,
    status: part.status,
    latency_ms: part.latency_ms,
  })),
  version,
  time,
})

function worstOf(components: readonly { status: State }[]): State {
  const states = components.map(({ status }) => status)
  if (states.includes('outage')) return 'outage'
  return states.includes('degraded') ? 'degraded' : 'operational'
}
