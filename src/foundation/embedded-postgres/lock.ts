import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import postgres from 'postgres'
import { clock } from '../clock.ts'
import { StartError } from '../start-error.ts'
import type { Binaries } from './binaries.ts'
import type { Place } from './place.ts'
import { isStartedBy, readPidFile, serverCommand, startServer, stopServer } from './postmaster.ts'
import type { PostgresConnection } from '../database/url.ts'

/**
 * Advisory lock key ("lyce"), the same in every version of Lyceum. Its holder may stop the server and write to its
 * data.
 */
const LOCK = 0x6c796365
/** How long a start waits for another process that is about to exit (ms). */
const LOCK_WAIT = 5_000
/** How long a server may take to answer (ms): enough to recover 2 GB of WAL on a slow disk. */
const RECOVERY = 120_000

/** A session lock: it lasts as long as its connection. */
export type Lock = { isHeld: boolean; end(): Promise<void> }

export type Wanted = {
  place: Place
  binaries: Binaries
  admin: PostgresConnection
  log: Logger
  /** Told the process of a server that this process starts, and undefined when that has ended. */
  onSpawn: (pid: number | undefined) => void
  /** Called when the connection that held the lock is lost. */
  onDrop: () => void
}

/**
 * Takes the lock on a server that runs with our settings, and starts one if needed. StartError: another process holds
 * the lock.
 */
export async function takeServer({ place, binaries, admin, log, onSpawn, onDrop }: Wanted): Promise<Lock> {
  const command = serverCommand(place, binaries)
  const began = clock.monotonic()
  let heldSince: number | undefined
  let reason: string | undefined
  for (; clock.monotonic() < began + RECOVERY; await sleep(10)) {
    const { pid, socket, isReady } = readPidFile(place)
    // The server is starting or stopping, and each connection attempt would cost it a process.
    if (pid !== undefined && !isReady) continue
    const { lock, holder, failure } = await tryLock({ ...admin, host: socket }, onDrop)
    if (lock) {
      // The lock may be free only because the server is shutting down, which ends the holder's session.
      const isStopping = !readPidFile(place).isReady
      if (!isStopping && isStartedBy(command, place)) return lock
      lock.isHeld = false
      if (!isStopping) {
        log.info('a database server with other settings was left running and is restarted')
        await stopServer(place)
      }
      await lock.end()
    } else if (holder !== undefined) {
      heldSince ??= clock.monotonic()
      if (clock.monotonic() > heldSince + LOCK_WAIT)
        throw new StartError(
          `The data in ${place.folder} is in use by ${holder}: stop it, choose another DATA_DIR, or set DATABASE_URL to share one database`,
        )
    } else {
      heldSince = undefined
      reason = failure?.message
      if (failure?.code === '28P01')
        throw new StartError(
          `The server refuses the passwords of ${place.passwords}: put the file back that was made with the data, or set DATABASE_URL`,
        )
      const nobodyListens = failure?.code === 'ENOENT' || failure?.code === 'ECONNREFUSED'
      if (!nobodyListens || readPidFile(place).pid !== undefined) continue
      reason = await startServer(place, command, onSpawn)
      // Another start was faster, or backends of a killed server have not noticed its end yet.
      if (reason !== undefined && !/already exists|still in use/.test(reason))
        throw new StartError(
          `PostgreSQL did not start: "${reason}" (${place.log}). Mend that, or set DATABASE_URL`,
        )
    }
  }
  throw new StartError(
    `The database server in ${place.folder} does not answer (${reason ?? 'it is still starting'}): see ${place.log}, or set DATABASE_URL`,
  )
}

type Attempt = { lock?: Lock; holder?: string; failure?: Error & { code?: string } }

/**
 * The lock is a session lock in the database `postgres`, so `lyceum` has no extra connection and can serve as a
 * template.
 */
async function tryLock(admin: PostgresConnection, onDrop: () => void): Promise<Attempt> {
  const lock = { isHeld: false, end: () => sql.end({ timeout: 0 }) }
  const sql = postgres({
    ...admin,
    max: 1,
    max_lifetime: null,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    // Another process reads this name to tell its user who holds the lock.
    connection: { application_name: `lyceum ${process.pid}` },
    onclose: () => {
      const wasHeld = lock.isHeld
      lock.isHeld = false
      if (wasHeld) onDrop()
    },
  })
  try {
    const [row] = await sql<{ is_taken: boolean; holder: string | null }[]>`
      select pg_try_advisory_lock(${LOCK}::bigint) as is_taken,
             (select application_name from pg_locks join pg_stat_activity using (pid)
               where locktype = 'advisory' and objid = ${LOCK} and granted order by pid limit 1) as holder`
    lock.isHeld = row?.is_taken === true
    if (lock.isHeld) return { lock }
    await lock.end()
    return { holder: row?.holder?.replace('lyceum', 'process') ?? 'another process' }
  } catch (error) {
    await lock.end()
    return { failure: error as Error & { code?: string } }
  }
}
