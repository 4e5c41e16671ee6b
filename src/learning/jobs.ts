import type { Handlers } from '#foundation/jobs/attempt.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { regradeJobs } from './exams/regrade.ts'
import { startFileSweep } from './files/sweep.ts'
import { letterJobs } from './letters/letters.ts'
import { mailJobs, type MailParts } from './notifications/mail.ts'
import { startSweeps, sweepJobs } from './notifications/sweep.ts'

/** Regrades in parallel. They must leave connections for the requests. */
const REGRADES = 2

/** Starts the background jobs of this service. Add one line per feature that has jobs. */
export function startJobs(
  parts: Pick<ServiceParts, 'database' | 'log'>,
  { identity, ...mail }: { identity: Identity } & MailParts,
) {
  const { database: db, log } = parts
  const handlers: Handlers = {
    ...regradeJobs(db),
    ...letterJobs(identity),
    ...sweepJobs(db),
    ...mailJobs(db, mail),
  }
  const runner = startRunner({ db, log, handlers, maxInFlight: REGRADES })
  const sweeps = [startFileSweep(parts), startSweeps(db, log)]
  return {
    async stop() {
      await Promise.all(sweeps.map((sweep) => sweep.stop()))
      await runner.stop()
    },
  }
}
