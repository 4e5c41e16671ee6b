import type { Database } from '#foundation/database/database.ts'
import type { Logger } from '#foundation/log.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import type { Announcements } from '#foundation/security/session-gate.ts'
import { eventsOf } from './events-of.ts'
import { dropCursors, takeLines, WINDOW } from './lines.ts'
import { tellJobs, tellLater } from './tell.ts'

const EVERY_MS = 1_000

type Parts = { database: Database; log: Logger; announcements: Announcements }

/**
 * Makes events of what the history has recorded, for the tenants that ask for them (docs/decisions/events-of-collections.md).
 * Each transaction moves the cursor and enqueues the events, so a process that dies leaves neither a gap nor a double.
 */
export function startRelay({ database: db, log, announcements }: Parts): { stop: () => Promise<void> } {
  const runner = startRunner({ db, log, handlers: tellJobs(announcements), maxInFlight: 2 })
  let isStopped = false
  let passing: Promise<void> | undefined
  const pass = async () => {
    try {
      const asking = await announcements.tenantsAsking()
      await db.transaction((tx) =>
        dropCursors(
          tx,
          asking.map(({ tenant_id }) => tenant_id),
        ),
      )
      for (const { tenant_id, since } of asking)
        for (let taken = WINDOW; taken === WINDOW && !isStopped;) taken = await relay(db, tenant_id, since)
    } catch (error) {
      log.error({ err: error }, 'changes of collections could not be told yet')
    }
    passing = undefined
  }
  const timer = setInterval(() => {
    passing ??= pass()
  }, EVERY_MS).unref()
  return {
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await Promise.all([passing, runner.stop()])
    },
  }
}

const relay = (db: Database, tenant_id: string, since: string): Promise<number> =>
  db.transaction(async (tx) => {
    const lines = await takeLines(tx, tenant_id, since)
    await tellLater(tx, tenant_id, await eventsOf(tx, tenant_id, lines))
    return lines.length
  })
