import type { Handlers } from '#foundation/jobs/attempt.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { regradeJobs } from './exams/regrade.ts'

/** At the same time: they must leave connections to those who wait for an answer. */
const REGRADES = 2

/** Does what this service left for after its answers, until it is stopped. One line per feature that has such work. */
export function startJobs({ database: db, log }: Pick<ServiceParts, 'database' | 'log'>) {
  const handlers: Handlers = {
    ...regradeJobs(db),
  }
  return startRunner({ db, log, handlers, maxInFlight: REGRADES })
}
