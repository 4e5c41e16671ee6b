import { Redis } from 'ioredis'
import type { Logger } from '../log.ts'

/** A connection to the shared store that is trusted only while it answers. */
export type SharedLink = {
  /** The store decides. Otherwise memory does: from the start until the first answer, and after any fault. */
  isShared(): boolean
  /** Rejects on any fault, 50 ms after the start at the latest; from then on the store is not trusted. */
  ask<T>(question: (redis: Redis) => Promise<T>): Promise<T>
  close(): void
}

/** Asserted by a test: no request waits for the store longer than 50 ms, and none is sent twice. */
export const STORE_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 50,
  connectTimeout: 500,
  // A stopped server never closes its side; without this a closing process would wait 2 s for it.
  disconnectTimeout: 100,
  disableClientInfo: true,
  retryStrategy: (times: number) => Math.min(times * 100, 2_000),
} as const

/** After a fault nothing is asked of the shared store for so long. */
const BREAK_MS = 2_000

/**
 * By how much the two clocks may disagree about one window: 50 ms of travel and what a clock that is being set right
 * gains or loses in a minute. A refusal in memory that ends later than this is one the shared store must share.
 */
export const DOUBT_MS = 100

type Options = {
  url: string
  log: Logger
  /** What goes on in memory when the store fails, for the log. */
  what: string
  /** Lua by the name it is called by. */
  scripts: Record<string, string>
  /** Everything a real question needs, on a key of its own: only a store that can do this is trusted. */
  probe: (redis: Redis) => Promise<unknown>
}

/** Opens the connection in the background. */
export function openSharedLink({ url, log, what, scripts, probe: question }: Options): SharedLink {
  let isShared = false
  let isClosed = false
  let isTold = false // the log says that the store fails
  let pause: NodeJS.Timeout | undefined

  const redis = new Redis(url, { ...STORE_OPTIONS })
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { lua })
  redis.on('ready', probe)
  redis.on('error', lose)
  redis.on('close', () => lose(new Error('the connection to the shared store closed')))

  function lose(error: unknown): void {
    isShared = false
    if (isClosed) return
    // The message alone: errors of the client carry the command they belong to, with addresses and passwords.
    const reason = error instanceof Error ? error.message : String(error)
    if (!isTold) log.warn({ reason }, `the shared store of ${what} fails; they go on in memory`)
    isTold = true
    pause ??= setTimeout(() => {
      pause = undefined
      probe()
    }, BREAK_MS).unref()
  }

  /** One question decides whether the shared store is trusted again; requests never pay for it. */
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
        // The connection may be dead without knowing it; a new one is made.
        if (!isClosed) redis.disconnect(true)
      },
    )
  }

  return {
    isShared: () => isShared,
    async ask(asked) {
      try {
        return await asked(redis)
      } catch (error) {
        lose(error)
        throw error
      }
    },
    close() {
      isClosed = true
      isShared = false
      clearTimeout(pause)
      redis.disconnect()
    },
  }
}
