import { startImports } from '#foundation/imports/run.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { sweepImports } from './bulk/imports.ts'
import { importWork } from './bulk/run.ts'
import { sweepChanges } from './history/sweep.ts'

type Parts = Pick<ServiceParts, 'database' | 'log' | 'config'> & { identity: Identity }

/** Starts this service's background jobs. Add one line for each feature that has them. */
export function startJobs({ database: db, log, config, identity }: Parts) {
  return startImports({ db, log }, importWork({ identity, types: config.COLLECTIONS_TYPES }), {
    maxInFlight: config.COLLECTIONS_IMPORT_WORKERS,
    sweep: async () => {
      await sweepImports(db)
      await sweepChanges(db)
    },
  })
}
