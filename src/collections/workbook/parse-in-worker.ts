import { Worker } from 'node:worker_threads'
import type { Delimiter } from '#foundation/csv/records.ts'
import { ApiError } from '#foundation/errors.ts'
import { YOUNG_MB } from '#foundation/threads/workers.ts'
import { type Facts, fileFault, type RowBatch } from './workbook.ts'

/** A message from the worker to `onRows`: `value` is cloned, the buffers of `transfer` move without a copy. */
export type Posted = { value: unknown; transfer?: readonly ArrayBuffer[] }

/** Runs in the worker. `rows` gets a batch of one sheet, `end` gets the facts at the end. Undefined posts nothing. */
export type Mapper = {
  rows: (batch: RowBatch) => Posted | undefined
  end: (facts: Facts) => Posted | undefined
}

/** `mapper.module` is a URL, as from import.meta.resolve. `options` go to its `createMapper`. */
export type ParseOptions<Batch> = {
  sheets: readonly string[]
  /** Of a .csv, as `precheck` found it. */
  delimiter?: Delimiter | undefined
  onRows: (batch: Batch) => void | Promise<void>
  mapper?: { module: string; options: unknown }
  signal?: AbortSignal
  limits?: { timeMs?: number; heapMb?: number; dataRows?: number }
}

export type WorkerInput = {
  bytes: Uint8Array<ArrayBuffer>
  sheets: readonly string[]
  delimiter?: Delimiter | undefined
  mapper: { module: string; options: unknown } | undefined
  dataRows: number | undefined
}

export type FromWorker =
  | { type: 'batch'; value: unknown }
  | { type: 'facts'; facts: Facts }
  | { type: 'fault'; status: number; code: string; detail: string }
  | { type: 'failed'; message: string }

/** 120 s and 256 MB of old space. A hostile file can only exhaust this thread. */
const TIME_MS = 120_000
const HEAP_MB = 256

/** Reads sheets in a worker thread (see reader.ts). Copies the bytes, so the caller keeps them. */
export async function parseInWorker<Batch = RowBatch>(
  bytes: Uint8Array,
  { sheets, delimiter, onRows, mapper, signal, limits = {} }: ParseOptions<Batch>,
): Promise<Facts> {
  signal?.throwIfAborted()
  const copy = new Uint8Array(bytes)
  const input: WorkerInput = { bytes: copy, sheets, delimiter, mapper, dataRows: limits.dataRows }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: input,
    transferList: [copy.buffer],
    resourceLimits: {
      maxOldGenerationSizeMb: limits.heapMb ?? HEAP_MB,
      maxYoungGenerationSizeMb: YOUNG_MB,
    },
    // Captured, so that a parser out of memory cannot write its heap to the server's log.
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Facts>()
  const abort = () => reject(signal?.reason as Error)
  const timeout = setTimeout(() => reject(parseTimeout()), limits.timeMs ?? TIME_MS)
  let taken: Promise<void> = Promise.resolve()
  let isOver = false
  const take = async (message: FromWorker) => {
    if (isOver) return
    if (message.type === 'batch') {
      await onRows(message.value as Batch)
      worker.postMessage('more')
    } else if (message.type === 'facts') resolve(message.facts)
    else if (message.type === 'fault') reject(new ApiError(message.status, message.code, message.detail))
    else reject(parserFailed(new Error(message.message)))
  }
  signal?.addEventListener('abort', abort)
  worker.on('error', (error) => reject(parserFailed(error)))
  worker.on('exit', (code) => reject(parserFailed(new Error(`the thread ended with ${code}`))))
  // Batches are taken one at a time, however long onRows takes.
  worker.on('message', (message: FromWorker) => {
    taken = taken.then(() => take(message)).catch(reject)
  })
  try {
    return await promise
  } finally {
    isOver = true
    clearTimeout(timeout)
    signal?.removeEventListener('abort', abort)
    await worker.terminate()
    // Wait for a batch that onRows is still taking, so that nothing runs after this settles.
    await taken
  }
}

export const parseTimeout = () => fileFault('parse_timeout', 'Reading the workbook took too long')

export const parserFailed = (cause: unknown) =>
  fileFault(
    'parser_failed',
    'The workbook could not be read within the memory that a workbook may take',
    cause,
  )
