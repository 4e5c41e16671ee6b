export type AuthCode =
  | 'token_missing'
  | 'token_invalid'
  | 'token_expired'
  | 'token_revoked'
  | 'session_over'
  | 'foreign_page'
  | 'sso_unreachable'

type Options = { status?: 401 | 403 | 503; cookies?: string[]; cause?: unknown }

/** Why a request is not let in: 401, 403, or 503 where nobody could be asked. `code` is one word for a program. */
export class AuthError extends Error {
  override readonly name = 'AuthError'
  readonly code: AuthCode
  readonly status: 401 | 403 | 503
  /** Values of Set-Cookie that belong to the answer. */
  readonly cookies: readonly string[]

  constructor(code: AuthCode, message: string, { status = 401, cookies = [], cause }: Options = {}) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.cookies = cookies
  }
}

export const unreachable = (cause: unknown) =>
  new AuthError('sso_unreachable', 'Lyceum cannot be asked now', { status: 503, cause })

export type Refusal = {
  status: number
  headers: Record<string, string>
  body: { detail: string; code: string }
}

const HEADERS: Record<401 | 403 | 503, Record<string, string>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  403: {},
  503: { 'Retry-After': '1' },
}

/** The answer of every adapter; anything but an AuthError is thrown again. */
export function refusalOf(error: unknown): Refusal & { cookies: readonly string[] } {
  if (!(error instanceof AuthError)) throw error
  const { status, code, message, cookies } = error
  const headers = HEADERS[status]
  return {
    status,
    headers: { ...headers, 'Cache-Control': 'no-store' },
    body: { detail: message, code },
    cookies,
  }
}
