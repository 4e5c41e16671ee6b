import { createLog } from '#foundation/log.ts'
import { createMetrics, type Reading } from '#foundation/metrics.ts'
import { openChannel } from '#foundation/processes/channel.ts'
import { askLimits } from '#foundation/rate-limit/common-limits.ts'
import { openLimits } from '#foundation/rate-limit/limits.ts'
import { takeConfig } from '#foundation/settings/config.ts'
import { onShutdown } from '#foundation/shutdown.ts'
import { StartError } from '#foundation/start-error.ts'
import { sentenceOf } from './failure.ts'
import { openLife } from './life.ts'
import { runServices } from './services.ts'
import type { WorkerOrder } from './supervisor.ts'

/** One of several processes that run the same parts; `supervisor.ts` starts it and tells it the databases. */
const config = takeConfig(process.env)
const log = createLog(config.LOG_LEVEL, undefined, config.NODE_ID)
const life = openLife(config.DRAIN_SECONDS)
const end = onShutdown(log, life.close, config.DRAIN_SECONDS + 25)

const supervisor = openChannel(process, {
  start: (order: WorkerOrder) => (life.starting = start(order)).catch(tellPlainly),
  read: () => metrics.read(),
  stop: () => end('the supervisor stops', 0),
})
const metrics = createMetrics(() => supervisor.ask<Reading[]>('readings'))

/** Only the message reaches the supervisor. */
function tellPlainly(error: unknown): never {
  throw new StartError(sentenceOf(error))
}

async function start({ ports, ...order }: WorkerOrder) {
  const limits = config.REDIS_URL === undefined ? askLimits(supervisor) : openLimits(config.REDIS_URL, log)
  const addresses = await runServices({ config, log, ...order, shared: { limits, metrics, ports } }, life)
  life.isServing = true
  return addresses
}

// Without the supervisor nobody counts limits and nobody would stop this process.
process.on('disconnect', () => {
  supervisor.end()
  end('the supervisor is gone', 1)
})
