import { isStoredTime, readPosition, writePosition } from '#foundation/http/cursor.ts'
import { isUuid } from '#foundation/ids.ts'
import { isCleanText, normalized } from '#foundation/text.ts'
import type { Sql } from '../access.ts'
import type { ListQuery, Sorting } from './conditions.ts'
import type { Fragment, Kind, Listing } from './listing.ts'
import { wordsOf } from './words.ts'

type KeyKind = Kind | 'rank'

/** One key that a list is ordered by. */
export type Term = { column: Fragment; descending: boolean; kind: KeyKind }

/**
 * The keys of the order: the fields of `sort`, or relevance for `q` alone. The last one is `id`, in the direction of the
 * key before it.
 */
export function termsOf(sql: Sql, listing: Listing, { q, sort }: ListQuery, id: Fragment): Term[] {
  if (!sort) return [...relevance(sql, listing, q), { column: id, descending: false, kind: 'id' }]
  const terms = sort.map(({ field, descending }): Term => {
    const { order, kind = 'id' } = listing.fields[field] ?? {}
    return { column: order?.(sql) ?? id, descending, kind }
  })
  return [...terms, { column: id, descending: sort.at(-1)?.descending ?? false, kind: 'id' }]
}

function relevance(sql: Sql, { search }: Listing, q: string | undefined): Term[] {
  if (q === undefined || !search) return []
  const name = search.name(sql)
  return [
    {
      column: sql`(${name} = (select collections.folded(${normalized(q, 'NFC')})))`,
      descending: true,
      kind: 'flag',
    },
    { column: sql`ts_rank(${search.vector(sql)}, ${wordsOf(sql, q)})`, descending: true, kind: 'rank' },
    { column: name, descending: false, kind: 'text' },
  ]
}

/** The terms of `order by`. */
export const orderBy = (sql: Sql, terms: readonly Term[]): Fragment =>
  sql`${terms.map(({ column, descending }, place) => sql`${comma(sql, place)}${column} ${descending ? sql`desc` : sql`asc`}`)}`

/** The keys as the columns k0, k1, … of a set, to read with `keyed`. */
export const keyColumns = (sql: Sql, terms: readonly Term[]): Fragment =>
  sql`${terms.map(({ column }, place) => sql`${comma(sql, place)}${column} as ${sql(`k${place}`)}`)}`

/** The same keys, read from the set named `set` that has `keyColumns`. */
export const keyed = (sql: Sql, terms: readonly Term[], set: string): Term[] =>
  terms.map((term, place) => ({ ...term, column: sql`${sql(`${set}.k${place}`)}` }))

/** The keys of a row as texts, for `nextCursor`. */
export const keyTexts = (sql: Sql, terms: readonly Term[]): Fragment =>
  sql`array[${terms.map(
    ({ column, kind }, place) =>
      sql`${comma(sql, place)}${kind === 'time' ? sql`foundation.iso(${column})` : sql`${column}::text`}`,
  )}]`

/** ` and …`: the rows after the cursor; nothing without one. Keys of one direction compare as a row, on an index. */
export function beyond(sql: Sql, terms: readonly Term[], after: readonly string[] | undefined): Fragment {
  if (!after) return sql``
  const values = terms.map(({ kind }, place) => valueOf(sql, kind, after[place] ?? ''))
  const [first] = terms
  if (terms.every(({ descending }) => descending === first?.descending)) {
    const columns = terms.map(({ column }, place) => sql`${comma(sql, place)}${column}`)
    const row = values.map((value, place) => sql`${comma(sql, place)}${value}`)
    return sql`and (${columns}) ${first?.descending ? sql`<` : sql`>`} (${row})`
  }
  const after_all = terms.reduceRight<Fragment>(
    (rest, { column, descending }, place) => {
      const value = values[place] ?? sql`null`
      return sql`(${column} ${descending ? sql`<` : sql`>`} ${value} or (${column} = ${value} and ${rest}))`
    },
    sql`false`,
  )
  return sql`and ${after_all}`
}

const comma = (sql: Sql, place: number) => (place === 0 ? sql`` : sql`, `)

function valueOf(sql: Sql, kind: KeyKind, text: string): Fragment {
  if (kind === 'time') return sql`${text}::timestamptz`
  if (kind === 'number') return sql`${text}::text::bigint`
  if (kind === 'flag') return sql`${text}::text::boolean`
  if (kind === 'rank') return sql`${text}::text::float4`
  if (kind === 'id') return sql`${text}::uuid`
  if (kind === 'word') return sql`${text}::text::collections.role`
  return sql`${text}::text`
}

/** The order as the cursor names it. */
export const nameOf = (sort: readonly Sorting[] | undefined) =>
  sort?.map(({ field, descending }) => (descending ? `-${field}` : field)).join(',') ?? 'relevance'

type Asked = Pick<ListQuery, 'sort' | 'q' | 'order' | 'conditions'>

/** Whether a cursor of this list carries its total. The bare list knows it without counting. */
const carriesTotal = ({ countsOnce }: Listing, { q, conditions }: Asked) =>
  countsOnce === true && (q !== undefined || conditions.length > 0)

/** Parses `cursor`; 422 unless it is of the same list and order. */
export function readAfter(
  listing: Listing,
  asked: Asked,
  cursor: string,
): Pick<ListQuery, 'after' | 'total'> {
  const { sort, q, order } = asked
  const kinds: readonly KeyKind[] = sort
    ? sort.map(({ field }) => listing.fields[field]?.kind ?? 'id')
    : q === undefined
      ? []
      : ['flag', 'rank', 'text']
  const checks = kinds.map((kind, place) => {
    const words = listing.fields[sort?.[place]?.field ?? '']?.words
    return kind === 'word' ? (text: string) => words?.includes(text) === true : CHECKS[kind]
  })
  if (!carriesTotal(listing, asked)) return { after: readPosition(cursor, order, [...checks, isUuid]) }
  const keys = readPosition(cursor, order, [...checks, isUuid, isTotal])
  return { after: keys.slice(0, -1), total: Number(keys.at(-1)) }
}

const isTotal = (text: string) => /^\d{1,9}$/.test(text)

export const CHECKS: Record<Exclude<KeyKind, 'word'>, (text: string) => boolean> = {
  text: isCleanText,
  place: isCleanText,
  id: isUuid,
  time: isStoredTime,
  number: (text) => /^-?\d{1,15}$/.test(text),
  flag: (text) => /^(true|false)$/.test(text),
  rank: (text) => /^\d{1,9}(\.\d{1,20})?(e-?\d{1,2})?$/.test(text) && isFloat4(Number(text)),
}

const isFloat4 = (value: number) => value === 0 || (value > 1e-37 && value < 1e37)

/**
 * The page from up to `per_page` + 1 rows, of which the last only shows that more follow, and the cursor after it.
 */
export function cut<Row extends { keys: string[] | null }>(
  rows: readonly Row[],
  { per_page, order }: Pick<ListQuery, 'per_page' | 'order'>,
  carried: readonly string[] = [],
): { rows: Row[]; next_cursor: string | null } {
  const shown = rows.slice(0, per_page)
  const keys = rows.length > per_page ? shown.at(-1)?.keys : undefined
  return { rows: shown, next_cursor: keys ? writePosition(order, [...keys, ...carried]) : null }
}

/** What a cursor carries beside its place: the total where `listing` counts once. */
export const carriedBy = (listing: Listing, asked: Asked, total: number): string[] =>
  carriesTotal(listing, asked) ? [String(total)] : []
