export type FieldError = { field: string; code: string; message: string; value?: unknown }
type Body = { detail?: unknown; code?: unknown; request_id?: unknown; errors?: unknown }

/** Every answer that is not 2xx. `code` is a word for a program, `request_id` what to report, `errors` names each field. */
export class LyceumError extends Error {
  override readonly name = 'LyceumError'
  readonly status: number
  readonly code: string
  readonly request_id: string | undefined
  readonly errors: readonly FieldError[]
  /** Seconds to wait, where the answer says so. */
  readonly retry_after: number | undefined

  constructor({ status, headers }: Response, { detail, code, request_id, errors }: Body) {
    super(typeof detail === 'string' ? detail : `Lyceum answered ${status}`)
    this.status = status
    // The learning service has no codes.
    this.code = typeof code === 'string' ? code : `http_${status}`
    this.request_id = typeof request_id === 'string' ? request_id : (headers.get('X-Request-Id') ?? undefined)
    this.errors = Array.isArray(errors) ? (errors as FieldError[]) : []
    const wait = retryAfterOf(headers)
    this.retry_after = wait === undefined ? undefined : Math.ceil(wait / 1_000)
  }
}

/** The error that an answer is; whatever stands in its body, a proxy's page included. */
export async function readError(response: Response): Promise<LyceumError> {
  const body: unknown = await response.json().catch(() => undefined)
  return new LyceumError(response, typeof body === 'object' && body !== null ? body : {})
}

/** In milliseconds; the header says seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
