import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { clock } from '../clock.ts'
import { atExit } from '../processes/exit.ts'
import { findBinaries } from './binaries.ts'
import { openCluster } from './cluster.ts'
import { type Lock, takeServer } from './lock.ts'
import { preparePlace, removeSocketFolder } from './place.ts'
import { readPidFile, stopServer } from './postmaster.ts'
import { type PostgresConnection, urlOf } from '../database/url.ts'

export type { PostgresConnection } from '../database/url.ts'

export type EmbeddedServer = {
  /** The role `lyceum`: not a superuser, owner of the database `lyceum`. */
  connection: PostgresConnection
  /** The superuser, for this module and for tests that create databases. */
  admin: PostgresConnection
  /** The app role's URL in libpq's form; for postgres.js see splitSocketHost in url.ts. */
  url(database?: string): string
  /** Stops the server cleanly. Close all pools first. May be called twice. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL server of a data directory, or reuses one that a killed process left running
 * (docs/decisions/embedded-server.md). `onLost`: the server or the lock is gone for good; exit. Every fault that a person
 * can fix is a StartError.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  log: Logger
  onLost?: (reason: Error) => void
}): Promise<EmbeddedServer> {
  const { dataDir, log, onLost } = options
  const place = preparePlace(dataDir)
  const binaries = findBinaries(place.account)
  const passwords = await openCluster(place, binaries)
  // The port is only part of the socket's name: the server listens on no TCP port.
  const at = { host: place.socket, port: 5432 }
  const admin = { ...at, username: 'postgres', password: passwords.admin, database: 'postgres' }
  const connection = { ...at, username: 'lyceum', password: passwords.app, database: 'lyceum' }

  let isStopping = false
  let regaining: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  let spawned: number | undefined
  let lock: Lock | undefined
  const wanted = {
    place,
    binaries,
    admin,
    log,
    onSpawn: (pid: number | undefined) => (spawned = pid),
    onDrop: () => void (regaining = regain()),
  }
  // Registered before the server is there, because the process may have to exit while it recovers.
  const forget = atExit(async () => {
    if (lock ? lock.isHeld : spawned !== undefined) await stopServer(place, spawned)
  })
  lock = await takeServer(wanted)

  async function regain(): Promise<void> {
    if (isStopping) return
    try {
      if (readPidFile(place).pid === undefined) throw new Error('the database server has ended')
      lock = await takeServer(wanted)
      log.warn('the connection that holds the lock on the database was lost and regained')
    } catch (error) {
      if (!isStopping) onLost?.(error as Error)
    }
  }

  async function stop(): Promise<void> {
    isStopping = true
    await regaining
    // If we lost the lock, its new holder needs the server. Otherwise stop the server before the lock is released, or a
    // waiting process would use a server that is about to stop.
    if (lock?.isHeld) {
      await stopServer(place)
      removeSocketFolder(place)
    }
    await lock?.end()
    forget()
  }

  return {
    connection,
    admin,
    url: (database = connection.database) => urlOf({ ...connection, database }),
    stop: () => (stopped ??= stop()),
  }
}

const START_WAIT = 10_000

/**
 * The URL of the server of a data directory, if it runs: for a command that reads beside the program. It takes no lock, so
 * it stops nothing and changes nothing. Undefined if no server runs.
 */
export async function findRunningPostgres(dataDir: string): Promise<string | undefined> {
  const place = preparePlace(dataDir)
  const began = clock.monotonic()
  for (;;) {
    const { pid, socket, isReady } = readPidFile(place)
    if (pid === undefined) return undefined
    if (isReady) {
      const { app } = JSON.parse(readFileSync(place.passwords, 'utf8')) as { app: string }
      return urlOf({ host: socket, port: 5432, username: 'lyceum', password: app, database: 'lyceum' })
    }
    // The program starts or stops at this moment.
    if (clock.monotonic() > began + START_WAIT) return undefined
    await sleep(50)
  }
}
