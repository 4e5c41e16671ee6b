import { Worker } from 'node:worker_threads'
import { ApiError, unavailable } from '../errors.ts'
import type { Ask, FromWorker, Tasks, ToWorker } from './worker-tasks.ts'

type Limits = {
  /** Time limit of one task in ms, from when the worker receives it. */
  timeMs: number
  heapMb: number
  /** Maximum queue length; further tasks get 503 `busy`. */
  waiting: number
}

/** The task exceeded its time or memory limit, or ended its thread. */
export class WorkerFailure extends Error {
  readonly reason: 'time' | 'crash'

  constructor(reason: 'time' | 'crash', message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

type Waiting = {
  name: string
  input: unknown
  answer: Ask
  resolve: (value: never) => void
  reject: (error: unknown) => void
}
type Run<T extends Tasks> = <Name extends keyof T & string>(
  name: Name,
  input: Parameters<T[Name]>[0],
  /** Answers questions of the running task; what it throws, `run` throws. */
  answer?: Ask,
) => Promise<Awaited<ReturnType<T[Name]>>>

/**
 * Space for new objects in a thread. Node stops a thread that reaches its limit with 16 MB to spare, and V8 ends the whole
 * process if that does not suffice: with the default of 48 MB one collection can move more than that at once.
 */
export const YOUNG_MB = 8

/** A thread idle for this long is stopped. */
const IDLE_MS = 60_000
/** Time to start a thread and load its modules on a busy machine. */
const START_MS = 60_000

/**
 * Runs tasks on untrusted bytes in a thread with time and memory limits, so that a parser fault does not affect the
 * services. Tasks run one after the other. `module` must call `serveTasks` (worker-tasks.ts). The thread starts with
 * the first task, and again after a task that broke it.
 */
export function createWorker<T extends Tasks>(module: URL, limits: Limits): { run: Run<T> } {
  const queue: Waiting[] = []
  let thread: Thread | undefined
  let isBusy = false
  let idle: NodeJS.Timeout | undefined

  async function work() {
    isBusy = true
    clearTimeout(idle)
    for (let next = queue.shift(); next; next = queue.shift()) {
      try {
        thread ??= startThread(module, limits)
        next.resolve((await thread.run(next)) as never)
      } catch (error) {
        if (error instanceof WorkerFailure) thread = undefined
        next.reject(error)
      }
    }
    isBusy = false
    idle = setTimeout(() => {
      thread?.end()
      thread = undefined
    }, IDLE_MS).unref()
  }

  const run: Run<T> = (name, input, answer = refuseQuestions) =>
    new Promise((resolve, reject) => {
      if (queue.length >= limits.waiting)
        return reject(unavailable('busy', 'Too much is being read at the moment', 5))
      queue.push({ name, input, answer, resolve, reject })
      if (!isBusy) void work()
    })
  return { run }
}

const refuseQuestions: Ask = () => Promise.reject(new Error('this task may ask nothing'))

type Thread = { run: (task: Waiting) => Promise<unknown>; end: () => void }

function startThread(module: URL, { timeMs, heapMb }: Limits): Thread {
  const worker = new Worker(module, {
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
    // A parser that ran out of memory must not write its heap to the server's log.
    stdout: true,
    stderr: true,
  })
  let fail: (failure: WorkerFailure) => void = () => {}
  let take: (message: FromWorker) => void = () => {}
  worker.on('message', (message: FromWorker) => take(message))
  worker.on('error', (cause) => fail(new WorkerFailure('crash', 'a worker broke down', cause)))
  worker.on('exit', (code) => fail(new WorkerFailure('crash', `a worker ended with ${code}`)))
  const post = (message: ToWorker) => worker.postMessage(message)
  const end = () => void worker.terminate()
  let isReady = false

  async function run({ name, input, answer }: Waiting): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    // Only a working thread keeps the process alive.
    worker.ref()
    fail = reject
    const limit = (ms: number) =>
      setTimeout(() => reject(new WorkerFailure('time', `${name} took more than ${ms} ms`)), ms)
    let timer = limit(START_MS)
    const begin = () => {
      clearTimeout(timer)
      timer = limit(timeMs)
      post({ type: 'task', name, input })
    }
    let refusal: { error: unknown } | undefined
    const tell = async (question: unknown) => {
      try {
        post({ type: 'answer', value: await answer(question) })
      } catch (error) {
        refusal = { error }
        post({ type: 'no answer' })
      }
    }
    take = (message) => {
      if (message.type === 'ready') {
        isReady = true
        begin()
      } else if (message.type === 'question') void tell(message.value)
      else if (message.type === 'done') resolve(message.value)
      else if (refusal) reject(refusal.error)
      else if (message.type === 'refused')
        reject(new ApiError(message.status, message.code, message.detail, { errors: message.errors }))
      else reject(new Error(message.message))
    }
    if (isReady) begin()
    try {
      return await promise
    } catch (error) {
      if (error instanceof WorkerFailure) end()
      throw error
    } finally {
      clearTimeout(timer)
      fail = take = () => {}
      worker.unref()
    }
  }
  return { run, end }
}
