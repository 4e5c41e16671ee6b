import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Product } from './product.ts'

export type Pulse = {
  /** The longest answer of each service since the last call (ms). */
  longest: () => Promise<number[]>
  /** How many times longer than its own work a thread takes at this moment, because others compute as well. */
  slowness: () => Promise<number>
  stop: () => Promise<unknown>
}

/**
 * Asks `/livez` of all three services again and again, from a thread of its own: what the test does meanwhile holds up no
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
