import { unprocessable } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import { isCleanText } from '#foundation/text.ts'

/** Where a page of a list ended: at the value of the last row in what the list is sorted by, and at its id. */
export type Cursor = { key: string; id: string }

export const writeCursor = (sort: string, { key, id }: Cursor): string =>
  Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')

/**
 * The cursor of an earlier answer. It is only a place in the order, so it grants nothing and needs no signature; it holds
 * for the order it was made in. 422 for anything else. `isTime`: the key is a time.
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

/** As the database sends it, and nothing it could not read: 2026-01-02T03:04:05.678Z, from 1970 on. */
function isStoredTime(text: string): boolean {
  const time = Date.parse(text)
  // Twenty-four characters: JavaScript writes years from 10000 on as +010000.
  return time >= 0 && text.length === 24 && new Date(time).toISOString() === text
}
