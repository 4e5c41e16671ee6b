import { createLog } from '#foundation/log.ts'
import { createMetrics, type Reading } from '#foundation/metrics.ts'
import { openChannel } from '#foundation/processes/channel.ts'
import { askLimits } from '#foundation/rate-limit/common-limits.ts'
import { openLimits } from '#foundation/rate-limit/limits.ts'
import { takeConfig } from '#foundation/settings/config.ts'
import { onShutdown } from '#foundation/shutdown.ts'
import { type Life, runServices } from './services.ts'
import type { WorkerOrder } from './supervisor.ts'

/** One of several processes that run the three services; `supervisor.ts` starts it and tells it the database. */
const config = takeConfig(process.env)
const log = createLog(config.LOG_LEVEL)
const closing: Life['closing'] = []
const stopping = new AbortController()
let starting: Promise<unknown> = Promise.resolve()

const supervisor = openChannel(process, {
  start: (order: WorkerOrder) => (starting = start(order)),
  read: () => metrics.read(),
  stop: () => end('the supervisor stops', 0),
})
const metrics = createMetrics(() => supervisor.ask<Reading[]>('readings'))

function start({ url, isAlone, ports }: WorkerOrder) {
  const limits = config.REDIS_URL === undefined ? askLimits(supervisor) : openLimits(config.REDIS_URL, log)
  const life = { closing, stopping: stopping.signal }
  return runServices({ config, log, url, isAlone, shared: { limits, metrics, ports } }, life)
}

const end = onShutdown(log, async () => {
  stopping.abort()
  await starting.catch(() => {})
  for (const next of closing.splice(0).toReversed()) await next()
})
// Without the supervisor nobody counts limits and nobody would stop this process.
process.on('disconnect', () => {
  supervisor.end()
  end('the supervisor is gone', 1)
})
