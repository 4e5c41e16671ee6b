import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '#foundation/log.ts'
import type { Reading } from '#foundation/metrics.ts'
import { atExit } from '#foundation/processes/exit.ts'
import { type Answerers, type Channel, openChannel } from '#foundation/processes/channel.ts'
import { answerLimits, openOnce } from '#foundation/rate-limit/common-limits.ts'
import { openLimits } from '#foundation/rate-limit/limits.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import type { Config } from '#foundation/settings/config.ts'
import { StartError } from '#foundation/start-error.ts'
import { type Addresses, type Part, type Ports, portsOf } from './addresses.ts'
import type { Urls } from './database.ts'
import type { Life } from './life.ts'
import { tryPorts } from './ports.ts'

/** What a worker is told before it starts. */
export type WorkerOrder = { urls: Urls; isAlone: boolean; parts: readonly Part[]; ports?: Ports }

type Worker = { pid: number | undefined; channel: Channel; ended: Promise<unknown> }

type Given = {
  config: Config
  log: Logger
  urls: Urls
  isAlone: boolean
  parts: readonly Part[]
  /** The environment before the secrets were taken out. */
  environment: NodeJS.ProcessEnv
}

/** A worker that dies at once is replaced after 100 ms, then 200, 400 … at most 5 s. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** A worker that ran for this long did not die at once. */
const SETTLED_MS = 10_000

/**
 * Runs WORKERS processes that listen on the same ports, where the system spreads the connections. A worker that dies is
 * replaced; the others serve meanwhile. The supervisor itself serves nobody: it counts limits and adds up metrics.
 */
export async function runWorkers(given: Given, { closing, stopping }: Life): Promise<Addresses> {
  const { config, log, urls, parts } = given
  await tryPorts(config, parts)
  // Made once here, because workers that start together would make one each.
  loadMasterKeys(config.MASTER_KEY, config.DATA_DIR)
  const workers = new Set<Worker>()
  const limits = openOnce(openLimits(undefined, log))
  const readings = () => Promise.all([...workers].map(({ channel }) => channel.ask<Reading>('read')))
  /** Resolves when the worker listens; rejects if it ends before. It has written the reason to stderr. */
  const start = async (order: Pick<WorkerOrder, 'isAlone' | 'ports'>) => {
    const worker = forkWorker(given.environment, { readings, ...answerLimits(limits) })
    workers.add(worker)
    void worker.ended.then(() => workers.delete(worker))
    const addresses = await worker.channel.ask<Addresses>('start', { urls, parts, ...order })
    return { worker, addresses }
  }
  closing.push(async () => {
    for (const worker of workers) stop(worker)
    await Promise.all([...workers].map(({ ended }) => ended))
  })

  // The first one makes what a first start makes, and finds free ports; the others follow it.
  const first = await start({ isAlone: given.isAlone }).catch(asStartError)
  const ports = portsOf(first.addresses)
  const startNext = async () => (await start({ isAlone: false, ports })).worker
  const others = await Promise.all(Array.from({ length: config.WORKERS - 1 }, startNext)).catch(asStartError)
  for (const worker of [first.worker, ...others]) void replaceForEver(worker, startNext, { log, stopping })
  return first.addresses
}

const asStartError = (error: unknown): never => {
  throw new StartError(`A worker did not start: ${(error as Error).message}`)
}

/** Not by a signal: Ctrl-C reaches the workers too, and a later signal would end them at once. */
const stop = ({ channel }: Worker) => void channel.ask('stop').catch(() => {})

async function replaceForEver(
  first: Worker,
  startNext: () => Promise<Worker>,
  { log, stopping }: { log: Logger; stopping: AbortSignal },
): Promise<void> {
  let running: Worker | undefined = first
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const began = performance.now()
    await running?.ended
    if (stopping.aborted) return
    if (performance.now() - began > SETTLED_MS) pause = FIRST_PAUSE_MS
    log.error({ pid: running?.pid }, 'a worker is gone and will be replaced')
    await wait(pause)
    if (stopping.aborted) return
    running = await startNext().catch(() => undefined)
  }
}

function forkWorker(environment: NodeJS.ProcessEnv, answerers: Answerers): Worker {
  const child = fork(join(import.meta.dirname, 'worker.ts'), {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const channel = openChannel(child, answerers)
  const forget = atExit(async () => child.kill('SIGKILL') && (await ended))
  void ended.then(() => {
    channel.end()
    forget()
  })
  return { pid: child.pid, channel, ended }
}
