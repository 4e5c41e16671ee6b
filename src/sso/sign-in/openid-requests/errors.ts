import { ApiError } from '#foundation/errors.ts'

/** Error codes of RFC 6749 (5.2) that the token endpoint answers with. */
export type OauthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'

/**
 * An error in the words of OAuth. It leaves as the contract's body (`detail`, `request_id`, `code`); the token endpoint adds
 * `error` and `error_description`, which its callers look for.
 */
export const oauthError = (code: OauthCode, detail: string, headers: Record<string, string> = {}) =>
  new ApiError(code === 'invalid_client' ? 401 : 400, code, detail, { headers })
