import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { createCollections, migrations as collectionsMigrations } from '#collections'
import { type Config, describeSettings, loadConfig, takeConfig } from '#foundation/config.ts'
import { openDatabase } from '#foundation/database.ts'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import { createLog, type Logger } from '#foundation/log.ts'
import { createMetrics } from '#foundation/metrics.ts'
import type { App } from '#foundation/http.ts'
import { migrate } from '#foundation/migrations.ts'
import { giveUpRoot } from '#foundation/own-user.ts'
import { createPasswords } from '#foundation/passwords.ts'
import { loadMasterKeys } from '#foundation/secrets.ts'
import type { ServiceParts } from '#foundation/service.ts'
import type { ForgetUser } from '#foundation/session-gate.ts'
import { onShutdown } from '#foundation/shutdown.ts'
import { StartError } from '#foundation/start-error.ts'
import { startWatchdog } from '#foundation/watchdog.ts'
import { createLearning, migrations as learningMigrations } from '#learning'
import { createSso, migrations as ssoMigrations } from '#sso'
import { importChannels } from './import-channels.ts'
import { retention, wipeSandbox } from './operator-verbs.ts'
import { rotateKeys } from './rotate-keys.ts'

const version = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string }
).version

const MIGRATIONS = [
  { name: 'foundation', folder: join(import.meta.dirname, 'foundation/migrations') },
  ssoMigrations,
  learningMigrations,
  collectionsMigrations,
]

/** The words after `npm start --`. */
const verbs: Record<string, { meaning: string; run: (args: string[]) => Promise<void> }> = {
  all: { meaning: 'runs the three services (also without any word)', run: start },
  migrate: { meaning: 'brings the database to the newest schema and ends', run: migrateOnly },
  settings: { meaning: 'lists every setting with its value', run: printSettings },
  'import-channels': {
    meaning: 'brings channels of a JSON Lines file in, through the API',
    run: (args) => importChannels(args, process.env),
  },
  'rotate-keys': {
    meaning: 'changes the keys that sign tokens, through the API of the running program',
    run: (args) => rotateKeys(args, process.env),
  },
  retention: {
    meaning: 'counts what is old enough to be deleted, through the API of the running program',
    run: (args) => retention(args, process.env),
  },
  'wipe-sandbox': {
    meaning: 'empties the sandbox, through the API of the running program',
    run: (args) => wipeSandbox(args, process.env),
  },
  help: { meaning: 'lists these words', run: help },
}

const [word = 'all', ...rest] = process.argv.slice(2)
try {
  const verb = verbs[word]
  if (!verb) throw new StartError(`"${word}" is not known; npm start -- help lists the words`)
  await verb.run(rest)
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(error.message)
  process.exit(1)
}

async function start() {
  const config = takeConfig(process.env)
  const log = createLog(config.LOG_LEVEL)
  /** What to close, last opened first. */
  const closing: (() => Promise<unknown>)[] = []
  const stopping = new AbortController()
  let starting: Promise<unknown> = Promise.resolve()
  const close = async () => {
    stopping.abort()
    // A start that is under way ends at its next step; what it opened until then is closed as well.
    await starting.catch(() => {})
    for (const next of closing.splice(0).toReversed()) await next()
  }
  const end = onShutdown(log, close)
  const running = run(config, log, { closing, stopping: stopping.signal, end })
  starting = running
  try {
    const addresses = await running
    if (stopping.signal.aborted) return
    console.log(JSON.stringify({ ready: true, ...addresses }))
  } catch (error) {
    // Whatever fails because of the stop is no fault, and the stop ends the program.
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

async function run(config: Config, log: Logger, { closing, stopping, end }: Life) {
  const onLost = (reason: Error) => {
    log.fatal({ err: reason }, 'the embedded database is lost')
    end('database lost', 1)
  }
  const { url, isSoleWriter, stop } = await openServer(config, log, onLost, stopping)
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
    isSoleWriter,
    isStopping: () => stopping.aborted,
    ssoUrl: () => config.SSO_URL ?? ssoAddress,
    ownPorts: () => ownPorts,
  }
  // What each sibling keeps of a person goes when the sso erases them.
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
  // Node writes it when a process ends, which one that is killed never does: the next start would compile all again. Where
  // root made its folder, only root can.
  flushCompileCache()
  giveUpRoot(config.DATA_DIR, log)
  // A port of 0 is known only now.
  ownPorts.push(...Object.values(addresses).map((address) => Number(new URL(address).port)))
  stopping.throwIfAborted()
  // Not before: what is compiled at the start holds nobody up.
  const watchdog = startWatchdog(parts)
  closing.push(async () => watchdog.stop())
  await sso.startJobs()
  learning.startJobs()
  await collections.startJobs()
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

type Server = { url: string; isSoleWriter: () => boolean; stop: () => Promise<void> }

async function openServer(
  config: Config,
  log: Logger,
  onLost: (reason: Error) => void,
  stopping?: AbortSignal,
): Promise<Server> {
  if (config.DATABASE_URL !== undefined)
    return { url: config.DATABASE_URL, isSoleWriter: () => false, stop: async () => {} }
  log.info({ data_dir: config.DATA_DIR }, 'DATABASE_URL is not set: using the embedded PostgreSQL')
  const embedded = await startEmbeddedPostgres({ dataDir: config.DATA_DIR, log, onLost, stopping })
  return { url: embedded.url(), isSoleWriter: () => embedded.isSoleWriter(), stop: () => embedded.stop() }
}

async function migrateOnly() {
  const config = takeConfig(process.env)
  const server = await openServer(config, createLog(config.LOG_LEVEL), () => {})
  try {
    const ran = await migrate(server.url, MIGRATIONS)
    console.log(ran.length === 0 ? 'Nothing to do: the schema is the newest' : ran.join('\n'))
  } finally {
    await server.stop()
  }
}

async function printSettings() {
  console.log(describeSettings(loadConfig(process.env)))
}

async function help() {
  for (const [name, { meaning }] of Object.entries(verbs))
    console.log(`npm start -- ${name.padEnd(16)} ${meaning}`)
}
