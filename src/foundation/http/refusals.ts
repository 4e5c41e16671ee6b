import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError } from 'fastify'
import { type Database, isTimeout, isTooLarge } from '../database/database.ts'
import { type ErrorFace, frameworkError, validationError } from './error-faces.ts'
import { ApiError, type FieldError, unavailable } from '../errors.ts'
import { newRequestId } from '../ids.ts'

/**
 * The error response for any error. An ApiError is sent as it is; an unknown error becomes 500 with a fixed message.
 */
export function refusalOf(
  error: unknown,
  face: ErrorFace,
  database: Database,
  others: readonly FieldError[] = [],
): ApiError {
  if (error instanceof ApiError) return error
  const known = error as FastifyError
  if (known.validation) return validationError(face, known.validation, others)
  // Checked before database errors: a client that disconnects while it sends its body also causes ECONNRESET.
  const refused = frameworkError(known)
  if (refused) return refused
  if (database.noteFailure(error))
    return unavailable('database_unavailable', 'The database does not answer', 1, error)
  if (isTimeout(error)) return unavailable('busy', 'The database took too long', 1, error)
  if (isTooLarge(error)) return new ApiError(422, 'too_large', 'A value is too large to be stored')
  return new ApiError(500, 'internal', 'Internal server error', { cause: error })
}

/** Why a request was refused, for the log: code and message of the cause. */
export function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' ? `${code}: ${cause.message}` : cause.message
}

/** The handler timed out before the whole body arrived: the client is slow, not we, so its connection is closed. */
export const isTooSlow = (error: unknown, { complete }: IncomingMessage) =>
  !complete && (error as { code?: string }).code === 'FST_ERR_HANDLER_TIMEOUT'

export const tooSlow = () =>
  new ApiError(408, 'request_timeout', 'The body of the request did not arrive in time', {
    headers: { Connection: 'close' },
  })

type ParserError = Error & { code?: string; reason?: string }

/** Answers requests that Node's parser refuses before a request object exists. */
export const refuseMalformedRequest =
  (face: ErrorFace) => (error: ParserError, socket: Socket & { _httpMessage?: ServerResponse }) => {
    // If a response has already begun on this connection, a second one must not follow it.
    if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
      socket.destroy(error)
      return
    }
    const status = statusOf(error)
    const { headers, body } = bareRefusal(face, status)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }

function statusOf({ code, reason }: ParserError): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  // The parser uses one code for an unknown transfer coding and for one beside a Content-Length; the latter is
  // smuggling.
  const isUnknownCoding = code === 'HPE_INVALID_TRANSFER_ENCODING' && !/content-length/i.test(reason ?? '')
  return isUnknownCoding ? 501 : 400
}

/** Refuses an Expect header other than 100-continue (RFC 9110, section 10.1.1); Node would refuse it without a body. */
export const refuseExpectation = (face: ErrorFace) => (_: IncomingMessage, response: ServerResponse) => {
  const { headers, body } = bareRefusal(face, 417)
  response.writeHead(417, headers).end(body)
}

function bareRefusal(face: ErrorFace, status: number) {
  const request_id = newRequestId()
  const error = new ApiError(status, 'bad_request', STATUS_CODES[status] ?? 'Bad request')
  const body = JSON.stringify(face.body(error, request_id))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': request_id,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  return { headers, body }
}
