import { type Static, Type } from 'typebox'
import { createHealthCheck, type DatabaseHealth } from '#foundation/health.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import { Nullable, OneOf, Time } from '#foundation/schemas.ts'
import type { Database } from '#foundation/database.ts'
import { clock } from '#foundation/clock.ts'

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

/** What works at this moment; the worst component is the word for the whole. Shared for a second. */
export function createStatus(database: Database, limiter: Limiter, version: string) {
  const ask = createHealthCheck(database)
  return async (): Promise<Status> => {
    const components = [databaseState(await ask()), limitsState(limiter)]
    const worst = ['outage', 'degraded'].find((word) => components.some(({ status }) => status === word))
    return {
      status: (worst as 'outage' | 'degraded' | undefined) ?? 'operational',
      components,
      version,
      time: new Date(clock.now()).toISOString(),
    }
  }
}

const databaseState = ({ status, response_time_ms }: DatabaseHealth) => ({
  name: 'database',
  status: status === 'ok' ? ('operational' as const) : ('outage' as const),
  latency_ms: response_time_ms,
})

/** Without its shared store the limiter goes on in memory. */
const limitsState = (limiter: Limiter) => ({
  name: 'rate_limits',
  status: limiter.state() === 'degraded' ? ('degraded' as const) : ('operational' as const),
  latency_ms: null,
})
