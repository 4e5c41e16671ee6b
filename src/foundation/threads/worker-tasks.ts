import { parentPort } from 'node:worker_threads'
import { ApiError, type FieldError } from '../errors.ts'

/** Asks the thread that submitted the task for data that only it has. */
export type Ask = (question: unknown) => Promise<unknown>
/** The tasks of a worker by name. Inputs and results are structured clones. */
// Each task has its own input type, which only its caller knows.
// oxlint-disable-next-line typescript/no-explicit-any
export type Tasks = Readonly<Record<string, (input: any, ask: Ask) => unknown>>

export type ToWorker =
  | { type: 'task'; name: string; input: unknown }
  | { type: 'answer'; value: unknown }
  | { type: 'no answer' }

export type FromWorker =
  | { type: 'ready' }
  | { type: 'question'; value: unknown }
  | { type: 'done'; value: unknown }
  | { type: 'refused'; status: number; code: string; detail: string; errors: FieldError[] }
  | { type: 'failed'; message: string }

/** Call it once in the module that workers.ts starts as a thread. */
export function serveTasks(tasks: Tasks): void {
  const port = parentPort
  if (!port) throw new Error('tasks are served in a worker thread only')
  const post = (message: FromWorker) => port.postMessage(message)
  let asked: PromiseWithResolvers<unknown> | undefined
  const ask: Ask = (question) => {
    asked = Promise.withResolvers<unknown>()
    post({ type: 'question', value: question })
    return asked.promise
  }
  const run = async (name: string, input: unknown) => {
    try {
      post({ type: 'done', value: await tasks[name]?.(input, ask) })
    } catch (error) {
      post(asMessage(error))
    }
  }
  port.on('message', (message: ToWorker) => {
    if (message.type === 'task') void run(message.name, message.input)
    else if (message.type === 'answer') asked?.resolve(message.value)
    else asked?.reject(new Error('the question was not answered'))
  })
  post({ type: 'ready' })
}

function asMessage(error: unknown): FromWorker {
  if (!(error instanceof ApiError))
    return { type: 'failed', message: error instanceof Error ? error.message : String(error) }
  const { status, code, detail, errors } = error
  return { type: 'refused', status, code, detail, errors }
}
