import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'

/** How often the event loop is asked whether it turns. */
const EVERY_MS = 25
/** Whoever is held up for longer notices it. */
const BLOCK_MS = 200
/** More names would tell no more. */
const MAX_NAMES = 20
/** More than any service has under way; what never ended leaves when as much has begun since. */
const MAX_UNDER_WAY = 10_000

let isWatching = false
/** What is under way, by a token of its own, with its name. */
const underWay = new Map<object, string>()
/** What ended since the last look: a block often ends together with the request that it was made for. */
let ended: string[] = []

/** `token` is under way from now on, until `noteEnd`. */
export function noteBegin(token: object, name: string): void {
  if (!isWatching) return
  underWay.set(token, name)
  if (underWay.size <= MAX_UNDER_WAY) return
  for (const oldest of underWay.keys()) {
    underWay.delete(oldest)
    return
  }
}

export function noteEnd(token: object): void {
  if (!isWatching) return
  const name = underWay.get(token)
  if (name === undefined) return
  underWay.delete(token)
  if (ended.length < MAX_UNDER_WAY) ended.push(name)
}

type Parts = { log: Logger; metrics: Metrics }

/**
 * Logs each time the event loop did not turn for 200 ms, and what was under way then: the three services share it, so
 * that one request holds up all others. `cpu_ms` is what this thread computed meanwhile. Far less than `ms` means that
 * the machine gave it no processor, which is no fault of a route.
 */
export function startWatchdog({ log, metrics }: Parts): { stop: () => void } {
  const blocks = metrics.counter(
    'lyceum_event_loop_blocks_total',
    `How often the event loop did not turn for ${BLOCK_MS} ms`,
  )
  isWatching = true
  let last = performance.now()
  let lastCpu = cpuMs()
  const look = () => {
    const [now, cpu] = [performance.now(), cpuMs()]
    const ms = Math.round(now - last - EVERY_MS)
    if (ms > BLOCK_MS) {
      blocks.inc()
      const routes = [...new Set([...ended, ...underWay.values()])].slice(0, MAX_NAMES)
      log.warn({ ms, cpu_ms: Math.round(cpu - lastCpu), routes }, 'the event loop was blocked')
    }
    ended = []
    ;[last, lastCpu] = [now, cpu]
  }
  const timer = setInterval(look, EVERY_MS).unref()
  return {
    stop() {
      clearInterval(timer)
      isWatching = false
      underWay.clear()
      ended = []
    },
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
