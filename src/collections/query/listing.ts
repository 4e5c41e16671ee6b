import type postgres from 'postgres'
import { type TSchema, Type } from 'typebox'
import { PageQuery } from '#foundation/http/paging.ts'
import type { Sql } from '../access.ts'

export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** How the values of a field compare. The listing itself evaluates a `place`, such as a place in the tree. */
export type Kind = 'text' | 'id' | 'time' | 'number' | 'flag' | 'word' | 'place'

export type Field = {
  kind: Kind
  /** The SQL that conditions compare. Never built from text of the request. */
  column: (sql: Sql) => Fragment
  /** The column that holds a text folded, where one is stored. */
  folded?: (sql: Sql) => Fragment
  /** The SQL to order by, if the field is sortable. */
  order?: (sql: Sql) => Fragment
  /** Whether the short form `field=value` is allowed. */
  short?: boolean
  /** The allowed words of a `word`, in ascending order. */
  words?: readonly string[]
  /** For a `place`: the condition for one or more values, each an id or one of `words`. */
  among?: (sql: Sql, values: readonly string[]) => Fragment
}

/** The abilities of one list, as data (docs/collections.md). */
export type Listing = {
  name: string
  fields: Record<string, Field>
  /** The column that `metadata.<key>` reads. */
  metadata?: (sql: Sql) => Fragment
  /** The columns that `q` searches: tsvector and folded name. Without them there is no `q`. */
  search?: { vector: (sql: Sql) => Fragment; name: (sql: Sql) => Fragment }
  /** A list under conditions counts on its first page only: cursors carry the total of that page on. */
  countsOnce?: true
  /** In the form of the `sort` parameter. */
  defaultSort: string
  /** The top-level fields that `fields` may name. */
  shown: readonly string[]
}

/**
 * The query parameters of a list, all text; `readListQuery` parses them. The schema answers 422 for unknown and
 * repeated parameters.
 */
export function listQuerySchema<const More extends Record<string, TSchema>>(listing: Listing, more?: More) {
  const text = Type.String({ minLength: 1, maxLength: 2_000 })
  const short = Object.entries(listing.fields).filter(([, field]) => field.short)
  return Type.Object(
    {
      ...PageQuery.properties,
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 15_000 })),
      ...(listing.search && { q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }),
      sort: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      fields: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      ...Object.fromEntries(short.map(([name]) => [name, Type.Optional(text)])),
      ...(more as More),
    },
    { additionalProperties: false, patternProperties: { '^filter\\[': text } },
  )
}
