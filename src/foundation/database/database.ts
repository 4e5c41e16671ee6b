import postgres from 'postgres'
import { splitSocketHost } from './url.ts'
import { unavailable } from '../errors.ts'
import { type Lanes, laneOf } from './lanes.ts'
import { waitingRoom } from '../waiting-room.ts'
import { inTurns, LISTS } from './lists.ts'
import { ANSWER_MS, isAnswered, openSockets, type Sockets, watchSilence } from './silence.ts'

/** Types that this file parses differently from the driver: times become ISO 8601 UTC text, bigint becomes number. */
type Types = { bigint: number }
/** The pipelined connection for short reads by key, one page or one count. It has no `begin` and is read-only. */
export type Lane = postgres.ISql<Types>
export type Pool = postgres.Sql<Types>
export type Tx = postgres.TransactionSql<Types>

export type Database = {
  fast: Lane
  pool: Pool
  /**
   * Runs a list or search, whose cost depends on what a person asks for: read-only, at most two seconds, on connections
   * that no write needs. Three per person at once; the others wait for two seconds, then 503 `busy`. `statement` is
   * made with `pool` and not awaited.
   */
  lists: <T extends readonly postgres.MaybeRow[]>(
    person: string,
    statement: postgres.PendingQuery<T>,
  ) => Promise<T>
  /** Runs one transaction. Retries it at most twice when PostgreSQL aborts it to resolve a conflict (40001, 40P01). */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** False from a lost connection until a probe succeeds. Meanwhile requests are refused at once. */
  isAvailable(): boolean
  /** Returns true if the error means "no database". isAvailable() is then false until a probe succeeds. */
  noteFailure(error: unknown): boolean
  close(): Promise<void>
}

export type DatabaseOptions = {
  /** A postgres:// URL, of one host or several; `?host=/directory` names a unix socket. */
  url: string
  poolSize?: number
  /** Multiplies the time limits of statements, locks and waiting (PATIENCE). */
  patience?: number
  /** How long a transaction waits for a free slot before it is refused, in ms. */
  poolWaitMs?: number
  /** A server that sends no answer for this long, in ms, counts as hung. */
  silenceMs?: number
  /** Seconds after which an idle connection is closed; by default it is never closed. */
  idleSeconds?: number
  /** False behind PgBouncer in transaction mode (DATABASE_PREPARE); see lanes.ts. */
  prepare?: boolean
  /** A standby is what is wanted. Otherwise a server that became one counts as lost. */
  isReplica?: boolean
  onNotice?: (notice: postgres.Notice) => void
}

const POOL_WAIT_MS = 2_000
const whenCommitted = new WeakMap<Tx, (() => void)[]>()

/**
 * Calls `tell` after the transaction of `db.transaction` commits, and never if it rolls back. Use it for hints only,
 * because the process can exit between the commit and the call.
 */
export const afterCommit = (tx: Tx, tell: () => void) => void whenCommitted.get(tx)?.push(tell)

const PROBE_EVERY_MS = 200
const PROBE_WAIT_MS = 3_000

export function openDatabase({
  url,
  poolSize = 8,
  patience = 1,
  poolWaitMs = POOL_WAIT_MS * patience,
  silenceMs = ANSWER_MS,
  idleSeconds,
  prepare = true,
  isReplica = false,
  onNotice = () => {},
}: DatabaseOptions): Database {
  let isSilent = false
  let isClosed = false
  let probe: NodeJS.Timeout | undefined
  const turn = { host: 0 }
  const sockets = openSockets(() => isSilent, turn)
  const common = {
    prepare,
    patience,
    // PgBouncer gives the server away at the end of a statement, even where the next one is half sent: without a name
    // it would then be bound on another server.
    ...(!prepare && ({ max_pipeline: 0 } as object)),
    onnotice: (notice: postgres.Notice) => {
      refuseUnreplicated(notice)
      onNotice(notice)
    },
    idle_timeout: idleSeconds,
    // The driver's default backoff is up to 20 s; the database must be usable within 5 s of coming back.
    connect_timeout: silenceMs / 1_000,
    backoff: (attempt: number) => (isSilent ? 0 : Math.min(0.05 * attempt, 0.5)),
  }
  const fast = connect(url, { max: prepare ? 1 : poolSize, sockets, ...common }, 'fast')
  const pool = connect(url, { max: poolSize, sockets, ...common }, 'pool')
  const listing = connect(url, { max: LISTS, sockets, ...common }, 'lists')
  // A separate connection for liveness probes, so that they do not queue behind other statements. It is opened at start
  // because connecting takes time.
  const ownSockets = openSockets(() => false, turn)
  const lifeline = connect(url, { max: 1, sockets: ownSockets, ...common }, 'pool')
  const sayAlive = async () => await lifeline`select 1`
  if (idleSeconds === undefined) sayAlive().catch(() => {})
  const slots = waitingRoom(poolSize, poolWaitMs, 'Too many requests are waiting for the database')
  const stopWatching = watchSilence([sockets], sayAlive, silenceMs, () => {
    isSilent = true
    dropAll()
    askSoon()
  })

  const run = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const tells: (() => void)[] = []
        const result = (await pool.begin((tx) => {
          whenCommitted.set(tx, tells)
          return work(tx)
        })) as T
        for (const tell of tells) tell()
        return result
      } catch (error) {
        if (!isVictim(error)) throw error
        if (attempt === 3) throw unavailable('busy', 'The database is too busy with the same rows', 1, error)
      }
    }
  }

  /** Every pending statement fails as if its connection were lost, which is true. */
  function dropAll() {
    for (const group of [sockets, ownSockets]) group.destroyAll()
  }

  async function ask() {
    const question = lifeline<{ is_standby: boolean }[]>`select pg_is_in_recovery() as is_standby`
    const isBack = await Promise.race([
      question.then(
        ([row]) => {
          if (isReplica || row?.is_standby === false) return true
          // What was the primary at our last statement is none any more, and its connections are worth nothing.
          dropAll()
          return false
        },
        () => false,
      ),
      isAnswered(question, PROBE_WAIT_MS).then(() => false),
    ])
    if (isBack) {
      isSilent = false
      probe = undefined
      return
    }
    ownSockets.destroyAll()
    probe = undefined
    askSoon()
  }

  function askSoon() {
    if (!isClosed) probe ??= setTimeout(() => void ask(), PROBE_EVERY_MS)
  }

  return {
    fast,
    pool,
    lists: inTurns(
      async <T extends readonly postgres.MaybeRow[]>(statement: postgres.PendingQuery<T>) =>
        (await listing`${statement}`) as unknown as T,
      patience,
    ),
    async transaction(work) {
      await slots.enter()
      try {
        return await run(work)
      } finally {
        slots.leave()
      }
    },
    isAvailable: () => probe === undefined,
    noteFailure(error) {
      if (!isConnectionLoss(error)) return false
      askSoon()
      return true
    },
    async close() {
      isClosed = true
      clearTimeout(probe)
      stopWatching()
      await Promise.all([fast, pool, listing, lifeline].map((one) => one.end({ timeout: 5 })))
    },
  }
}

type Own = { sockets: Sockets; patience: number }
type ConnectOptions = postgres.Options<Record<string, postgres.PostgresType>> & Own

function connect(url: string, { sockets, patience, ...options }: ConnectOptions, lane: Lanes): Pool {
  const { url: address, ...socket } = splitSocketHost(url)
  const { database, parameters } = laneOf(url, lane, options.prepare !== false, patience)
  return postgres(address, {
    ...options,
    ...socket,
    ...(database !== undefined && { database }),
    // The types of the driver lack this option.
    ...({ socket: sockets.open } as object),
    connection: { application_name: 'lyceum', TimeZone: 'UTC', ...parameters },
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      date: {
        to: 1184,
        from: [1184],
        parse: isoTime,
        serialize: (time: string | Date) => (time instanceof Date ? time.toISOString() : time),
      },
      plain_date: {
        to: 1082,
        from: [1082],
        parse: (text: string) => text,
        serialize: (text: string) => text,
      },
    },
  }) as unknown as Pool
}

/**
 * Turns "2026-01-02 03:04:05.6+00" into "2026-01-02T03:04:05.600Z". Connections use UTC; columns are timestamptz(3).
 */
function isoTime(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3).padEnd(3, '0') : '000'
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`
}

/** The first row of a statement that always returns one. */
export function one<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined) throw new Error('a statement that always returns a row returned none')
  return row
}

const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** True when the error is the violation of exactly this constraint or unique index (SQLSTATE class 23). */
export const violates = (error: unknown, constraint: string) =>
  sqlState(error).startsWith('23') && (error as { constraint_name?: string }).constraint_name === constraint

/**
 * When somebody cancels a commit that waits for its synchronous standby, PostgreSQL commits and says so in a warning
 * only. A failover would lose that write, so it must not be acknowledged: an error thrown here rejects its statement.
 */
function refuseUnreplicated({ routine, message }: postgres.Notice) {
  if (routine === 'SyncRepWaitForLSN') throw Object.assign(new Error(message), { code: '08007' })
}

const isVictim = (error: unknown) => ['40001', '40P01'].includes(sqlState(error))

const CONNECTION_LOSS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECTION_CONNECT_TIMEOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
  // Committed here, and on no other server yet (refuseUnreplicated).
  '08007',
  // A write on a server that is no primary any more.
  '25006',
])

/** The error means that there is no database to talk to, or none that takes writes. What was asked may have happened. */
export const isConnectionLoss = (error: unknown) => CONNECTION_LOSS.has(sqlState(error)) || isOfPooler(error)

/** How PgBouncer tells that it lost the server or has none; PostgreSQL uses the code for faults that are not fatal. */
const isOfPooler = (error: unknown) =>
  sqlState(error) === '08P01' && /FATAL/.test(JSON.stringify(error, ['severity', 'severity_local']))

/** A statement or lock that took too long (57014, 55P03): the caller may come back, nothing was changed. */
export const isTimeout = (error: unknown) => ['57014', '55P03'].includes(sqlState(error))

/** A row or key beyond what PostgreSQL can keep (54000), each value of which may be right: nothing was changed. */
export const isTooLarge = (error: unknown) => sqlState(error) === '54000'
