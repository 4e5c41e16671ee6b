import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { ApiError } from '#foundation/errors.ts'
import { readWorkbook } from './read-workbook.ts'
import type { FromWorker, Mapper, WorkerInput } from './parse-in-worker.ts'

/** The worker of parse-in-worker.ts. Reads, maps and posts at most two batches ahead of the consumer. */
const AHEAD = 2

const { bytes, sheets, mapper: wanted, dataRows } = workerData as WorkerInput
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
  const mapper = wanted && createMapperOf(await import(wanted.module), wanted.options)
  const facts = await readWorkbook(Buffer.from(bytes.buffer), sheets, {
    dataRows,
    onRows: async (sheet, rows) => {
      if (!mapper) return post({ sheet, rows })
      const mapped = mapper.rows({ sheet, rows })
      if (mapped) await post(mapped.value, mapped.transfer)
    },
  })
  const last = mapper?.end(facts)
  if (last) await post(last.value, last.transfer)
  port.postMessage({ type: 'facts', facts } satisfies FromWorker)
} catch (error) {
  port.postMessage(toMessage(error))
}

function createMapperOf(module: { createMapper?: (options: unknown) => Mapper }, options: unknown): Mapper {
  if (!module.createMapper) throw new Error('the module exports no createMapper')
  return module.createMapper(options)
}

function toMessage(error: unknown): FromWorker {
  if (!(error instanceof ApiError)) return { type: 'failed', message: String(error) }
  const { status, code, detail } = error
  return { type: 'fault', status, code, detail }
}
