import type { Handlers } from '#foundation/jobs/attempt.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import type { ServiceParts } from '#foundation/service.ts'
import type { Identity } from '#foundation/session-gate.ts'
import { KIND } from './bulk/job-queue.ts'
import { sweepImports } from './bulk/retention.ts'
import { runImport } from './bulk/run.ts'

type Parts = Pick<ServiceParts, 'database' | 'log' | 'config'> & { identity: Identity }

const SWEEP_MS = 3_600_000

/** Does what this service left for after its answers, until it is stopped. One line per feature that has such work. */
export async function startJobs({ database: db, log, config, identity }: Parts) {
  const handlers: Handlers = {
    [KIND]: runImport({ db, identity, log, types: config.COLLECTIONS_TYPES }),
  }
  const runner = startRunner({ db, log, handlers, maxInFlight: config.COLLECTIONS_IMPORT_WORKERS })
  const sweep = () =>
    sweepImports(db).catch((error: unknown) => log.error({ err: error }, 'old imports could not be deleted'))
  let sweeping = sweep()
  const timer = setInterval(() => {
    sweeping = sweep()
  }, SWEEP_MS)
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all([runner.stop(), sweeping])
    },
  }
}
