import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { clock } from '../clock.ts'
import { ApiError, unavailable } from '../errors.ts'
import { createHold } from './held-answers.ts'
import { measureScheme, verifierOf } from './password-hashes.ts'

export type Passwords = {
  /** argon2id as a PHC string. 503 `passwords_busy` when more than five seconds of work wait already. */
  hashPassword(password: string): Promise<string>
  /**
   * One hash, whoever it is: without a stored one a decoy is computed and the answer is false. A hash that was imported is
   * computed in its own scheme. 503 as above.
   */
  verifyPassword(stored: string | undefined | null, password: string): Promise<boolean>
  /** True when the stored hash was made with other parameters or in another scheme than today's. */
  needsRehash(stored: string): boolean
  /** How many hashes were computed so far: tests compare it between known and unknown users. */
  hashCalls(): number
  /** How many callers wait for their turn. */
  waiting(): number
  /**
   * Runs what checks a password. A refusal leaves a fixed time after it came: the larger of `refusalTime` and the slowest
   * scheme that any account was checked with. What succeeds is not delayed. `address`: who asks.
   */
  refuseInTime<T>(address: string, attempt: () => Promise<T>): Promise<T>
  /** As above, for what must not even tell whether it succeeded. */
  answerInTime<T>(address: string, attempt: () => Promise<T>): Promise<T>
}

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. `test` is the cheapest the algorithm allows. */
const COSTS = { normal: { memoryCost: 19_456, timeCost: 2 }, test: { memoryCost: 8, timeCost: 1 } }

/** Longest a caller waits before the first hash of its own begins: a class that signs in on the bell is let in whole. */
const MAX_WAIT_MS = 5_000
/** As many may always wait: what the machine is busy with besides must not keep a class out. */
const CLASS = 100
/** Seconds after which somebody who was refused may come back. */
const RETRY_AFTER = 2

/** Milliseconds after which a refused sign-in is told so. */
export const REFUSAL_MS = 400

/**
 * Hashing behind a queue: hashes run on the thread pool that files and names need as well (four threads), so at most
 * three of ours run at once, and a flood of sign-ins is refused instead of queued for minutes. Imported hashes may take
 * much longer, so they have a queue of one slot and an estimate of their own.
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

  return {
    hashPassword: (password) => run(() => hash(password, options)),
    async verifyPassword(stored, password) {
      if (stored?.startsWith(prefix)) return run(() => verify(stored, password))
      const check = typeof stored === 'string' ? verifierOf(stored) : undefined
      if (typeof stored === 'string' && check) return verifyForeign(stored, password, check)
      await run(() => verify(decoy, password))
      return false
    },
    needsRehash: (stored) => !stored.startsWith(prefix),
    hashCalls: () => calls,
    waiting: () => queue.waiting() + foreign.waiting(),
    refuseInTime: (address, attempt) => hold.error(address, isRefusal, attempt),
    answerInTime: (address, attempt) => hold.everything(address, attempt),
  }
}

/** 429 depends on nothing but what was typed, and 503 on how busy we are. */
const isRefusal = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.status === 403)

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** `line`: so many may wait whatever the estimate says. */
function createQueue(slots: number, line = 0) {
  const waiting: (() => void)[] = []
  let running = 0
  /** Time of one hash on this machine, a moving average in ms. */
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
