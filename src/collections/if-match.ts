import { ApiError, unprocessable } from '#foundation/errors.ts'

/** 412 `version_mismatch` when the header If-Match names other versions than the current one; 422 when it names none. */
export function requireVersion(current: number, if_match: string | undefined) {
  if (if_match === undefined || if_match.trim() === '*') return
  const named = if_match.split(',').map((tag) => {
    const version = /^\s*(?:W\/)?"(\d{1,9})"\s*$/.exec(tag)?.[1]
    if (version === undefined)
      throw unprocessable('If-Match', 'invalid_if_match', 'must be the version in quotes, such as "3", or *')
    return Number(version)
  })
  if (!named.includes(current))
    throw new ApiError(412, 'version_mismatch', `It was changed meanwhile, its version is ${current}`)
}
