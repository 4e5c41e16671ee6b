import type postgres from 'postgres'
import type { Lane } from '#foundation/database/database.ts'
import { foldEmail } from '#foundation/text.ts'
import { refused } from './errors.ts'
import type { Filter, Operator, Path, Value } from './filter.ts'

export type Sql = postgres.PendingQuery<postgres.Row[]>

/** How an attribute stands in the database. `folded`: the column holds what `foldEmail` makes of the text. */
export type Column = { kind: 'text' | 'exact' | 'folded' | 'boolean' | 'time'; of: Sql }
/** An attribute with several values: `exists` turns a condition on one element into one on the resource. */
type Elements = { elements: Columns; exists: (condition: Sql) => Sql }
/** By the name of the attribute, `name.givenName` for parts of a complex one. */
export type Columns = { [name: string]: Column | Elements }

/** The filter as a condition that is true or false, never null. */
export function conditionOf(sql: Lane, filter: Filter, columns: Columns): Sql {
  switch (filter.kind) {
    case 'and':
      return joined(filter.parts, (all, one) => sql`${all} and ${one}`)
    case 'or':
      return joined(filter.parts, (all, one) => sql`${all} or ${one}`)
    case 'not':
      return sql`(not ${conditionOf(sql, filter.inner, columns)})`
    case 'present':
      return onPath(filter.path, columns, ({ kind, of }) =>
        kind === 'boolean' || kind === 'time' ? sql`(${of} is not null)` : sql`(coalesce(${of}, '') <> '')`,
      )
    case 'compare':
      return onPath(filter.path, columns, (column) => compared(sql, column, filter.operator, filter.value))
    case 'element': {
      const several = columns[filter.attribute.name]
      if (!several || !('elements' in several)) throw unknown(filter.attribute.name)
      return several.exists(conditionOf(sql, filter.inner, several.elements))
    }
  }

  function joined(parts: readonly Filter[], join: (all: Sql, one: Sql) => Sql): Sql {
    const all = parts.map((part) => conditionOf(sql, part, columns))
    return sql`(${all.reduce(join)})`
  }
}

/** What a list is sorted by. 400 invalidPath for an attribute with several values. */
export function orderOf(sql: Lane, { attribute, sub }: Path, columns: Columns): Sql {
  const column = columns[sub ? `${attribute.name}.${sub.name}` : attribute.name]
  if (!column || 'elements' in column)
    throw refused('invalid_path', `A list cannot be sorted by ${attribute.name}`)
  return column.kind === 'text' ? sql`lower(${column.of})` : column.of
}

function onPath({ attribute, sub }: Path, columns: Columns, test: (column: Column) => Sql): Sql {
  const plain = columns[sub ? `${attribute.name}.${sub.name}` : attribute.name]
  const several = columns[attribute.name]
  if (several && 'elements' in several) {
    // `emails eq …` asks for the value of an element.
    const inner = several.elements[sub?.name ?? 'value']
    if (!inner || 'elements' in inner) throw unknown(attribute.name)
    return several.exists(test(inner))
  }
  if (!plain || 'elements' in plain) throw unknown(attribute.name)
  return test(plain)
}

function compared(sql: Lane, { kind, of }: Column, operator: Operator, value: Value): Sql {
  if (value === null) return nothing(sql, of, operator)
  if (kind === 'boolean') return asBoolean(sql, of, operator, value)
  if (typeof value !== 'string') return operator === 'ne' ? sql`true` : sql`false`
  if (kind === 'time') return asTime(sql, of, operator, value)
  const [left, right] =
    kind === 'text'
      ? [sql`lower(${of})`, sql`lower(${value}::text)`]
      : [of, kind === 'folded' ? sql`${foldEmail(value)}::text` : sql`${value}::text`]
  switch (operator) {
    case 'ne':
      return sql`(${left} is distinct from ${right})`
    case 'co':
      return sql`coalesce(strpos(${left}, ${right}) > 0, false)`
    case 'sw':
      return sql`coalesce(starts_with(${left}, ${right}), false)`
    case 'ew':
      return sql`coalesce(right(${left}, length(${right})) = ${right}, false)`
    case 'eq':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return ordered(sql, left, operator, right)
  }
}

function ordered(sql: Lane, left: Sql, operator: 'eq' | 'gt' | 'ge' | 'lt' | 'le', right: Sql): Sql {
  switch (operator) {
    case 'eq':
      // Not coalesced where null is no match anyway, so that an index can answer.
      return sql`(${left} = ${right} and ${left} is not null)`
    case 'gt':
      return sql`coalesce(${left} > ${right}, false)`
    case 'ge':
      return sql`coalesce(${left} >= ${right}, false)`
    case 'lt':
      return sql`coalesce(${left} < ${right}, false)`
    case 'le':
      return sql`coalesce(${left} <= ${right}, false)`
  }
}

function nothing(sql: Lane, of: Sql, operator: Operator): Sql {
  if (operator === 'eq') return sql`(${of} is null)`
  return operator === 'ne' ? sql`(${of} is not null)` : sql`false`
}

function asBoolean(sql: Lane, of: Sql, operator: Operator, value: Value): Sql {
  const text = String(value).toLowerCase()
  if (text !== 'true' && text !== 'false')
    throw refused('invalid_filter', 'The filter compares true or false with something else')
  const isWanted = (text === 'true') === (operator === 'eq')
  if (operator !== 'eq' && operator !== 'ne')
    throw refused('invalid_filter', 'The filter can only compare true and false by eq and ne')
  return isWanted ? sql`coalesce(${of}, false)` : sql`(not coalesce(${of}, false))`
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

function asTime(sql: Lane, of: Sql, operator: Operator, value: string): Sql {
  const time = new Date(value)
  // An offset can lead out of the years that four digits name, and there is no year 0 for the database.
  const year = time.getUTCFullYear()
  if (!TIME.test(value) || !(year >= 1 && year <= 9_999))
    throw refused('invalid_filter', 'The filter compares a time with something else')
  const wanted = sql`${time.toISOString()}::timestamptz`
  if (operator === 'ne') return sql`(${of} is distinct from ${wanted})`
  if (operator === 'co' || operator === 'sw' || operator === 'ew')
    throw refused('invalid_filter', 'The filter searches in a time')
  return ordered(sql, of, operator, wanted)
}

const unknown = (name: string) => refused('invalid_filter', `The filter cannot use ${name}`)
