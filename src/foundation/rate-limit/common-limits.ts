import type { Answerers, Channel } from '../processes/channel.ts'
import type { AttemptKey, AttemptLog, Turn } from './attempt-log.ts'
import type { Bucket, Limiter, Verdict } from './limiter.ts'
import type { Limits } from './limits.ts'

type Counted = { service: string; buckets: readonly Bucket[] }
type Begun = { service: string; keys: readonly AttemptKey[] }
type Ended = { turn: number; isRight: boolean }

/** A number for a turn that is let in, else the wait in milliseconds. */
type Answer = { turn: number } | { wait: number }

/** Opens the limits of a service once, when they are first asked for. */
export function openOnce(limits: Limits): Limits {
  const limiters = new Map<string, Limiter>()
  const attempts = new Map<string, AttemptLog>()
  return {
    limiter: (service) => once(limiters, service, limits.limiter),
    attempts: (service) => once(attempts, service, limits.attempts),
  }
}

function once<T>(known: Map<string, T>, service: string, open: (service: string) => T): T {
  const found = known.get(service) ?? open(service)
  known.set(service, found)
  return found
}

/**
 * The supervisor's side: counts in its memory what all workers let in. Take one for each worker; turns that a worker never
 * ended stay counted as failed, and are forgotten here with the worker.
 */
export function answerLimits(memory: Limits): Answerers {
  const turns = new Map<number, Extract<Turn, { isLetIn: true }>>()
  let last = 0
  return {
    hit: ({ service, buckets }: Counted) => memory.limiter(service).hit(buckets),
    peek: ({ service, buckets }: Counted) => memory.limiter(service).peek(buckets),
    async begin({ service, keys }: Begun): Promise<Answer> {
      const turn = await memory.attempts(service).begin(keys)
      if (!turn.isLetIn) return { wait: turn.wait }
      turns.set(++last, turn)
      return { turn: last }
    },
    async end({ turn: number, isRight }: Ended) {
      const turn = turns.get(number)
      turns.delete(number)
      await (isRight ? turn?.succeed() : turn?.giveBack())
    },
  }
}

const FREE: Verdict = { admitted: true, retryAfter: 0, buckets: [] }

/** A worker's side: the supervisor counts. Without it the worker ends, so a lost answer is an error of the request. */
export const askLimits = (supervisor: Channel): Limits => ({
  limiter: (service): Limiter => {
    const ask = (kind: 'hit' | 'peek') => (buckets: readonly Bucket[]) =>
      buckets.some(({ limit }) => limit > 0) ? supervisor.ask<Verdict>(kind, { service, buckets }) : FREE
    return { hit: ask('hit'), peek: ask('peek'), state: () => 'memory', close: async () => {} }
  },
  attempts: (service): AttemptLog => ({
    async begin(keys) {
      if (keys.length === 0) return { isLetIn: true, succeed: async () => {}, giveBack: async () => {} }
      const answer = await supervisor.ask<Answer>('begin', { service, keys })
      if ('wait' in answer) return { isLetIn: false, wait: answer.wait }
      const end = (isRight: boolean) => supervisor.ask<void>('end', { turn: answer.turn, isRight })
      return { isLetIn: true, succeed: () => end(true), giveBack: () => end(false) }
    },
    close: () => {},
  }),
})
