import { parentPort, workerData } from 'node:worker_threads'
import { openWorkbook, type SheetDesign, type Written } from './write.ts'

/** The worker of writer.ts: turns rows into pieces of a workbook. The last message, here and there, is null. */
export type ToWriter = { sheet: number; rows: readonly Written[][] } | null

const port = parentPort
if (!port) throw new Error('writer-thread.ts runs in a worker thread only')

const workbook = await openWorkbook(workerData as SheetDesign[])
port.on('message', (message: ToWriter) => {
  if (message) workbook.add(message.sheet, message.rows)
  else workbook.end()
})
// A failure here ends the thread, which is an error of the stream.
for await (const piece of workbook.stream) {
  const bytes = new Uint8Array(piece as Buffer)
  port.postMessage(bytes, [bytes.buffer])
}
port.postMessage(null)
port.close()
