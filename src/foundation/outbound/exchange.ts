import type { Dispatcher } from 'undici'
import { failure } from './vetted-connect.ts'

type Answer = { status: number; headers: Dispatcher.ResponseData['headers'] }
type Limits = { deadlineMs: number; maxBodyBytes: number }

/**
 * Sends one request and collects its answer. Uses the handler interface of undici, because a stream and an abort signal
 * for each answer cost more than the request. Rejects if no status arrives in time; from then on the status stands, and
 * `isComplete` is false if the body was too long, late or cut off.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { deadlineMs, maxBodyBytes }: Limits,
): Promise<Answer & { body: Buffer; isComplete: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let room = maxBodyBytes
    let answer: Answer | undefined
    let controller: Dispatcher.DispatchController | undefined
    let stopped: Error | undefined
    const end = (isComplete: boolean, error?: Error) => {
      clearTimeout(deadline)
      if (answer) resolve({ ...answer, body: Buffer.concat(chunks), isComplete })
      else reject(error ?? failure('protocol'))
    }
    /** Answers at once; the abort destroys the socket, or keeps a waiting request from being sent. */
    const stop = (reason: Error) => {
      stopped = reason
      end(false, reason)
      controller?.abort(reason)
    }
    const deadline = setTimeout(() => stop(failure('timeout')), deadlineMs)
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started
        if (stopped) started.abort(stopped)
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) answer = { status, headers }
      },
      onResponseData(_controller, chunk) {
        if (stopped) return
        chunks.push(chunk.subarray(0, room))
        room -= chunk.length
        if (room < 0) stop(failure('protocol'))
      },
      onResponseEnd: () => end(true),
      onResponseError: (_controller, error) => end(false, error),
    })
  })
}
