import type { IncomingMessage } from 'node:http'

/** A body up to this size (bytes) fits into the connection's buffers, so its sender can still read a response. */
const SHORT = 65_536
const MOST = 16 * 1_048_576
const LONGEST_MS = 2_000

/** Whether the client is still sending a long body, so that it would not read a response now. */
export function isSending({ complete, destroyed, headers }: IncomingMessage): boolean {
  if (complete || destroyed) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SHORT
}

/**
 * Reads and discards the rest of a refused body, up to 16 MiB or 2 s. Most clients read the response only after they
 * have sent everything, and see a broken connection if the server stops reading.
 */
export function drain(body: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let read = 0
    const finish = () => {
      clearTimeout(timer)
      body.off('data', count).off('end', finish).off('close', finish).off('error', finish)
      // Nobody else reads the body, so keep discarding it, or it would block the connection.
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
