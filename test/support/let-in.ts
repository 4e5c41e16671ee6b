import { mock } from 'node:test'
import { createMetrics } from '#foundation/metrics.ts'
import { createSso } from '#sso'
import type { World } from './world.ts'

/**
 * A race with a fixed winner, for requests that take no lock: the session gate admits each one, then `change` runs, then
 * they continue. The clock is stopped: after a long wait the gate would check them again. Returns their replies.
 */
export async function onceLetIn<T>(
  lyceum: World,
  requests: readonly ((sso: World['sso']) => Promise<T>)[],
  change: () => Promise<unknown>,
): Promise<T[]> {
  const { promise: allIn, resolve: tellAllIn } = Promise.withResolvers<void>()
  const { promise: changed, resolve: goOn } = Promise.withResolvers<void>()
  let count = 0
  const fast = new Proxy(lyceum.db.fast, {
    apply(target, self, args: [TemplateStringsArray, ...unknown[]]) {
      const query = Reflect.apply(target, self, args) as Promise<unknown>
      if (!args[0].join('').includes('t.hs_rotated_at, s.expires_at')) return query
      return query.then(async (rows) => {
        if (++count === requests.length) tellAllIn()
        await changed
        return rows
      })
    },
  })
  const twin = await createSso(
    { ...lyceum.parts, database: { ...lyceum.db, fast }, metrics: createMetrics() },
    { passwords: lyceum.passwords },
  )
  const now = performance.now()
  const time = mock.method(performance, 'now', () => now)
  try {
    const answers = Promise.all(requests.map((request) => request(twin.app)))
    await Promise.race([allIn, answers])
    await change()
    goOn()
    return await answers
  } finally {
    time.mock.restore()
    await twin.close()
  }
}
