import { fold } from '#foundation/text.ts'
import type { Sql } from '../access.ts'
import type { Field, Fragment, Listing } from './listing.ts'
import { wordsOf } from './words.ts'

export const OPERATORS = [
  'eq',
  'ne',
  'in',
  'lt',
  'lte',
  'gt',
  'gte',
  'contains',
  'starts_with',
  'is_null',
] as const
export type Operator = (typeof OPERATORS)[number]
/** One comparison. `values` are valid for the kind of the field; only `in` has more than one. */
export type Condition = { name: string; field: Field | 'metadata'; operator: Operator; values: string[] }

export type Sorting = { field: string; descending: boolean }
/** The parsed parameters of a list. With `q` and no `sort`, results are ordered by relevance. */
export type ListQuery = {
  page: number
  per_page: number
  q: string | undefined
  sort: Sorting[] | undefined
  conditions: Condition[]
  /** Undefined means all fields. */
  fields: string[] | undefined
  /** What a cursor names: the list, its order and filters, and whose it is. */
  order: string
  /** The keys of the row to continue after, from `cursor`. */
  after?: string[] | undefined
  /** How many rows the first page counted, from `cursor`. */
  total?: number | undefined
}

/** ` and …` for each condition and for `q`. Append it to a `where` that checks rights. */
export function conditionsOf(sql: Sql, listing: Listing, { q, conditions }: ListQuery): Fragment {
  const parts = conditions.map((condition) => sql`and ${conditionOf(sql, listing, condition)}`)
  if (q !== undefined && listing.search)
    parts.push(sql`and ${listing.search.vector(sql)} @@ ${wordsOf(sql, q)}`)
  return sql`${parts.length === 0 ? sql`` : parts}`
}

export function conditionOf(
  sql: Sql,
  listing: Listing,
  { name, field, operator, values }: Condition,
): Fragment {
  if (field === 'metadata') {
    const metadata = listing.metadata?.(sql) ?? sql`'{}'::jsonb`
    return ofMetadata(sql, metadata, name.slice('metadata.'.length), operator, values)
  }
  const [value = ''] = values
  if (field.kind === 'place') {
    if (operator === 'is_null')
      return value === 'true' ? sql`${field.column(sql)} is null` : sql`${field.column(sql)} is not null`
    const among = field.among?.(sql, values) ?? sql`false`
    return operator === 'ne' ? sql`not coalesce(${among}, false)` : among
  }
  const column = field.column(sql)
  switch (operator) {
    case 'is_null':
      return value === 'true' ? sql`${column} is null` : sql`${column} is not null`
    // The exact complement of `eq`, so rows without a value match too.
    case 'ne':
      return sql`not coalesce(${equals(sql, field, column, values)}, false)`
    case 'eq':
    case 'in':
      return equals(sql, field, column, values)
    case 'contains':
      return sql`${foldedOf(sql, field)} like ${pattern(value, '%')}`
    case 'starts_with':
      return sql`${foldedOf(sql, field)} like ${pattern(value, '')}`
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return compared(sql, field, column, operator, value)
  }
}

const foldedOf = (sql: Sql, { folded, column }: Field) =>
  folded?.(sql) ?? sql`(${foldedText(sql, column(sql))})`

/** The body of collections.folded(): PostgreSQL does not inline it, and calling it costs more than the work. */
const foldedText = (sql: Sql, text: Fragment) => sql`
  case when octet_length(${text}) = char_length(${text}) then lower(${text} collate "C") else foundation.fold(${text}) end`

/** Escapes LIKE wildcards. Runs after folding, which can turn a full-width sign into a wildcard. */
const pattern = (value: string, before: '%' | '') =>
  `${before}${fold(value).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

function equals(sql: Sql, { kind }: Field, column: Fragment, values: string[]): Fragment {
  if (kind === 'id') return sql`${column} = any(${values}::uuid[])`
  if (kind === 'time') return sql`${column} = any(${values}::timestamptz[])`
  if (kind === 'number') return sql`${column} = any(${values}::text[]::bigint[])`
  if (kind === 'flag') return sql`${column} = any(${values}::text[]::boolean[])`
  return sql`${column}::text = any(${values}::text[])`
}

type Order = 'lt' | 'lte' | 'gt' | 'gte'
const SIGNS: Record<Order, string> = { lt: '<', lte: '<=', gt: '>', gte: '>=' }
const signOf = (sql: Sql, operator: Order) =>
  ({ lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` })[operator]

/** Names compare folded, as they sort. Words compare by their position in the list. */
function compared(sql: Sql, field: Field, column: Fragment, operator: Order, value: string): Fragment {
  const sign = signOf(sql, operator)
  if (field.kind === 'time') return sql`${column} ${sign} ${value}::timestamptz`
  if (field.kind === 'number') return sql`${column} ${sign} ${value}::text::bigint`
  if (field.kind !== 'word')
    return sql`${foldedOf(sql, field)} collate "C" ${sign} (select collections.folded(${value})) collate "C"`
  const words = [...(field.words ?? [])]
  return sql`array_position(${words}::text[], ${column}::text) ${sign} array_position(${words}::text[], ${value}::text)`
}

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

function ofMetadata(
  sql: Sql,
  metadata: Fragment,
  key: string,
  operator: Operator,
  values: string[],
): Fragment {
  const [value = ''] = values
  const element = sql`${metadata} -> ${key}::text`
  switch (operator) {
    case 'is_null':
      return value === 'true' ? sql`${element} is null` : sql`${element} is not null`
    case 'eq':
    case 'in':
      return isAmong(sql, metadata, key, values)
    case 'ne':
      return sql`not ${isAmong(sql, metadata, key, values)}`
    case 'contains':
      return hasText(sql, metadata, key, pattern(value, '%'))
    case 'starts_with':
      return hasText(sql, metadata, key, pattern(value, ''))
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return isOnSide(sql, element, operator, value)
  }
}

/** Whether a text of this value, or of the list that it is, is like the pattern. The expensive form is for lists only. */
const hasText = (sql: Sql, metadata: Fragment, key: string, like: string): Fragment => sql`
  case jsonb_typeof(${metadata} -> ${key}::text)
    when 'string' then (${foldedText(sql, sql`(${metadata} ->> ${key}::text)`)}) like ${like}
    when 'array' then exists (
      select from jsonb_path_query(${metadata} -> ${key}::text, 'lax $[*] ? (@.type() == "string")') as text(value)
       where collections.folded(text.value #>> '{}') like ${like})
    else false end`

/** Numbers compare with numbers, texts with texts. Parsed in subqueries: a generic plan would parse for each row. */
function isOnSide(sql: Sql, element: Fragment, operator: Order, value: string): Fragment {
  const sign = SIGNS[operator]
  const isNumber = NUMBER.test(value)
  const path = isNumber ? `lax $[*] ? (@ ${sign} $text || @ ${sign} $number)` : `lax $[*] ? (@ ${sign} $text)`
  const bound = { text: value, ...(isNumber && { number: Number(value) }) }
  const other = sql`
    jsonb_path_exists(${element}, (select ${path}::text::jsonpath), (select ${JSON.stringify(bound)}::text::jsonb), true)`
  if (!isNumber) return other
  const number = sql`(select ${String(Number(value))}::text::numeric)`
  return sql`
    case jsonb_typeof(${element}) when 'number' then (${element})::numeric ${signOf(sql, operator)} ${number} else ${other} end`
}

/**
 * A single value uses one containment per form, so that the metadata index applies. A longer list is compared row by
 * row.
 */
function isAmong(sql: Sql, metadata: Fragment, key: string, values: string[]): Fragment {
  const forms = likenesses(key, values)
  if (values.length > 1) return sql`(${metadata} @> any(${forms}::text[]::jsonb[]))`
  const parts = forms.map((form, place) =>
    place === 0 ? sql`${metadata} @> ${form}::text::jsonb` : sql`or ${metadata} @> ${form}::text::jsonb`,
  )
  return sql`(${parts})`
}

/** The JSON forms that count as equal to a value: text, number, boolean, or one element of a list. */
const likenesses = (key: string, values: string[]): string[] =>
  values.flatMap((value) => {
    const forms: unknown[] = [value, [value]]
    if (NUMBER.test(value)) forms.push(Number(value))
    if (value === 'true' || value === 'false') forms.push(value === 'true')
    return forms.map((form) => JSON.stringify({ [key]: form }))
  })
