import type { Operation } from './description.ts'
import { exampleOf, type Schema } from './example.ts'

/** What a status means, in the words of part 7 of the API documents, with the usual code and detail. */
const ERRORS: readonly (readonly [status: number, meaning: string, code: string, detail: string])[] = [
  [400, 'Malformed JSON or missing field', 'malformed_json', 'The body is not valid JSON'],
  [401, 'Token missing, expired or revoked', 'unauthorized', 'A valid credential is required'],
  [403, 'Token valid but role insufficient', 'forbidden', 'Your role does not allow this'],
  [404, 'Not found', 'not_found', 'Not found'],
  [409, 'Conflict: duplicate key or stale version', 'conflict', 'Somebody else has changed it'],
  [422, 'Field-level validation failure', 'validation', 'The body has fields that cannot be taken'],
  [429, 'Rate limit exceeded; honour the Retry-After header', 'rate_limited', 'Too many requests'],
  [503, 'Service unavailable', 'unavailable', 'The service cannot answer now'],
]

/** The errors that a route may answer, each with a body in the form of its service. */
export function errorsOf(method: string, operation: Operation) {
  const { parameters = [], requestBody, security = [], responses = {} } = operation
  const form = (responses['4XX']?.content?.['application/json']?.schema ?? {}) as Schema
  const isGuarded = security.some((one) => Object.keys(one).length > 0)
  const happens: Record<number, boolean> = {
    400: requestBody !== undefined || parameters.length > 0,
    401: isGuarded,
    403: security.some((one) => 'bearer' in one),
    404: parameters.some((one) => one.in === 'path'),
    409: method !== 'get' && requestBody !== undefined,
    422: requestBody !== undefined || parameters.some((one) => one.in === 'query'),
  }
  return ERRORS.filter(([status]) => happens[status] ?? true).map(([status, meaning, code, detail]) => {
    const { errors, ...body } = exampleOf(form, true) as Record<string, unknown>
    const given = { ...body, detail, ...('code' in body && { code }) }
    return { status, meaning, body: status === 422 && errors ? { ...given, errors } : given }
  })
}
