import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { Database } from './database.ts'

/** Rows per batch: keeps locks short. */
const BATCH = 1_000
/** How long until the next look for a step; a migration adds one rarely. */
const LOOK_MS = 30_000

type Batch = { step: string; is_done: boolean }

/**
 * Works on the backfills of a database until stopped, in every process; a step has one of them at a time. Pauses after
 * each batch for as long as it took, so that requests keep half of what it needs.
 */
export function startBackfills(db: Database, log: Logger): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {})

  async function work() {
    while (!stopping.signal.aborted) {
      const began = clock.monotonic()
      const batch = await runBatch(db.pool).catch((error: unknown) => {
        log.error({ err: error }, 'a backfill failed and is repeated')
        return undefined
      })
      if (batch?.is_done) log.info({ step: batch.step }, 'a backfill is done')
      await pause(batch ? clock.monotonic() - began : LOOK_MS)
    }
  }
  const working = work()
  return {
    stop: async () => {
      stopping.abort()
      await working
    },
  }
}

/** Before a migration whose text says `-- after backfill: step`, because it relies on what that changes. */
export async function finishBackfillOf(sql: postgres.Sql, text: string): Promise<void> {
  const [, step] = /^-- after backfill: ([\w.]+)$/m.exec(text) ?? []
  if (step === undefined) return
  const isOpen = async () =>
    (await sql`select from foundation.backfills where step = ${step} and finished_at is null`).length > 0
  // Another process may hold the step for the length of a batch.
  while (await isOpen()) if (!(await runBatch(sql, step))) await sleep(100)
}

async function runBatch(sql: postgres.ISql, step: string | null = null): Promise<Batch | undefined> {
  const [batch] = await sql<Batch[]>`select step, is_done from foundation.backfill(${BATCH}, ${step})`
  return batch
}

/** A line for each step that is not done. */
export async function tellBackfills(sql: postgres.Sql): Promise<string[]> {
  const [known] = await sql<{ is_there: boolean }[]>`
    select to_regclass('foundation.backfills') is not null as is_there`
  if (!known?.is_there) return []
  const rows = await sql<{ step: string; changed: number; expected: number }[]>`
    select step, changed::float8 as changed, expected::float8 as expected from foundation.backfills
     where finished_at is null order by started_at, step`
  return rows.map(
    ({ step, changed, expected }) =>
      `Backfill ${step}: ${changed.toLocaleString('en-US')} of about ${expected.toLocaleString('en-US')} rows`,
  )
}
