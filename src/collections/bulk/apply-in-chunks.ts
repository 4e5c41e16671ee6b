import { transact } from './transact.ts'
import { extendTimeouts, applyingOf, applyNext, keptOf, type Running } from './applying.ts'
import { type Attempt, holdJob, showProgress } from './attempt.ts'
import { findTargets } from './collections-chunk.ts'
import { endJob } from './job-queue.ts'
import { addTally, noTally } from './job.ts'
import { keepErrors, markLanded, markRows, noteChunk } from './record.ts'
import { nextCollections, START } from './rows-next.ts'
import { SHEETS } from './staged.ts'

/** Good rows land and bad rows are listed: a transaction for every thousand. */
export async function applyInChunks(running: Running, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const { db } = running
  await findLanded(running, attempt)
  let rows_done = 0
  for (const sheet of ['collections', 'items'] as const) {
    await showProgress(db, attempt, { phase: sheet })
    for (let cursor = START; ;) {
      signal.throwIfAborted()
      const from = cursor
      const next = await transact(db, async (tx) => {
        const held = await holdJob(tx, attempt)
        if (held.is_cancelled) {
          await endJob(tx, attempt, 'cancelled')
          return 'cancelled'
        }
        await extendTimeouts(tx)
        const applying = await applyingOf(running, attempt, tx, true)
        const applied = await applyNext(applying, sheet, from)
        if (!applied) return undefined
        const { tally, errors, ended } = applied.chunk
        await noteChunk(tx, attempt, SHEETS[sheet], ended)
        await keepErrors(tx, attempt, 'applying', errors, keptOf(held))
        await tx`
          update collections.jobs
             set counts = ${tx.json(addTally({ ...noTally(), ...held.counts }, tally))}, rows_done = rows_done + ${ended.length}
           where job_id = ${attempt.job_id}`
        return applied
      })
      if (next === 'cancelled') return
      if (!next) break
      rows_done += next.chunk.ended.length
      ;({ cursor } = next)
    }
  }
  await transact(db, async (tx) => {
    const held = await holdJob(tx, attempt)
    await endJob(tx, attempt, keptOf(held).errors === 0 ? 'completed' : 'completed_with_errors')
  })
}

/** What attempts before this one have done; after the rows were read once more, also which collections theirs became. */
async function findLanded(running: Running, attempt: Attempt): Promise<void> {
  const { job_id, staging_id } = attempt
  if (staging_id === null) return
  await transact(running.db, async (tx) => {
    await extendTimeouts(tx)
    await markLanded(tx, job_id, staging_id)
    const [missing] = await tx`
      select 1 from collections.staged_rows
       where staging_id = ${staging_id} and sheet = ${SHEETS.collections} and state = 'done' and target_id is null limit 1`
    if (!missing) return
    const applying = await applyingOf(running, attempt, tx, false)
    for (let cursor = START; ;) {
      const next = await nextCollections(tx, staging_id, cursor, 'done')
      if (!next) return
      const found = await findTargets(applying, next.rows)
      await markRows(
        tx,
        staging_id,
        SHEETS.collections,
        found.map((one) => ({ ...one, state: 'done' })),
      )
      ;({ cursor } = next)
    }
  })
}
