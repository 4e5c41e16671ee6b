import { Worker } from 'node:worker_threads'
import { unavailable } from '../errors.ts'

/** `common`: a common password or close to one. `personal`: built from facts about its owner. */
export type Verdict = 'good' | 'common' | 'personal'
export type Question = { id: number; password: string; own: readonly string[] }

/** Milliseconds. Loading the lists takes half a second, an estimate a few milliseconds. */
const TIME_LIMIT = 10_000
/** Idle time in ms before the thread ends: the lists take some 100 MB, and new passwords are rare. */
const IDLE = 60_000
const MAX_WAITING = 1_000
const MAX_OWN = 20

type Waiting = { resolve: (verdict: Verdict) => void; reject: (error: unknown) => void }

const waiting = new Map<number, Waiting>()
let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined
let asked = 0

/**
 * Rates a new password against common ones and `own`: names and addresses of its owner, the name of the site. Runs in a
 * thread that starts on demand and ends after a minute without work, so that neither the start nor other requests wait.
 * 503 `passwords_busy` if the thread does not answer.
 */
export async function judgePassword(password: string, own: readonly string[]): Promise<Verdict> {
  if (waiting.size >= MAX_WAITING) throw busy()
  clearTimeout(idle)
  const id = ++asked
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
  waiting.set(id, { resolve, reject })
  thread ??= startThread()
  thread.ref()
  thread.postMessage({ id, password, own: own.slice(0, MAX_OWN).map((text) => text.slice(0, 100)) })
  const timeout = setTimeout(() => giveUp(), TIME_LIMIT)
  try {
    return await promise
  } finally {
    clearTimeout(timeout)
    waiting.delete(id)
    if (waiting.size === 0) {
      thread?.unref()
      idle = setTimeout(stopThread, IDLE).unref()
    }
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./password-judge-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  worker.on('message', ({ id, verdict }: { id: number; verdict: Verdict }) =>
    waiting.get(id)?.resolve(verdict),
  )
  worker.on('error', (error) => giveUp(error))
  return worker
}

function stopThread() {
  const ended = thread
  thread = undefined
  void ended?.terminate()
}

/** Rejects all waiting checks: a password must not pass unchecked because the thread is busy or broken. */
function giveUp(cause?: unknown) {
  stopThread()
  for (const { reject } of waiting.values()) reject(busy(cause))
}

const busy = (cause?: unknown) =>
  unavailable('passwords_busy', 'New passwords cannot be checked at the moment, try again shortly', 2, cause)
