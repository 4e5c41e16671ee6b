import { createHash } from 'node:crypto'
import { type TSchema, Type } from 'typebox'
import { unprocessable } from '../errors.ts'
import { type Cursor, readCursor, writeCursor } from './cursor.ts'
import { type CursorPage, offsetOf, page, PageOf, PageQuery } from './paging.ts'
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

type Reader = { user_id: string; tenant_id: string }

/**
 * The name of a list and its order in a cursor, for this person, these filters and, where the path names one, this
 * `parent`. A cursor of anything else is then 422 and not a place in another list.
 */
export function orderOf(
  list: string,
  { user_id, tenant_id }: Reader,
  query: CursorQuery,
  parent?: string,
): string {
  const filters = Object.entries(query)
    .filter(([name]) => !Object.hasOwn(CursorQuery.properties, name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const of = JSON.stringify([user_id, tenant_id, parent ?? null, filters])
  return `${list} ${createHash('sha256').update(of).digest('base64url').slice(0, 16)}`
}

type Start = { order: string; after: Cursor | undefined; skip: number }

/** Where the page of `list` begins: behind a row, or after so many. 422 for a cursor of another list, and with a page. */
export function startOf(list: string, reader: Reader, query: CursorQuery, parent?: string): Start {
  const order = orderOf(list, reader, query, parent)
  const { cursor } = query
  if (cursor === undefined) return { order, after: undefined, skip: offsetOf(query) }
  refuseOtherPage(query)
  return { order, after: readCursor(cursor, order, true), skip: 0 }
}

/** 422 for a cursor beside a page. */
export function refuseOtherPage({ cursor, page }: CursorQuery) {
  if (cursor !== undefined && page !== 1)
    throw unprocessable('page', 'page_with_cursor', 'cannot be combined with cursor')
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

type Found<Row> = {
  found: readonly Row[]
  count: readonly { total: number }[]
  query: PageQuery
  order: string
}

/** The list envelope of `found`, of which one row more than the page was read; `show` makes items of the rows. */
export function cursorPage<Row, Item = Row>(
  { found, count, query, order }: Found<Row>,
  placeOf: (row: Row) => Cursor,
  show?: (row: Row) => Item,
): CursorPage<Item> {
  const { rows, next_cursor } = cutPage(found, query, order, placeOf)
  const items = show ? rows.map((row) => show(row)) : (rows as unknown[] as Item[])
  return { ...page(items, count[0]?.total ?? 0, query), next_cursor }
}
