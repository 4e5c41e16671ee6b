import { Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'

export const SCIM_JSON = 'application/scim+json; charset=utf-8'
const ERROR_URN = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The form of an error (RFC 7644, section 3.12). */
export const ScimError = Type.Object({
  schemas: Type.Array(Type.String()),
  status: Type.String(),
  scimType: Type.Optional(Type.String()),
  detail: Type.String(),
})

/** The words of RFC 7644 for a reason, by the code that our errors have. */
const TYPES: Record<string, string> = {
  invalid_filter: 'invalidFilter',
  too_many: 'tooMany',
  uniqueness: 'uniqueness',
  mutability: 'mutability',
  invalid_syntax: 'invalidSyntax',
  invalid_path: 'invalidPath',
  no_target: 'noTarget',
  invalid_value: 'invalidValue',
  malformed_json: 'invalidSyntax',
  malformed_body: 'invalidSyntax',
  email_taken: 'uniqueness',
}

type Reason =
  | 'invalid_filter'
  | 'too_many'
  | 'mutability'
  | 'invalid_syntax'
  | 'invalid_path'
  | 'no_target'
  | 'invalid_value'

/** 400 for a reason that RFC 7644 has a word for. */
export const refused = (reason: Reason, detail: string) => new ApiError(400, reason, detail)
export const notUnique = (detail: string) => new ApiError(409, 'uniqueness', detail)
export const preconditionFailed = () =>
  new ApiError(412, 'precondition_failed', 'The resource was changed meanwhile: read it again')

/** The body of an error. What our schemas call 422 is 400 here: the RFC knows no other status for it. */
export function errorBody({ status, code, detail }: ApiError) {
  const scimType = TYPES[code] ?? (status === 422 ? 'invalidValue' : undefined)
  const shown = status === 422 ? 400 : status
  return { schemas: [ERROR_URN], status: String(shown), ...(scimType && { scimType }), detail }
}
