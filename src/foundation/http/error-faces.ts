import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { ApiError, type FieldError } from '../errors.ts'
import { fieldError } from './field-faults.ts'

/** The error format of one service: `docs/choices.md` has the table. */
export type ErrorFace = {
  /** Status if a required field is missing. */
  missingField: 400 | 422
  body(error: ApiError, request_id: string): object
}

const coded = ({ detail, code, errors }: ApiError, request_id: string) => ({
  detail,
  request_id,
  code,
  ...(errors.length > 0 && { errors }),
})

export const errorFaces = {
  sso: { missingField: 400, body: coded },
  learning: { missingField: 422, body: ({ detail }) => ({ detail }) },
  // The particular code of a field stands in `errors` alone.
  collections: {
    missingField: 422,
    body: (error, request_id) => ({
      ...coded(error, request_id),
      ...(error.status === 422 && error.errors.length > 0 && { code: 'validation' }),
    }),
  },
} satisfies Record<string, ErrorFace>

/** Limits the number of faults that one response lists. */
const MAX_NAMED_FAULTS = 10

/**
 * Turns validation faults of a body, query or path into one ApiError with one entry per field. `others` are field
 * errors that the feature found beyond the schema; they count only for fields whose shape is right.
 */
export function validationError(
  face: ErrorFace,
  faults: readonly FastifySchemaValidationError[],
  others: readonly FieldError[] = [],
): ApiError {
  const shape = faults.filter(isOwnFault).slice(0, MAX_NAMED_FAULTS).map(fieldError)
  const errors = [...shape, ...others.filter(({ field }) => shape.every((fault) => fault.field !== field))]
  const status = errors.some(({ code }) => code === 'required') ? face.missingField : 422
  const detail = errors.map(({ field, message }) => `${field}: ${message}`).join('; ')
  return new ApiError(status, status === 400 ? 'missing_field' : 'validation', detail, { errors })
}

/** `if` only repeats what its branches already reported. */
const isOwnFault = ({ keyword }: FastifySchemaValidationError) => keyword !== 'if'

/** Errors that Fastify throws by design, by code. Any other error it throws is our own fault. */
const FRAMEWORK: Record<string, [status: number, code: string, detail: string]> = {
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'malformed_json', 'The body is not valid JSON'],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'malformed_json', 'The body is empty'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    'malformed_body',
    'The body does not have the length its header says',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'body_too_large', 'The body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'unsupported_media_type', 'Content-Type must be application/json'],
  FST_ERR_BAD_URL: [400, 'bad_url', 'The address is not a valid URL'],
  FST_ERR_MAX_LIMIT_REACHED: [431, 'header_too_large', 'The request has too many headers'],
  FST_ERR_HANDLER_TIMEOUT: [503, 'timeout', 'The request took too long'],
}

export function frameworkError({ code, statusCode }: FastifyError): ApiError | undefined {
  const known = FRAMEWORK[code]
  if (known) return new ApiError(...known, known[0] === 503 ? { headers: { 'Retry-After': '1' } } : {})
  // For __proto__ and constructor keys the JSON parser throws a bare 400.
  if (statusCode === 400) return new ApiError(400, 'malformed_json', 'The body is not valid JSON')
  if (statusCode !== undefined && statusCode < 500)
    return new ApiError(statusCode, 'bad_request', STATUS_CODES[statusCode] ?? 'Bad request')
  return undefined
}
