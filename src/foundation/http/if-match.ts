import { unprocessable } from '../errors.ts'

/** The optimistic lock: true if If-Match does not name the current version. 422 if the header names no version. */
export function isStale(current: number, if_match = '*'): boolean {
  return if_match.trim() !== '*' && !if_match.split(',').map(versionIn).includes(current)
}

/** The same by the rule of learning: any value but the current version, quoted or not, is stale. */
export function isOtherVersion(current: number, if_match = '*'): boolean {
  const tags = if_match.split(',').map((tag) => tag.trim())
  return !['*', `${current}`, `"${current}"`].some((good) => tags.includes(good))
}

/** `"3"` or `W/"3"`. */
function versionIn(tag: string): number {
  const version = /^\s*(?:W\/)?"(\d{1,9})"\s*$/.exec(tag)?.[1]
  if (version === undefined)
    throw unprocessable('If-Match', 'invalid_if_match', 'must be the version in quotes, such as "3", or *')
  return Number(version)
}
