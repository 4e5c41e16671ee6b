import { unprocessable } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isCleanText } from '../text.ts'

/** Where a page of a list ended: the sort key and the id of its last row. */
export type Cursor = { key: string; id: string }

export const writeCursor = (sort: string, { key, id }: Cursor): string => writePosition(sort, [key, id])

/** Like Cursor, for lists that sort by several keys: all of them in order, the id last. */
export const writePosition = (sort: string, keys: readonly string[]): string =>
  Buffer.from(JSON.stringify([sort, ...keys])).toString('base64url')

/**
 * Parses a cursor from an earlier answer. It is only a position, so it grants no access and needs no signature. It is
 * valid only for the sort order it was made in; 422 otherwise. `isTime`: the key is a time.
 */
export function readCursor(text: string, sort: string, isTime: boolean): Cursor {
  const [key = '', id = ''] = readPosition(text, sort, [isTime ? isStoredTime : isCleanText, isUuid])
  return { key, id }
}

/** Like readCursor. Each key must pass the check at its place. */
export function readPosition(
  text: string,
  sort: string,
  checks: readonly ((key: string) => boolean)[],
): string[] {
  const [of, ...keys] = parse(text)
  const isRight = keys.every((key, place) => typeof key === 'string' && checks[place]?.(key) === true)
  if (of === sort && keys.length === checks.length && isRight) return keys as string[]
  throw unprocessable('cursor', 'invalid_cursor', 'must be the next_cursor of a page in the same order')
}

function parse(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** The format the database sends, 2026-01-02T03:04:05.678Z, from 1970 on; anything else could fail in the query. */
export function isStoredTime(text: string): boolean {
  const time = Date.parse(text)
  // The length check excludes years from 10000 on, which JavaScript writes as +010000.
  return time >= 0 && text.length === 24 && new Date(time).toISOString() === text
}
