import { unprocessable } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isCleanText } from '../text.ts'

/** Where a page of a list ended: the sort key and the id of its last row. */
export type Cursor = { key: string; id: string }

export const writeCursor = (sort: string, { key, id }: Cursor): string =>
  Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')

/**
 * Parses a cursor from an earlier answer. It is only a position, so it grants no access and needs no signature. It is
 * valid only for the sort order it was made in; 422 otherwise. `isTime`: the key is a time.
 */
export function readCursor(text: string, sort: string, isTime: boolean): Cursor {
  const [of, key, id, ...more] = parse(text)
  if (
    of === sort &&
    typeof key === 'string' &&
    typeof id === 'string' &&
    more.length === 0 &&
    isUuid(id) &&
    (isTime ? isStoredTime(key) : isCleanText(key))
  )
    return { key, id }
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
function isStoredTime(text: string): boolean {
  const time = Date.parse(text)
  // The length check excludes years from 10000 on, which JavaScript writes as +010000.
  return time >= 0 && text.length === 24 && new Date(time).toISOString() === text
}
