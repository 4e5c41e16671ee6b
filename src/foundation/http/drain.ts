import type { IncomingMessage } from 'node:http'

/** A body up to this size stands in the buffers of the connection and stops nobody from reading an answer (bytes). */
const SHORT = 65_536
const MOST = 16 * 1_048_576
const LONGEST_MS = 2_000

/** Whether the sender is still busy with a long body, so that an answer now would not be read. */
export function isSending({ complete, destroyed, headers }: IncomingMessage): boolean {
  if (complete || destroyed) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SHORT
}

/**
 * Reads what is left of a refused body away, up to 16 MiB or 2 s: most clients look for an answer only when they have sent
 * everything, and see a broken connection where the server stops reading.
 */
export function drain(body: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let read = 0
    const finish = () => {
      clearTimeout(timer)
      body.off('data', count).off('end', finish).off('close', finish).off('error', finish)
      // Nobody else reads it, so what still comes must not stop the connection.
      body.resume()
      resolve()
    }
    const count = (chunk: Buffer) => {
      read += chunk.length
      if (read > MOST) finish()
    }
    const timer = setTimeout(finish, LONGEST_MS)
    body.on('end', finish).on('close', finish).on('error', finish).on('data', count)
    body.resume()
  })
}
