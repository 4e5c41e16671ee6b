import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'

/** How often the event loop is checked. */
const EVERY_MS = 25
/** A longer block is noticeable to callers. */
const BLOCK_MS = 200
/** More names would not help to find the cause. */
const MAX_NAMES = 20
/** More than any service has in progress. An entry that never ended is evicted after this many later ones. */
const MAX_UNDER_WAY = 10_000

/** Checks over which the typical delay of the event loop is taken: one long block is no overload. */
const CHECKS = 5

let isWatching = false
/** The delays (ms) that the last checks found, oldest first. */
let delays: number[] = []
let typicalDelay = 0
/** Names of the work in progress, by token. */
const underWay = new Map<object, string>()
/** Work that ended since the last check: a block often ends together with the request that caused it. */
let ended: string[] = []

/** Marks work as in progress until `noteEnd` with the same token. */
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

/** The median delay of the event loop (ms) over the last checks. */
export const loopDelay = (): number => typicalDelay

function noteDelay(ms: number): void {
  delays = [...delays.slice(1 - CHECKS), ms]
  const sorted = delays.toSorted((a, b) => a - b)
  typicalDelay = delays.length < CHECKS ? 0 : (sorted[CHECKS >> 1] ?? 0)
}

type Parts = { log: Logger; metrics: Metrics }

/**
 * Logs each block of the event loop of more than 200 ms with the work in progress: the three services share the loop,
 * so one request delays all others. `cpu_ms` is this thread's CPU time meanwhile. If it is far below `ms`, the machine
 * gave the thread no processor, and no route is at fault.
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
    noteDelay(ms)
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
      delays = []
      typicalDelay = 0
    },
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
