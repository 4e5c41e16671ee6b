import { unavailable } from '#foundation/errors.ts'

/**
 * Limits concurrency: `atOnce` runs in all, one per key. Up to `waiting` callers wait; later ones get 503 `busy`.
 * `enter` returns the function that ends the turn.
 */
export function createQueue({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const running = new Set<unknown>()
  const queue: { key: unknown; begin: () => void }[] = []
  const mayBegin = (key: unknown) => running.size < atOnce && !running.has(key)
  const endOf = (key: unknown) => () => {
    running.delete(key)
    const next = queue.findIndex((one) => mayBegin(one.key))
    if (next >= 0) queue.splice(next, 1)[0]?.begin()
  }
  return {
    enter(key: unknown = Symbol('nobody else')): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<() => void>()
      const begin = () => {
        running.add(key)
        resolve(endOf(key))
      }
      if (mayBegin(key)) begin()
      else if (queue.length < waiting) queue.push({ key, begin })
      else throw unavailable('busy', 'Too many workbooks are being written', 5)
      return promise
    },
  }
}
