import { flushCompileCache } from 'node:module'
import type { FastifyListenOptions } from 'fastify'
import { createCollections } from '#collections'
import { startBackfills } from '#foundation/database/backfills.ts'
import { type Database, openDatabase } from '#foundation/database/database.ts'
import { requirePooler } from '#foundation/database/lanes.ts'
import { withReplica } from '#foundation/database/replica.ts'
import { giveUpRoot } from '#foundation/embedded-postgres/own-user.ts'
import type { App } from '#foundation/http/http.ts'
import { createShedding } from '#foundation/http/shedding.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { releaseAllLeases } from '#foundation/jobs/leases.ts'
import type { Logger } from '#foundation/log.ts'
import { createMetrics, type Metrics } from '#foundation/metrics.ts'
import { type Limits, openLimits } from '#foundation/rate-limit/limits.ts'
import { createPasswords } from '#foundation/security/passwords.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import type { ForgetUser } from '#foundation/security/session-gate.ts'
import { type Config, tracesAreOn } from '#foundation/settings/config.ts'
import { readHeaderPairs } from '#foundation/settings/setting-checks.ts'
import { startWatchdog } from '#foundation/threads/watchdog.ts'
import { createLearning } from '#learning'
import { createSso } from '#sso'
import { type Addresses, type Part, type Ports, portsOf, SERVICES } from './addresses.ts'
import type { Urls } from './database.ts'
import type { Life } from './life.ts'
import { portFault } from './ports.ts'
import { version } from './version.ts'

export type Given = {
  config: Config
  log: Logger
  /** The addresses of migrated databases. */
  urls: Urls
  /** No other process claims jobs yet, so whoever holds a lease is dead. */
  isAlone: boolean
  parts: readonly Part[]
  /** In a worker process: what all processes share, and the ports they listen on together. */
  shared?: { limits: Limits; metrics: Metrics; ports?: Ports | undefined }
}

/**
 * Runs parts of the program in this process; resolves when its services listen and its jobs run. All three services are
 * made, because each needs functions of the others; those that are not named do not listen.
 */
export async function runServices(given: Given, { closing, draining, stopping }: Life): Promise<Addresses> {
  const { config, log, urls, isAlone, shared } = given
  if (tracesAreOn(config)) {
    const { openTracing } = await import('#foundation/tracing/open-tracing.ts')
    const { OTEL_SERVICE_NAME: name, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config
    const headers = readHeaderPairs(config.OTEL_EXPORTER_OTLP_HEADERS)
    closing.push(openTracing({ name, endpoint, headers, version, log }))
  }
  const databases = openDatabases(urls, config, log)
  closing.push(async () => {
    for (const database of new Set(Object.values(databases))) await database.close()
  })
  if (!config.DATABASE_PREPARE)
    for (const database of new Set(Object.values(databases))) await requirePooler(database)

  const addresses: Addresses = {}
  const ports = {
    sso: config.SSO_PORT,
    learning: config.LEARNING_PORT,
    collections: config.COLLECTIONS_PORT,
    ...shared?.ports,
  }
  const ownPorts = Object.values(ports)
  let hasStarted = false
  const metrics = shared?.metrics ?? createMetrics()
  const parts = {
    config,
    version,
    keys: loadMasterKeys(config.MASTER_KEY, config.DATA_DIR),
    log,
    metrics,
    shedding: createShedding(config, metrics),
    limits: shared?.limits ?? openLimits(config.REDIS_URL, log),
    isStopping: () => stopping.aborted,
    isUnready: () => !hasStarted || draining.aborted,
    ssoUrl: () => config.SSO_URL ?? addresses.sso ?? '',
    ownPorts: () => ownPorts,
  }
  const partsOf = (service: (typeof SERVICES)[number]): ServiceParts => ({
    ...parts,
    database: databases[service],
    gateDatabase: databases.sso,
  })
  // Called when the sso erases a person, so that the other services erase their data too.
  const siblings: ForgetUser[] = []
  const sso = await createSso(partsOf('sso'), { passwords: createPasswords(), siblings: () => siblings })
  closing.push(() => sso.close())
  stopping.throwIfAborted()
  const learning = await createLearning(partsOf('learning'), {
    gate: sso.gate,
    identity: sso.identity,
  })
  closing.push(() => learning.close())
  siblings.push(learning.forgetUser)
  const collections = await createCollections(partsOf('collections'), sso)
  closing.push(() => collections.close())
  siblings.push(collections.forgetUser)
  stopping.throwIfAborted()

  const services = { sso, learning, collections }
  for (const name of SERVICES.filter((service) => given.parts.includes(service)))
    addresses[name] = await listen(services[name].app, config.HOST, ports[name], shared !== undefined)
  // Node writes the compile cache only at a clean exit; a killed process would lose it, and the next start would
  // compile everything again. Flush before the process gives up root: a folder created by root is writable only for
  // root.
  flushCompileCache()
  giveUpRoot(config.DATA_DIR, log)
  // The system has now assigned the real port for a configured 0.
  ownPorts.push(...Object.values(portsOf(addresses)))
  stopping.throwIfAborted()
  // Started last, because compilation during the start delays no request.
  const watchdog = startWatchdog(parts)
  closing.push(async () => watchdog.stop())
  if (isAlone) await releaseAllLeases(databases.sso)
  if (given.parts.includes('jobs')) {
    for (const service of Object.values(services)) await service.startJobs()
    for (const database of new Set(Object.values(databases))) closing.push(startBackfills(database, log).stop)
  }
  hasStarted = true
  return addresses
}

/** One for each address, so that services on the same database share its connections. */
function openDatabases(urls: Urls, config: Config, log: Logger): Record<keyof Urls, Database> {
  const onNotice = (notice: { [field: string]: unknown }) =>
    log.debug({ notice: notice['message'] }, 'database notice')
  const connect = (url: string, isReplica = false) =>
    openDatabase({ url, prepare: config.DATABASE_PREPARE, patience: config.PATIENCE, isReplica, onNotice })
  const { DATABASE_URL, DATABASE_REPLICA_URL, PATIENCE } = config
  const opened = new Map<string, Database>()
  const open = (url: string) => {
    const known = opened.get(url)
    if (known) return known
    const primary = connect(url)
    const hasReplica = DATABASE_REPLICA_URL !== undefined && url === DATABASE_URL
    const database = hasReplica
      ? withReplica(primary, connect(DATABASE_REPLICA_URL, true), log, PATIENCE)
      : primary
    opened.set(url, database)
    return database
  }
  return { sso: open(urls.sso), learning: open(urls.learning), collections: open(urls.collections) }
}

async function listen(app: App, host: string, port: number, reusePort: boolean): Promise<string> {
  try {
    // The types of Fastify lack reusePort; it passes all options on to Node.
    const options: FastifyListenOptions & { reusePort: boolean } = { host, port, reusePort }
    return await app.listen(options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'listen') throw error
    throw portFault(error, host, port)
  }
}
