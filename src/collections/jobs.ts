import { startImports } from '#foundation/imports/run.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { Announcements, Identity } from '#foundation/security/session-gate.ts'
import { sweepImports } from './bulk/imports.ts'
import { importWork } from './bulk/run.ts'
import { startRelay } from './events/relay.ts'
import { sweepChanges } from './history/sweep.ts'
import type { Parse } from './workbook/reader.ts'

type Parts = Pick<ServiceParts, 'database' | 'log' | 'config'> & {
  identity: Identity
  announcements: Announcements
  parse?: Parse | undefined
}

/** Starts this service's background jobs. Add one line for each feature that has them. */
export function startJobs({ database, log, config, identity, announcements, parse }: Parts) {
  const work = importWork({ identity, types: config.COLLECTIONS_TYPES, parse })
  const workers = [
    startImports({ db: database, log }, work, {
      maxInFlight: config.COLLECTIONS_IMPORT_WORKERS,
      sweep: async () => {
        await sweepImports(database)
        await sweepChanges(database)
      },
    }),
    startRelay({ database, log, announcements }),
  ]
  return { stop: () => Promise.all(workers.map((worker) => worker.stop())) }
}
