import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { createQueue } from './queue.ts'
import type { SheetDesign, Written } from './write.ts'
import type { ToWriter } from './writer-thread.ts'

export { type ColumnDesign, fitsIntoCell, type SheetDesign, type Value, type Written } from './write.ts'

export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export type Writer = {
  /** Adds a few hundred rows to the sheet with this index, which is not before that of the last rows. */
  add: (sheet: number, rows: readonly Written[][]) => void
  finish: () => void
  /** The bytes while they are written. They do not wait for a slow reader, so that the rows need not either. */
  stream: Readable
}

/** Each writer may take 512 MiB. */
const queue = createQueue({ atOnce: 2, waiting: 20 })
const HEAP_MB = 512

/**
 * Writes a workbook in a worker thread, which ends with the stream. 503 `busy` when too many are being written.
 */
export async function openWriter(sheets: readonly SheetDesign[]): Promise<Writer> {
  const leave = await queue.enter()
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: sheets,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    stdout: true,
    stderr: true,
  })
  const stream = new Readable({
    read: () => {},
    destroy: (error, done) => void worker.terminate().then(() => done(error)),
  })
  // Nobody may listen yet, and an unhandled stream error would end the process.
  stream.on('error', () => {})
  let isWhole = false
  worker.on('message', (bytes: Uint8Array<ArrayBuffer> | null) => {
    isWhole = bytes === null
    stream.push(bytes === null ? null : Buffer.from(bytes.buffer))
  })
  worker.on('error', (error) => stream.destroy(error))
  worker.on('exit', (code) => {
    leave()
    if (!isWhole) stream.destroy(new Error(`the writer of workbooks ended with ${code}`))
  })
  const post = (message: ToWriter) => worker.postMessage(message)
  return { add: (sheet, rows) => post({ sheet, rows }), finish: () => post(null), stream }
}

/** Writes a workbook from rows in memory; for at most some thousand rows. */
export async function writeWorkbookInWorker(
  sheets: readonly { design: SheetDesign; rows: readonly Written[][] }[],
): Promise<Buffer> {
  const writer = await openWriter(sheets.map(({ design }) => design))
  for (const [index, { rows }] of sheets.entries()) writer.add(index, rows)
  writer.finish()
  return buffer(writer.stream)
}
