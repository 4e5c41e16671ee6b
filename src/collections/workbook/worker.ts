import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { ApiError } from '#foundation/errors.ts'
import type { FromWorker, WorkerInput } from './parse-in-worker.ts'
import { parseSheets } from './parse-sheets.ts'

/** The worker of parse-in-worker.ts. Reads, maps and posts at most two batches ahead of the consumer. */
const AHEAD = 2

const port = parentPort
if (!port) throw new Error('worker.ts runs in a worker thread only')

let posted = 0
port.on('message', () => posted--)
const post = async (value: unknown, transfer: readonly ArrayBuffer[] = []) => {
  posted++
  port.postMessage({ type: 'batch', value } satisfies FromWorker, [...transfer])
  while (posted >= AHEAD) await once(port, 'message')
}

try {
  const facts = await parseSheets(workerData as WorkerInput, post)
  port.postMessage({ type: 'facts', facts } satisfies FromWorker)
} catch (error) {
  port.postMessage(toMessage(error))
}

function toMessage(error: unknown): FromWorker {
  if (!(error instanceof ApiError)) return { type: 'failed', message: String(error) }
  const { status, code, detail } = error
  return { type: 'fault', status, code, detail }
}
