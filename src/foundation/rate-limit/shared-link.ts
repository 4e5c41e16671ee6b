import { Redis } from 'ioredis'
import type { Logger } from '../log.ts'
import { sentinelsOf } from './sentinels.ts'

/** A connection to the shared store, trusted only while the store answers. */
export type SharedLink = {
  /** True if the store decides. Memory decides until the first answer and after any fault. */
  isShared(): boolean
  /** Rejects on any fault, and after 50 ms. After a fault the store is not trusted; a late answer is none, and goes on. */
  ask<T>(question: (redis: Redis) => Promise<T>): Promise<T>
  close(): void
}

/** No request waits longer for the store; a store that is silent twenty times as long is lost. */
const PATIENCE_MS = 50
const SILENCE = 20

/** A test asserts that no command is sent twice. */
export const STORE_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  commandTimeout: SILENCE * PATIENCE_MS, // then the store is lost
  connectTimeout: 500,
  // A stopped server never closes its side; without this a closing process would wait 2 s for it.
  disconnectTimeout: 100,
  disableClientInfo: true,
  retryStrategy: (times: number) => Math.min(times * 100, 2_000),
} as const

const SENTINEL_OPTIONS = {
  // A primary that is replaced while its connection stays open is left at once.
  failoverDetector: true,
  sentinelRetryStrategy: STORE_OPTIONS.retryStrategy,
  sentinelCommandTimeout: 500,
} as const

/** After a fault the shared store is not used for this long. */
const BREAK_MS = 2_000

/**
 * How far two clocks may differ within one window: 50 ms of network delay plus the drift of a clock that is being
 * adjusted for a minute. If memory refuses for longer than this, the shared store must refuse too.
 */
export const DOUBT_MS = 100

export type Patience = {
  /** How long a question waits (ms). Tests that are about something else give a busy machine more. */
  patience?: number | undefined
}

type Options = Patience & {
  url: string
  log: Logger
  /** What continues in memory when the store fails, for the log. */
  what: string
  /** Lua scripts by command name. */
  scripts: Record<string, string>
  /** A question with everything a real one needs, on a key of its own: only a store that can answer it is trusted. */
  probe: (redis: Redis) => Promise<unknown>
}

/** Connects in the background. */
export function openSharedLink({
  url,
  log,
  what,
  scripts,
  probe: question,
  patience = PATIENCE_MS,
}: Options): SharedLink {
  let isShared = false
  let isClosed = false
  let isTold = false // the log says that the store fails
  let pause: NodeJS.Timeout | undefined

  const options = { ...STORE_OPTIONS, commandTimeout: SILENCE * patience }
  const sentinels = sentinelsOf(url)
  const redis = sentinels
    ? new Redis({ ...options, ...SENTINEL_OPTIONS, ...sentinels })
    : new Redis(url, options)
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { lua })
  redis.on('ready', probe)
  redis.on('error', lose)
  redis.on('close', () => lose(new Error('the connection to the shared store closed')))

  function lose(error: unknown): void {
    isShared = false
    if (isClosed) return
    // Log the message only: the client's errors contain the command, with addresses and passwords.
    const reason = error instanceof Error ? error.message : String(error)
    if (!isTold) log.warn({ reason }, `the shared store of ${what} fails; they go on in memory`)
    isTold = true
    pause ??= setTimeout(() => {
      pause = undefined
      probe()
    }, BREAK_MS).unref()
  }

  /** One probe decides whether the shared store is trusted again, so that no request pays for it. */
  function probe(): void {
    if (pause || isClosed || redis.status !== 'ready') return
    question(redis).then(
      () => {
        if (pause || isClosed) return
        isShared = true
        if (isTold) log.info(`the shared store of ${what} answers again`)
        isTold = false
      },
      (error: unknown) => {
        lose(error)
        // The connection may be dead without an error, so reconnect.
        if (!isClosed) redis.disconnect(true)
      },
    )
  }

  return {
    isShared: () => isShared,
    ask(asked) {
      const answer = asked(redis)
      answer.catch(lose)
      return inTime(answer, patience)
    },
    close() {
      isClosed = true
      isShared = false
      clearTimeout(pause)
      redis.disconnect()
    },
  }
}

function inTime<T>(answer: Promise<T>, patience: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // A process that was busy itself first reads what has arrived meanwhile.
    const late = () => setImmediate(reject, new Error('the shared store is late'))
    const timer = setTimeout(late, patience)
    void answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
