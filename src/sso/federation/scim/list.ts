import { type Static, Type } from 'typebox'
import { one, type Lane } from '#foundation/database/database.ts'
import type { SsoParts } from '../../core/parts.ts'
import { MAX_RESULTS } from './discovery.ts'
import { refused } from './errors.ts'
import { parseFilter, pathNamed } from './filter.ts'
import { type Columns, conditionOf, orderOf, type Sql } from './filter-sql.ts'
import type { ResourceType } from './schema.ts'

const DEFAULT_COUNT = 100
const MAX_START = 1_000_000

/** What a list may ask (RFC 7644, section 3.4.2). Numbers arrive as text and may be negative. */
const Words = Type.Optional(Type.String({ maxLength: 2_000 }))
const Numeric = Type.Optional(Type.Union([Type.Integer(), Type.String({ maxLength: 20 })]))
export const ListQuery = Type.Object({
  filter: Words,
  sortBy: Words,
  sortOrder: Words,
  startIndex: Numeric,
  count: Numeric,
  attributes: Words,
  excludedAttributes: Words,
})
export type ListQuery = Static<typeof ListQuery>

type Listing = {
  type: ResourceType
  columns: (sql: Lane) => Columns
  /** The rows of the directory: `from … where …`, to which the filter is added. */
  rows: (sql: Lane) => Sql
  /** The columns of a row, and what makes the order of equal rows certain. */
  select: (sql: Lane) => Sql
  last: (sql: Lane) => Sql
  /** The longest page, if it is shorter than usual. */
  most?: number
}

/** One page, and how many there are in all. A count of 0 asks for the number only. */
export async function listResources<Row extends object>(
  { database: { pool: sql, lists } }: SsoParts,
  connection_id: string,
  { type, columns, rows, select, last, most = MAX_RESULTS }: Listing,
  query: ListQuery,
) {
  const known = columns(sql)
  const where =
    query.filter === undefined ? sql`` : sql`and ${conditionOf(sql, parseFilter(type, query.filter), known)}`
  const startIndex = Math.min(Math.max(numberIn('startIndex', query.startIndex, 1), 1), MAX_START)
  const count = Math.min(Math.max(numberIn('count', query.count, DEFAULT_COUNT), 0), most)
  const order = sortOf(sql, type, known, query)
  const counted = lists(
    connection_id,
    sql<{ total: number }[]>`select count(*) as total ${rows(sql)} ${where}`,
  )
  const found =
    count === 0
      ? []
      : await lists(
          connection_id,
          sql<Row[]>`
            select ${select(sql)} ${rows(sql)} ${where}
             order by ${order} ${last(sql)} limit ${count} offset ${startIndex - 1}`,
        )
  return { totalResults: one(await counted).total, startIndex, items: [...found] as Row[] }
}

function sortOf(sql: Lane, type: ResourceType, columns: Columns, { sortBy, sortOrder }: ListQuery): Sql {
  if (sortBy === undefined) return sql``
  const path = pathNamed(type, sortBy)
  if (!path) throw refused('invalid_path', `There is no attribute ${sortBy.slice(0, 100)}`)
  const order = sortOrder?.toLowerCase() ?? 'ascending'
  if (order !== 'ascending' && order !== 'descending')
    throw refused('invalid_value', 'sortOrder: must be ascending or descending')
  return sql`${orderOf(sql, path, columns)} ${order === 'ascending' ? sql`asc` : sql`desc`},`
}

function numberIn(name: string, given: string | number | undefined, usual: number): number {
  if (given === undefined) return usual
  const number = Number(given)
  if (!Number.isInteger(number)) throw refused('invalid_value', `${name}: must be a whole number`)
  return number
}
