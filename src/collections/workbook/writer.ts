import { Worker } from 'node:worker_threads'
import { createQueue } from './queue.ts'
import type { SheetDesign, Value } from './write.ts'
import type { ToWriter } from './writer-thread.ts'

export { type ColumnDesign, fitsIntoCell, type SheetDesign, type Value } from './write.ts'

export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export type Writer = {
  /** Adds a few hundred rows to the sheet with this index. */
  add: (sheet: number, rows: readonly Value[][]) => void
  /** The bytes of the workbook. The thread has ended when this settles. */
  finish: () => Promise<Buffer>
  /** Ends the thread of a workbook that is no longer wanted. */
  drop: () => Promise<void>
}

/** Each writer may take 512 MiB. */
const queue = createQueue({ atOnce: 2, waiting: 20 })
const HEAP_MB = 512

/**
 * Writes a workbook in a worker thread. 503 `busy` when too many are being written. Call `finish` or `drop` to end
 * it.
 */
export async function openWriter(sheets: readonly SheetDesign[]): Promise<Writer> {
  const leave = await queue.enter()
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: sheets,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  // The caller may fail before it awaits the bytes; without this the rejection would be unhandled.
  promise.catch(() => {})
  worker.on('message', (bytes: Uint8Array<ArrayBuffer>) => resolve(Buffer.from(bytes.buffer)))
  worker.on('error', reject)
  worker.on('exit', (code) => {
    leave()
    reject(new Error(`the writer of workbooks ended with ${code}`))
  })
  const post = (message: ToWriter) => worker.postMessage(message)
  const drop = async () => void (await worker.terminate())
  return {
    add: (sheet, rows) => post({ type: 'rows', sheet, rows }),
    finish: async () => {
      post({ type: 'finish' })
      try {
        return await promise
      } finally {
        await drop()
      }
    },
    drop,
  }
}

/** Writes a workbook from rows in memory; for at most some thousand rows. */
export async function writeWorkbookInWorker(
  sheets: readonly { design: SheetDesign; rows: readonly Value[][] }[],
): Promise<Buffer> {
  const writer = await openWriter(sheets.map(({ design }) => design))
  for (const [index, { rows }] of sheets.entries()) writer.add(index, rows)
  return writer.finish()
}
