import { parentPort, workerData } from 'node:worker_threads'
import { type SheetDesign, type Value, writeWorkbook } from './write.ts'

/** The thread of writer.ts: keeps rows as they come, and makes the workbook when told that these were all. */
export type ToWriter = { type: 'rows'; sheet: number; rows: readonly Value[][] } | { type: 'finish' }

const port = parentPort
if (!port) throw new Error('writer-thread.ts runs in a worker thread only')
const sheets = (workerData as SheetDesign[]).map((design) => ({ design, rows: [] as Value[][] }))

port.on('message', (message: ToWriter) => {
  if (message.type === 'rows') {
    const { rows = [] } = sheets[message.sheet] ?? {}
    for (const row of message.rows) rows.push(row)
    return
  }
  // What fails here ends the thread, and the one who waits hears of it there.
  void writeWorkbook(sheets).then((bytes) => {
    port.postMessage(bytes, [bytes.buffer as ArrayBuffer])
    port.close()
  })
})
