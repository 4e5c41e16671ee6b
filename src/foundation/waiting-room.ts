import { unavailable } from './errors.ts'

/**
 * A semaphore with `size` slots. Other callers queue, in order, for at most `limitMs`; then `enter` rejects with 503
 * `busy` and `reason`.
 */
export function waitingRoom(size: number, limitMs: number, reason: string) {
  let free = size
  const waiting: { letIn: () => void }[] = []
  return {
    enter() {
      if (free > 0) {
        free--
        return
      }
      return new Promise<void>((resolve, reject) => {
        const ticket = {
          letIn() {
            clearTimeout(timer)
            resolve()
          },
        }
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(ticket), 1)
          reject(unavailable('busy', reason))
        }, limitMs)
        waiting.push(ticket)
      })
    },
    leave() {
      const next = waiting.shift()
      if (next) next.letIn()
      else free++
    },
    isEmpty: () => free === size,
  }
}
