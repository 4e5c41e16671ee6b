import { createWorker, WorkerFailure } from '#foundation/threads/workers.ts'
import { parseTimeout, parserFailed } from '../workbook/reader.ts'
import type { HeaderRules } from './layout.ts'
import type { Recognised } from './recognise.ts'
import type { Planned, PlanningTasks } from './planning-worker.ts'

/** The sender waits for this. The largest workbook allowed takes one second. */
const TIME_MS = 15_000

const worker = createWorker<PlanningTasks>(new URL('./planning-worker.ts', import.meta.url), {
  timeMs: TIME_MS,
  heapMb: 256,
  waiting: 200,
})

/**
 * Checks a workbook at upload and throws 415, 413 or 422 from the reader or for its headers. Reads at most the first
 * rows of each sheet. 503 `busy` when the worker's queue is full.
 */
export const judgeWorkbook = (path: string, rules: HeaderRules): Promise<void> =>
  worker.run('judge', { path, rules }).catch(asFileFault)

/** The sheets to read and their roles. Throws like `judgeWorkbook`. */
export const planWorkbook = (bytes: Uint8Array, rules: HeaderRules): Promise<Planned> =>
  worker.run('plan', { bytes, rules }).catch(asFileFault)

/** What the sheets and headers of a workbook would be read as. Throws only for a file that cannot be read. */
export const recogniseWorkbook = (path: string, rules: HeaderRules): Promise<Recognised> =>
  worker.run('recognise', { path, rules }).catch(asFileFault)

function asFileFault(error: unknown): never {
  if (!(error instanceof WorkerFailure)) throw error
  throw error.reason === 'time' ? parseTimeout() : parserFailed(error)
}
