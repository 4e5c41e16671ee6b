import { ApiError } from '#foundation/errors.ts'
import { isStale } from '#foundation/http/if-match.ts'

/** 412 `version_mismatch` if the If-Match header does not name the current version. */
export function requireVersion(current: number, if_match: string | undefined) {
  if (isStale(current, if_match)) throw staleVersion(current)
}

export const staleVersion = (current: number) =>
  new ApiError(412, 'version_mismatch', `It was changed meanwhile, its version is ${current}`)
