import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { createCollections } from '#collections'
import { type Config, takeConfig } from '#foundation/settings/config.ts'
import { openDatabase } from '#foundation/database/database.ts'
import type { App } from '#foundation/http/http.ts'
import { releaseAllLeases } from '#foundation/jobs/leases.ts'
import { createLog, type Logger } from '#foundation/log.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { migrate } from '#foundation/database/migrations.ts'
import { giveUpRoot } from '#foundation/embedded-postgres/own-user.ts'
import { createPasswords } from '#foundation/security/passwords.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { ForgetUser } from '#foundation/security/session-gate.ts'
import { onShutdown } from '#foundation/shutdown.ts'
import { StartError } from '#foundation/start-error.ts'
import { startWatchdog } from '#foundation/threads/watchdog.ts'
import { createLearning } from '#learning'
import { createSso } from '#sso'
import { MIGRATIONS, openServer } from './database.ts'

export const usage = `npm start
Runs the three services, and an embedded PostgreSQL where DATABASE_URL is not set. npm start -- settings lists every setting.`

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string
}

/** Runs the three services until a signal. Prints their addresses as one line of JSON when all of them listen. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (args.length > 0) throw new StartError(usage)
  const config = takeConfig(env)
  const log = createLog(config.LOG_LEVEL)
  /** Cleanup functions; they run in reverse order. */
  const closing: (() => Promise<unknown>)[] = []
  const stopping = new AbortController()
  let starting: Promise<unknown> = Promise.resolve()
  const close = async () => {
    stopping.abort()
    // Wait for a start in progress: it stops at its next step, and what it has opened by then is closed as well.
    await starting.catch(() => {})
    for (const next of closing.splice(0).toReversed()) await next()
  }
  const end = onShutdown(log, close)
  const running = open(config, log, { closing, stopping: stopping.signal, end })
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

type Life = {
  closing: (() => Promise<unknown>)[]
  stopping: AbortSignal
  end: (reason: string, exitCode: number) => void
}

async function open(config: Config, log: Logger, { closing, stopping, end }: Life) {
  const onLost = (reason: Error) => {
    log.fatal({ err: reason }, 'the embedded database is lost')
    end('database lost', 1)
  }
  const { url, stop } = await openServer(config, log, onLost)
  closing.push(stop)
  stopping.throwIfAborted()
  await migrate(url, MIGRATIONS)
  stopping.throwIfAborted()
  const database = openDatabase({
    url,
    prepare: config.DATABASE_PREPARE,
    onNotice: (notice) => log.debug({ notice: notice['message'] }, 'database notice'),
  })
  closing.push(() => database.close())

  let ssoAddress = ''
  const ownPorts = [config.SSO_PORT, config.LEARNING_PORT, config.COLLECTIONS_PORT]
  const parts: ServiceParts = {
    config,
    version,
    database,
    keys: loadMasterKeys(config.MASTER_KEY, config.DATA_DIR),
    log,
    metrics: createMetrics(),
    isStopping: () => stopping.aborted,
    ssoUrl: () => config.SSO_URL ?? ssoAddress,
    ownPorts: () => ownPorts,
  }
  // Called when the sso erases a person, so that the other services erase their data too.
  const siblings: ForgetUser[] = []
  const sso = await createSso(parts, { passwords: createPasswords(), siblings: () => siblings })
  closing.push(() => sso.close())
  stopping.throwIfAborted()
  const learning = await createLearning(parts, { gate: sso.gate })
  closing.push(() => learning.close())
  siblings.push(learning.forgetUser)
  const collections = await createCollections(parts, { gate: sso.gate, identity: sso.identity })
  closing.push(() => collections.close())
  siblings.push(collections.forgetUser)
  stopping.throwIfAborted()

  ssoAddress = await listen(sso.app, config.HOST, config.SSO_PORT)
  const addresses = {
    sso: ssoAddress,
    learning: await listen(learning.app, config.HOST, config.LEARNING_PORT),
    collections: await listen(collections.app, config.HOST, config.COLLECTIONS_PORT),
  }
  // Node writes the compile cache only at a clean exit; a killed process would lose it, and the next start would
  // compile everything again. Flush before the process gives up root: a folder created by root is writable only for
  // root.
  flushCompileCache()
  giveUpRoot(config.DATA_DIR, log)
  // The system has now assigned the real port for a configured 0.
  ownPorts.push(...Object.values(addresses).map((address) => Number(new URL(address).port)))
  stopping.throwIfAborted()
  // Started last, because compilation during the start delays no request.
  const watchdog = startWatchdog(parts)
  closing.push(async () => watchdog.stop())
  // Nobody else uses the embedded database, so the holders of its leases are dead. Elsewhere leases expire by
  // themselves.
  if (config.DATABASE_URL === undefined) await releaseAllLeases(database)
  await sso.startJobs()
  learning.startJobs()
  collections.startJobs()
  return addresses
}

async function listen(app: App, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StartError(`Port ${port} of ${host} is in use: stop what listens there, or choose another port`)
  }
}
