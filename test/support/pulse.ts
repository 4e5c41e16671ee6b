import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Product } from './product.ts'

export type Pulse = {
  /** The longest response time of each service since the last call (ms). */
  longest: () => Promise<number[]>
  /** Current wall time divided by CPU time of a thread's work; above 1 when other processes compute. */
  slowness: () => Promise<number>
  stop: () => Promise<unknown>
}

/**
 * Polls `/livez` of all three services from its own thread, so that the work of the test does not delay the
 * measurement.
 */
export function takePulse({ sso, learning, collections }: Product): Pulse {
  const worker = new Worker(new URL('./pulse-thread.ts', import.meta.url), {
    workerData: [sso, learning, collections].map((address) => `${address}/livez`),
  })
  const ask = async <T>(question: 'longest' | 'slowness'): Promise<T> => {
    worker.postMessage(question)
    const [answer] = (await once(worker, 'message')) as [T]
    return answer
  }
  return {
    longest: () => ask<number[]>('longest'),
    slowness: () => ask<number>('slowness'),
    stop: () => worker.terminate(),
  }
}
