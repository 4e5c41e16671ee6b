/** One invalid field of a request. `field` is a dotted path such as `episodes[3].title`; `value` is what was sent. */
export type FieldError = { field: string; code: string; message: string; value?: string }

type Details = { cause?: unknown; headers?: Record<string, string>; errors?: FieldError[] }

/**
 * The only error whose content reaches the caller: `detail` is sent, `cause` is only logged. Any other thrown value
 * becomes 500 with a fixed message (error-faces.ts).
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly headers: Record<string, string>
  readonly errors: FieldError[]

  constructor(
    status: number,
    code: string,
    detail: string,
    { cause, headers = {}, errors = [] }: Details = {},
  ) {
    super(detail, { cause })
    this.status = status
    this.code = code
    this.detail = detail
    this.headers = headers
    this.errors = errors
  }
}

export const badRequest = (code: string, detail: string, details?: Details) =>
  new ApiError(400, code, detail, details)

/** 400 for a field that only some requests need, so the schema cannot require it. */
export const missingField = (field: string) =>
  badRequest('missing_field', `${field}: is required`, {
    errors: [{ field, code: 'required', message: 'is required' }],
  })

export const unauthorized = (code: string, detail: string, details?: Details) =>
  new ApiError(401, code, detail, details)

export const forbidden = (code: string, detail: string) => new ApiError(403, code, detail)

/** Unknown, foreign, deleted and malformed ids get identical answers, so that callers cannot tell them apart. */
export const notFound = (what?: string) =>
  new ApiError(404, 'not_found', what ? `${what} not found` : 'Not found')

export const conflict = (code: string, detail: string) => new ApiError(409, code, detail)

export const unprocessable = (field: string, code: string, message: string) =>
  new ApiError(422, code, `${field}: ${message}`, { errors: [{ field, code, message }] })

/** 429 with Retry-After; `retryAfter` in whole seconds. */
export const tooMany = (
  code: 'rate_limited' | 'too_many_attempts' | 'too_many_streams',
  detail: string,
  retryAfter: number,
) => new ApiError(429, code, detail, { headers: { 'Retry-After': String(retryAfter) } })

/** 503 with Retry-After; `retryAfter` in whole seconds. */
export const unavailable = (code: string, detail: string, retryAfter = 1, cause?: unknown) =>
  new ApiError(503, code, detail, { cause, headers: { 'Retry-After': String(retryAfter) } })
