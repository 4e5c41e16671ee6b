/** Without `Retry-After`, attempts wait so long, doubled each time, and a random part of it. */
const FIRST_WAIT_MS = 250

export const backOff = (attempt: number): number => FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2)

/** Rejects as soon as the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
