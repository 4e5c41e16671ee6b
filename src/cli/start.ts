import { makeDataDir } from '#foundation/embedded-postgres/place.ts'
import { createLog, type Logger } from '#foundation/log.ts'
import { type Config, takeConfig } from '#foundation/settings/config.ts'
import { onShutdown } from '#foundation/shutdown.ts'
import { StartError } from '#foundation/start-error.ts'
import { type Addresses, type Part, PARTS } from './addresses.ts'
import { hasDatabase, migrateAll, openServer, urlsOf } from './database.ts'
import { type Life, openLife } from './life.ts'
import { tryPorts } from './ports.ts'

export const usage = `npm start
Runs the three services, and an embedded PostgreSQL where DATABASE_URL is not set. npm start -- settings lists every setting.

npm start -- sso jobs
Runs some parts only: any of ${PARTS.join(', ')}. "jobs" is the work after answers: mail, webhooks, imports, erasures.
Other processes with the same DATABASE_URL and MASTER_KEY run the other parts.`

export const stopsItself = true as const

/** Runs all parts, or the named ones, until a signal. Prints their addresses as one line of JSON when all listen. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const environment = { ...env }
  const config = takeConfig(env)
  const parts = partsOf(args, config)
  const log = createLog(config.LOG_LEVEL, undefined, config.NODE_ID)
  const { WORKERS, DRAIN_SECONDS } = config
  // A supervisor waits for its workers, which drain.
  const life = openLife(WORKERS > 1 ? 0 : DRAIN_SECONDS)
  const end = onShutdown(log, life.close, DRAIN_SECONDS + (WORKERS > 1 ? 28 : 25))
  const running = open({ config, log, environment, parts, end }, life)
  life.starting = running
  try {
    const addresses = await running
    life.isServing = true
    if (life.draining.aborted) return
    console.log(JSON.stringify({ ready: true, ...addresses }))
  } catch (error) {
    // A stop makes the start fail, and so does Ctrl-C, which reaches its child processes too. This is no error, and the
    // stop ends the program.
    if (life.draining.aborted) return
    await life.close(1)
    throw error
  }
}

function partsOf(args: readonly string[], config: Config): readonly Part[] {
  const parts = PARTS.filter((part) => args.includes(part))
  if (args.length === 0) return PARTS
  if (args.length !== parts.length) throw new StartError(usage)
  if (config.DATABASE_URL === undefined)
    throw new StartError('Parts of the program need DATABASE_URL: an embedded database serves one process')
  if (config.SSO_URL === undefined && !parts.includes('sso'))
    throw new StartError('SSO_URL must be set where the sso runs elsewhere')
  return parts
}

type Given = {
  config: Config
  log: Logger
  /** The environment before the secrets were taken out, for workers. */
  environment: NodeJS.ProcessEnv
  parts: readonly Part[]
  end: (reason: string, exitCode: number) => void
}

async function open({ end, environment, ...given }: Given, life: Life): Promise<Addresses> {
  const { config, log } = given
  const { closing, stopping } = life
  const onLost = (reason: Error) => {
    log.fatal({ err: reason }, 'the embedded database is lost')
    end('database lost', 1)
  }
  makeDataDir(config.DATA_DIR)
  // A program that is about to stop still has the ports of a database that is there; who has that is waited for.
  if (config.DATABASE_URL !== undefined || !hasDatabase(config)) await tryPorts(config, given.parts)
  const { url, stop } = await openServer(config, log, onLost)
  closing.push(stop)
  stopping.throwIfAborted()
  const urls = urlsOf(config, url)
  await migrateAll(urls, config)
  stopping.throwIfAborted()
  // Nobody else uses the embedded database. Elsewhere leases expire by themselves.
  const isAlone = config.DATABASE_URL === undefined
  // Only one of the two is loaded: a supervisor runs no service.
  if (config.WORKERS === 1) {
    const { runServices } = await import('./services.ts')
    return await runServices({ ...given, urls, isAlone }, life)
  }
  const { runWorkers } = await import('./supervisor.ts')
  return await runWorkers({ ...given, urls, isAlone, environment }, life)
}
