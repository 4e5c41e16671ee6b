import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { clock } from '../clock.ts'
import { StartError } from '../start-error.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { openCluster } from './cluster.ts'
import { type Place, preparePlace, prepareSocketFolder } from './place.ts'
import { answers, findPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts'
import { keepLogSmall } from './server-log.ts'
import { PORT, serverArguments } from './settings.ts'
import { type PostgresConnection, urlOf } from './url.ts'
import { tryWriterLock, type WriterLock } from './writer-lock.ts'

export type { PostgresConnection } from './url.ts'

export type EmbeddedServer = {
  /** The role `lyceum`: not a superuser, owner of the database `lyceum`. */
  connection: PostgresConnection
  /** The superuser, for this manager and for tests that create databases. */
  admin: PostgresConnection
  /** The app role's URL in libpq's form; for postgres.js see splitSocketHost in url.ts. */
  url(database?: string): string
  /** Clean stop, after the caller closed its pools. May be called twice. */
  stop(): Promise<void>
}

/** How long a start waits for a writer that is about to leave, and a writer for its lost lock (ms). */
const LOCK_WAIT = 5_000
/** How long a server may take to answer: a recovery of 2 GB of log on a slow disk (ms). */
const RECOVERY = 120_000

/**
 * Starts, or after a crash of ours adopts, the PostgreSQL server of a data directory and becomes its single writer
 * (docs: ARCHITECTURE.md, "Embedded PostgreSQL"). `onLost`: the server or the lock went away for good; exit.
 * Everything a person can mend is a StartError.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  log: Logger
  onLost?: (reason: Error) => void
  /** Ends the making of a new database; what has begun after that is finished, and can be stopped. */
  stopping?: AbortSignal | undefined
}): Promise<EmbeddedServer> {
  const { log, onLost } = options
  const place = preparePlace(options.dataDir)
  const binaries = findBinaries(place.account)
  const passwords = await openCluster(place, binaries, options.stopping)
  const admin = connectionOf(place, 'postgres', passwords.admin, 'postgres')
  const connection = connectionOf(place, 'lyceum', passwords.app, 'lyceum')

  let isStopping = false
  let lock = await becomeWriter({ place, binaries, admin, log })
  const stopTrimming = keepLogSmall(place)
  lock.whenDropped(() => void regain())

  async function regain(): Promise<void> {
    const deadline = clock.monotonic() + LOCK_WAIT
    while (!isStopping && findPostmaster(place) && clock.monotonic() < deadline) {
      const attempt = await tryWriterLock(admin)
      if (attempt.result === 'taken') {
        lock = attempt.lock
        lock.whenDropped(() => void regain())
        log.warn('the connection that holds the lock on the database was lost and regained')
        return
      }
      await sleep(50)
    }
    if (isStopping) return
    const reason = findPostmaster(place)
      ? 'the lock on the database was lost'
      : 'the database server has ended'
    log.fatal({ server_log: place.log }, reason)
    onLost?.(new Error(reason))
  }

  async function stop(): Promise<void> {
    isStopping = true
    stopTrimming()
    if (!lock.isHeld()) {
      const again = await tryWriterLock(admin)
      if (again.result === 'taken') lock = again.lock
    }
    // Whoever took a lock we lost needs the server. Ours falls with it: let go of earlier, a waiting process would
    // adopt a server that is about to end.
    if (lock.isHeld()) await stopPostmaster(place)
    await lock.end()
  }

  let stopped: Promise<void> | undefined
  return {
    connection,
    admin,
    url: (database = connection.database) => urlOf({ ...connection, database }),
    stop: () => (stopped ??= stop()),
  }
}

type Wanted = { place: Place; binaries: Binaries; admin: PostgresConnection; log: Logger }

/** The lock comes first and the judgement after it: only the holder may stop a server or call it its own. */
async function becomeWriter({ place, binaries, admin, log }: Wanted): Promise<WriterLock> {
  const { args, stamp } = serverArguments(place, binaries)
  const giveUp = clock.monotonic() + RECOVERY
  let lockDeadline = clock.monotonic() + LOCK_WAIT
  let cause: Error | undefined
  for (; clock.monotonic() < giveUp; await sleep(10)) {
    const found = findPostmaster(place)
    if (!found) {
      if (await answers(place.socket)) {
        if (clock.monotonic() > lockDeadline) throw inUse(place, 'a server in another container or machine')
        continue
      }
      prepareSocketFolder(place)
      cause = await startPostmaster(place, binaries.postgres, args)
      lockDeadline = clock.monotonic() + LOCK_WAIT
      continue
    }
    if (!found.isReady) {
      lockDeadline = clock.monotonic() + LOCK_WAIT
      continue
    }
    const attempt = await tryWriterLock({ ...admin, host: found.socket })
    if (attempt.result === 'held' && clock.monotonic() > lockDeadline) {
      throw inUse(place, `process ${attempt.holder?.replace('lyceum ', '') ?? 'unknown'}`)
    }
    if (attempt.result === 'absent') {
      cause = attempt.cause
      if (attempt.cause.code === '28P01')
        throw new StartError(
          `The server refuses the passwords of ${place.passwords}: put the file back that was made with the data, or set DATABASE_URL`,
        )
    }
    if (attempt.result !== 'taken') continue
    if (!findPostmaster(place)?.isReady) {
      // Its writer stopped it and it is on its way down: that is how the lock came free.
      await attempt.lock.end()
      continue
    }
    if (attempt.stamp === stamp) return attempt.lock
    log.info('a database server with other settings was left running and is restarted')
    await stopPostmaster(place)
    await attempt.lock.end()
  }
  throw new StartError(
    `The database server in ${place.folder} does not answer (${cause?.message ?? 'it is still recovering'}): see ${place.log}, or set DATABASE_URL`,
  )
}

const inUse = (place: Place, holder: string) =>
  new StartError(
    `The data in ${place.folder} is in use by ${holder}: stop it, choose another DATA_DIR, or set DATABASE_URL to share one database`,
  )

function connectionOf(
  place: Place,
  username: string,
  password: string,
  database: string,
): PostgresConnection {
  return { host: place.socket, port: PORT, username, password, database }
}
