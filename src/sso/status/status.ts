import { type Static, Type } from 'typebox'
import { clock } from '#foundation/clock.ts'
import { createHealthCheck, type DatabaseHealth } from '#foundation/health.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import { Nullable, OneOf, Time } from '#foundation/schemas.ts'
import { emailHealth } from '../messages/health.ts'
import type { SsoParts } from '../parts.ts'
import { webhookHealth } from '../webhooks/health.ts'

type State = Static<typeof State>
const State = OneOf(['operational', 'degraded', 'outage'])

export type Status = Static<typeof Status>
export const Status = Type.Object({
  status: State,
  components: Type.Array(
    Type.Object({ name: Type.String(), status: State, latency_ms: Nullable(Type.Number()) }),
  ),
  version: Type.String(),
  time: Time,
})

const SHARED_MS = 1_000

/** What works, found out at most once a second; the worst component is the word for the whole. */
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
  let shared: { until: number; status: Promise<Status> } | undefined

  async function ask(): Promise<Status> {
    const health = await askDatabase()
    const components = [
      databaseState(health),
      ...(await Promise.all([
        fromDatabase(health, 'webhooks', () => webhookHealth(database)),
        fromDatabase(health, 'email', () => emailHealth(database, config)),
      ])),
      component('signing_keys', ring.health().status),
      // Without its shared store the limiter goes on in memory.
      component('rate_limits', limiter.state() === 'degraded' ? 'degraded' : 'operational'),
    ]
    const time = new Date(clock.now()).toISOString()
    return { status: worstOf(components), components, version, time }
  }

  async function fromDatabase(
    { status }: DatabaseHealth,
    name: string,
    read: () => Promise<{ status: State }>,
  ) {
    if (status !== 'ok') return component(name, 'degraded')
    try {
      return component(name, (await read()).status)
    } catch (error) {
      log.warn({ err: error, component: name }, 'the state of a component could not be read')
      return component(name, 'degraded')
    }
  }

  return () => {
    const now = clock.monotonic()
    if (!shared || now >= shared.until) shared = { until: now + SHARED_MS, status: ask() }
    return shared.status
  }
}

const component = (name: string, status: State, latency_ms: number | null = null) => ({
  name,
  status,
  latency_ms,
})

const databaseState = ({ status, response_time_ms }: DatabaseHealth) =>
  component('database', status === 'ok' ? 'operational' : 'outage', response_time_ms)

function worstOf(components: readonly { status: State }[]): State {
  const states = components.map(({ status }) => status)
  if (states.includes('outage')) return 'outage'
  return states.includes('degraded') ? 'degraded' : 'operational'
}
