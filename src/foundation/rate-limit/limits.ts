import type { Logger } from '../log.ts'
import { type AttemptLog, createAttemptLog } from './attempt-log.ts'
import { createLimiter, type Limiter } from './limiter.ts'

/** The limits of each service by its name. */
export type Limits = {
  limiter: (service: string) => Limiter
  attempts: (service: string) => AttemptLog
}

/** Limits of this process; with `redisUrl` all processes share them. */
export const openLimits = (redisUrl: string | undefined, log: Logger): Limits => ({
  limiter: (service) => createLimiter({ service, redisUrl, log }),
  attempts: (service) => createAttemptLog({ service, redisUrl, log }),
})
