import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { clock } from '../clock.ts'
import { ApiError, unavailable } from '../errors.ts'
import { normalized } from '../text.ts'
import { createHold } from './held-answers.ts'
import { measureScheme, verifierOf } from './password-hashes.ts'

export type Passwords = {
  /** argon2id of the text in NFC, as a PHC string. 503 `passwords_busy` if more than five seconds of work are queued. */
  hashPassword(password: string): Promise<string>
  /**
   * Computes a hash for each form of the typed letters, one for ASCII: without a stored one it checks a decoy and returns false. An imported hash is checked in
   * its own scheme. 503 as above.
   */
  verifyPassword(stored: string | undefined | null, password: string): Promise<boolean>
  /** True if the stored hash uses other parameters or another scheme than new hashes. */
  needsRehash(stored: string): boolean
  /** Hashes computed so far: tests compare it between known and unknown users. */
  hashCalls(): number
  /** The number of queued callers. */
  waiting(): number
  /**
   * Runs an attempt that checks a password. A refusal is delayed to a fixed time after the request: the larger of
   * `refusalTime` and the slowest scheme checked so far. Success is not delayed. `address`: the client.
   */
  refuseInTime<T>(address: string, attempt: () => Promise<T>): Promise<T>
  /** The same for an attempt whose success must stay secret as well: every outcome is delayed. */
  answerInTime<T>(address: string, attempt: () => Promise<T>): Promise<T>
}

/**
 * OWASP's first choice for argon2id: 19 MiB, two passes, one lane. `test` is the cheapest that the algorithm allows.
 */
const COSTS = { normal: { memoryCost: 19_456, timeCost: 2 }, test: { memoryCost: 8, timeCost: 1 } }

/** Longest time a caller may queue (ms), so that a class that signs in at the same moment is admitted completely. */
const MAX_WAIT_MS = 5_000
/** This many may always queue, so that other load on the machine does not keep a class out. */
const CLASS = 100
/** Retry-After in seconds. */
const RETRY_AFTER = 2

/** Fixed delay of a refused sign-in in ms. */
export const REFUSAL_MS = 400

/**
 * Queues hashes, because they share the thread pool (four threads) with file and DNS work: at most three run at once. A
 * flood of sign-ins is refused instead of queued for minutes. Imported hashes may take much longer, so they have a
 * queue with one slot and their own estimate.
 */
export function createPasswords({
  cost = 'normal',
  refusalTime = REFUSAL_MS,
}: { cost?: keyof typeof COSTS; refusalTime?: number } = {}): Passwords {
  const options = { ...COSTS[cost], parallelism: 1, outputLen: 32 }
  const prefix = `$argon2id$v=19$m=${options.memoryCost},t=${options.timeCost},p=1$`
  // No password has this hash; computing it takes as long as any other.
  const decoy = `${prefix}${unpadded(randomBytes(16))}$${unpadded(randomBytes(32))}`
  const queue = createQueue(Math.max(1, Math.min(availableParallelism(), 3)), CLASS)
  const foreign = createQueue(1)
  let calls = 0
  let slowest = 0
  const hold = createHold(() => (refusalTime === 0 ? 0 : Math.max(refusalTime, Math.ceil(slowest))))

  function run<T>(work: () => Promise<T>): Promise<T> {
    calls++
    return queue.run(work)
  }

  async function verifyForeign(
    stored: string,
    password: string,
    check: (password: string) => Promise<boolean>,
  ) {
    calls++
    const took = await measureScheme(stored)
    if (Number.isFinite(took)) slowest = Math.max(slowest, took)
    return foreign.run(() => check(password))
  }

  async function isRight(stored: string | undefined | null, password: string): Promise<boolean> {
    if (stored?.startsWith(prefix)) return run(() => verify(stored, password))
    const check = typeof stored === 'string' ? verifierOf(stored) : undefined
    if (typeof stored === 'string' && check) return verifyForeign(stored, password, check)
    await run(() => verify(decoy, password))
    return false
  }

  return {
    hashPassword: (password) => run(() => hash(normalized(password, 'NFC'), options)),
    async verifyPassword(stored, password) {
      for (const form of formsOf(password)) if (await isRight(stored, form)) return true
      return false
    },
    needsRehash: (stored) => !stored.startsWith(prefix),
    hashCalls: () => calls,
    waiting: () => queue.waiting() + foreign.waiting(),
    refuseInTime: (address, attempt) => hold.error(address, isRefusal, attempt),
    answerInTime: (address, attempt) => hold.everything(address, attempt),
  }
}

/**
 * Keyboards write "ü" as one character or as two, and older or imported hashes may be of either. How many there are
 * depends only on what was typed: one without such letters.
 */
const formsOf = (password: string) =>
  new Set([normalized(password, 'NFC'), password, normalized(password, 'NFD')])

/** Only these are delayed: 429 depends only on the input, and 503 only on our load. */
const isRefusal = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.status === 403)

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** `line`: this many may queue regardless of the estimate. */
function createQueue(slots: number, line = 0) {
  const waiting: (() => void)[] = []
  let running = 0
  /** Moving average of the time of one hash on this machine, in ms. */
  let usual = 30

  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (running < slots) running++
    else if (waiting.length >= line && ((waiting.length + 1) * usual) / slots > MAX_WAIT_MS)
      throw unavailable('passwords_busy', 'Too many sign-ins at once, try again shortly', RETRY_AFTER)
    else await new Promise<void>((resolve) => waiting.push(resolve))
    const start = clock.monotonic()
    try {
      return await work()
    } finally {
      usual += (clock.monotonic() - start - usual) / 8
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  return { run, waiting: () => waiting.length }
}
