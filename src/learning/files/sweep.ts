import type { ServiceParts } from '#foundation/http/service.ts'
import { listTenants, sweepFiles } from './remove.ts'

const FIRST_MS = 90_000
const EVERY_MS = 3_600_000

/** Removes orphaned files, in every process and without a lease: rows that another one holds are skipped. */
export function startFileSweep({ database: db, log }: Pick<ServiceParts, 'database' | 'log'>) {
  let isStopped = false
  let running = Promise.resolve()

  async function round() {
    let after = ''
    for (;;) {
      const tenants = await listTenants(db.pool, after)
      for (const { tenant_id } of tenants) {
        let [isDone, deleted] = [isStopped, 0]
        while (!isDone && !isStopped) {
          const swept = await sweepFiles({ db }, tenant_id)
          deleted += swept.deleted
          ;({ isDone } = swept)
        }
        if (deleted > 0) log.info({ files: deleted }, 'swept files that nothing names')
        after = tenant_id
      }
      if (tenants.length === 0 || isStopped) return
    }
  }

  let timer = setTimeout(again, FIRST_MS).unref()
  function again() {
    running = round()
      .catch((error: unknown) => log.error({ err: error }, 'the sweep of files failed and is repeated'))
      .then(() => {
        if (!isStopped) timer = setTimeout(again, EVERY_MS).unref()
      })
  }

  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
