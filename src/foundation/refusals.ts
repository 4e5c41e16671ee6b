import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyError } from 'fastify'
import { type Database, isTimeout } from './database.ts'
import { type ErrorFace, frameworkError, validationError } from './error-faces.ts'
import { ApiError, unavailable } from './errors.ts'

/** What a caller is told of an error: what was meant for him as it is, everything unknown as 500 with a fixed sentence. */
export function refusalOf(error: unknown, face: ErrorFace, database: Database): ApiError {
  if (error instanceof ApiError) return error
  if (database.noteFailure(error))
    return unavailable('database_unavailable', 'The database does not answer', 1, error)
  if (isTimeout(error)) return unavailable('busy', 'The database took too long', 1, error)
  const known = error as FastifyError
  if (known.validation) return validationError(face, known.validation)
  return frameworkError(known) ?? new ApiError(500, 'internal', 'Internal server error', { cause: error })
}

/** RFC 9112, section 3.2. */
export const hostMissing = () =>
  new ApiError(400, 'bad_request', 'The request names no Host', { headers: { Connection: 'close' } })

/** What Node's parser refuses before a request exists. */
export const refuseMalformedRequest =
  (face: ErrorFace) => (error: Error & { code?: string }, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy(error)
      return
    }
    const [status, reason] =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? [431, 'Request Header Fields Too Large']
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? [408, 'Request Timeout']
          : [400, 'Bad Request']
    const body = JSON.stringify(
      face.body(new ApiError(status as number, 'bad_request', reason as string), randomUUID()),
    )
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
