import { unprocessable } from './errors.ts'

/** Whether a change was made for another version than the current one. 422 for a header that names no version. */
export function isStale(current: number, if_match: string | undefined): boolean {
  if (if_match === undefined || if_match.trim() === '*') return false
  return !if_match.split(',').map(versionIn).includes(current)
}

/** `"3"` or `W/"3"`. */
function versionIn(tag: string): number {
  const version = /^\s*(?:W\/)?"(\d{1,9})"\s*$/.exec(tag)?.[1]
  if (version === undefined)
    throw unprocessable('If-Match', 'invalid_if_match', 'must be the version in quotes, such as "3", or *')
  return Number(version)
}
