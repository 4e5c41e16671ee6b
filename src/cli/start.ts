import { migrate } from '#foundation/database/migrations.ts'
import { createLog, type Logger } from '#foundation/log.ts'
import { type Config, takeConfig } from '#foundation/settings/config.ts'
import { onShutdown } from '#foundation/shutdown.ts'
import { StartError } from '#foundation/start-error.ts'
import type { Addresses } from './addresses.ts'
import { MIGRATIONS, openServer } from './database.ts'
import type { Life } from './services.ts'

export const usage = `npm start
Runs the three services, and an embedded PostgreSQL where DATABASE_URL is not set. npm start -- settings lists every setting.`

/** A supervisor waits for its workers, which wait for 25 s at most. */
const SUPERVISOR_PATIENCE_MS = 28_000

/** Runs the three services until a signal. Prints their addresses as one line of JSON when all of them listen. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (args.length > 0) throw new StartError(usage)
  const environment = { ...env }
  const config = takeConfig(env)
  const log = createLog(config.LOG_LEVEL)
  const closing: Life['closing'] = []
  const stopping = new AbortController()
  let starting: Promise<unknown> = Promise.resolve()
  const close = async () => {
    stopping.abort()
    // Wait for a start in progress: it stops at its next step, and what it has opened by then is closed as well.
    await starting.catch(() => {})
    for (const next of closing.splice(0).toReversed()) await next()
  }
  const end = onShutdown(log, close, config.WORKERS > 1 ? SUPERVISOR_PATIENCE_MS : undefined)
  const running = open(config, log, { closing, stopping: stopping.signal, end, environment })
  starting = running
  try {
    const addresses = await running
    if (stopping.signal.aborted) return
    console.log(JSON.stringify({ ready: true, ...addresses }))
  } catch (error) {
    // The stop itself makes the start fail. This is no error, and the stop ends the program.
    if (stopping.signal.aborted) return
    await close()
    throw error
  }
}

type Started = Life & { end: (reason: string, exitCode: number) => void; environment: NodeJS.ProcessEnv }

async function open(config: Config, log: Logger, life: Started): Promise<Addresses> {
  const { closing, stopping, end, environment } = life
  const onLost = (reason: Error) => {
    log.fatal({ err: reason }, 'the embedded database is lost')
    end('database lost', 1)
  }
  const { url, stop } = await openServer(config, log, onLost)
  closing.push(stop)
  stopping.throwIfAborted()
  await migrate(url, MIGRATIONS)
  stopping.throwIfAborted()
  // Nobody else uses the embedded database. Elsewhere leases expire by themselves.
  const isAlone = config.DATABASE_URL === undefined
  // Only one of the two is loaded: a supervisor runs no service.
  if (config.WORKERS === 1) {
    const { runServices } = await import('./services.ts')
    return await runServices({ config, log, url, isAlone }, life)
  }
  const { runWorkers } = await import('./supervisor.ts')
  return await runWorkers({ config, log, url, isAlone, environment }, life)
}
