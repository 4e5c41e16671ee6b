import { parentPort, workerData } from 'node:worker_threads'
import { type SheetDesign, type Value, writeWorkbook } from './write.ts'

/** The worker of writer.ts: collects rows, then writes the workbook on `finish`. */
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
  // A failure here ends the thread, which rejects the promise of `finish`.
  void writeWorkbook(sheets).then((bytes) => {
    port.postMessage(bytes, [bytes.buffer as ArrayBuffer])
    port.close()
  })
})
