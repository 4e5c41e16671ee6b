import { ApiError } from '#foundation/errors.ts'

/** Error codes of the token endpoint (RFC 6749, 5.2). */
const OAUTH_CODES = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
] as const
type OauthCode = (typeof OAUTH_CODES)[number]
export const isOauthCode = (code: string) => OAUTH_CODES.some((one) => one === code)

/**
 * An OAuth error with the contract's body (`detail`, `request_id`, `code`). The token endpoint adds `error` and
 * `error_description`, which OAuth clients read.
 */
export const oauthError = (code: OauthCode, detail: string, headers: Record<string, string> = {}) =>
  new ApiError(code === 'invalid_client' ? 401 : 400, code, detail, { headers })
