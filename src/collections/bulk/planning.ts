import { createWorker, WorkerFailure } from '#foundation/threads/workers.ts'
import { parseTimeout, parserFailed } from '../workbook/reader.ts'
import type { HeaderRules } from './layout.ts'
import type { Planned, PlanningTasks } from './planning-worker.ts'

/** While the sender waits; the largest workbook that is read takes a second. */
const TIME_MS = 15_000

const worker = createWorker<PlanningTasks>(new URL('./planning-worker.ts', import.meta.url), {
  timeMs: TIME_MS,
  heapMb: 256,
  waiting: 200,
})

/**
 * Says what is wrong with a workbook at once: 415, 413 or 422 as the reader has them, and what its headers must be called.
 * Reads at most the first rows of each sheet. 503 `busy` when many wait for the same.
 */
export const judgeWorkbook = (path: string, rules: HeaderRules): Promise<void> =>
  worker.run('judge', { path, rules }).catch(asFileFault)

/** Which sheets of a workbook are read, and as what. Throws as `judgeWorkbook` does. */
export const planWorkbook = (bytes: Uint8Array): Promise<Planned> =>
  worker.run('plan', bytes).catch(asFileFault)

function asFileFault(error: unknown): never {
  if (!(error instanceof WorkerFailure)) throw error
  throw error.reason === 'time' ? parseTimeout() : parserFailed(error)
}
