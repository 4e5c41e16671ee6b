import { type TSchema, Type } from 'typebox'
import { unprocessable } from '../errors.ts'
import { type Cursor, readCursor, writeCursor } from './cursor.ts'
import { offsetOf, PageOf, PageQuery } from './paging.ts'
import { Nullable } from './schemas.ts'

/** Query of a list sorted by time that can also be continued: `cursor` instead of `page`. */
export const CursorQuery = Type.Object({
  ...PageQuery.properties,
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
})
export type CursorQuery = PageQuery & { cursor?: string }

/** The list envelope with the cursor of the next page; null on the last. */
export const CursorPageOf = <T extends TSchema>(item: T) =>
  Type.Object({ ...PageOf(item).properties, next_cursor: Nullable(Type.String()) })

/** Where the page begins: behind a row, or after so many. 422 for a cursor of another list, and with another page. */
export function startOf(query: CursorQuery, sort: string): { after: Cursor | undefined; skip: number } {
  const { cursor, page } = query
  if (cursor === undefined) return { after: undefined, skip: offsetOf(query) }
  if (page !== 1) throw unprocessable('page', 'page_with_cursor', 'cannot be combined with cursor')
  return { after: readCursor(cursor, sort, true), skip: 0 }
}

/** The rows of the page, of which one more was read, and the cursor behind its last. */
export function cutPage<Row>(
  found: readonly Row[],
  { per_page }: PageQuery,
  sort: string,
  placeOf: (row: Row) => Cursor,
): { rows: Row[]; next_cursor: string | null } {
  const rows = found.slice(0, per_page)
  const last = found.length > per_page ? rows.at(-1) : undefined
  return { rows, next_cursor: last ? writeCursor(sort, placeOf(last)) : null }
}
