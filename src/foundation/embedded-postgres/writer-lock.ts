import postgres from 'postgres'
import type { PostgresConnection } from './url.ts'

/** One number for all versions of Lyceum ("lyce"): the right to write to the data of this server. */
const LOCK = 0x6c796365

/** The lock, held for as long as its connection lives. */
export type WriterLock = { isHeld(): boolean; whenDropped(act: () => void): void; end(): Promise<void> }

export type Attempt =
  | { result: 'taken'; lock: WriterLock; stamp: string | null }
  | { result: 'held'; holder: string | null }
  /** The server is starting, stopping or gone. */
  | { result: 'absent'; cause: Error & { code?: string } }

/**
 * One attempt to become the single writer. The lock is a session lock of the database `postgres`, so that `lyceum`
 * stays free of connections and can be a template; `stamp` is that of settings.ts.
 */
export async function tryWriterLock(connection: PostgresConnection): Promise<Attempt> {
  let isHeld = false
  let dropped = () => {}
  const sql = postgres({
    ...connection,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    keep_alive: 60,
    connect_timeout: 5,
    fetch_types: false,
    prepare: false,
    onnotice: () => {},
    // The name is how a second process tells its user who is in the way.
    connection: { application_name: `lyceum ${process.pid}` },
    onclose: () => {
      if (!isHeld) return
      isHeld = false
      dropped()
    },
  })
  const end = async () => {
    isHeld = false
    await sql.end({ timeout: 0 })
  }
  try {
    const [row] = await sql<{ is_taken: boolean; holder: string | null; stamp: string | null }[]>`
      select pg_try_advisory_lock(${LOCK}::bigint) as is_taken,
             current_setting('lyceum.stamp', true) as stamp,
             (select a.application_name
                from pg_catalog.pg_locks l
                join pg_catalog.pg_stat_activity a on a.pid = l.pid
               where l.locktype = 'advisory' and l.objid = ${LOCK} and l.granted
               order by a.pid limit 1) as holder`
    if (row?.is_taken) {
      isHeld = true
      const whenDropped = (act: () => void) => (isHeld ? (dropped = act) : act())
      return { result: 'taken', lock: { isHeld: () => isHeld, whenDropped, end }, stamp: row.stamp }
    }
    await end()
    return { result: 'held', holder: row?.holder ?? null }
  } catch (error) {
    await end()
    return { result: 'absent', cause: error as Error & { code?: string } }
  }
}
