import type { Handlers } from '#foundation/jobs/attempt.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { regradeJobs } from './exams/regrade.ts'

/** Regrades in parallel. They must leave connections for the requests. */
const REGRADES = 2

/** Starts the background jobs of this service. Add one line per feature that has jobs. */
export function startJobs({ database: db, log }: Pick<ServiceParts, 'database' | 'log'>) {
  const handlers: Handlers = {
    ...regradeJobs(db),
  }
  return startRunner({ db, log, handlers, maxInFlight: REGRADES })
}
