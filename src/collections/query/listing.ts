import type postgres from 'postgres'
import { type TSchema, Type } from 'typebox'
import { PageQuery } from '#foundation/http/paging.ts'
import type { Sql } from '../access.ts'

export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** How values of a field compare. `place` is what the listing itself must judge, such as a place in the tree. */
export type Kind = 'text' | 'id' | 'time' | 'number' | 'flag' | 'word' | 'place'

export type Field = {
  kind: Kind
  /** What conditions compare; a closed map, never text of the request. */
  column: (sql: Sql) => Fragment
  /** What the list orders by, where it may. */
  order?: (sql: Sql) => Fragment
  /** May stand as `field=value`. */
  short?: boolean
  /** The words of a `word`, ascending: they compare in this order. */
  words?: readonly string[]
  /** For a `place`: the condition for one or more values, each an id or one of `words`. */
  among?: (sql: Sql, values: readonly string[]) => Fragment
}

/** What one list can do, told as data (docs/collections.md). */
export type Listing = {
  fields: Record<string, Field>
  /** Where `metadata.<key>` is looked up. */
  metadata?: (sql: Sql) => Fragment
  /** Where `q` is looked up: the tsvector and the folded name. Without it there is no `q`. */
  search?: { vector: (sql: Sql) => Fragment; name: (sql: Sql) => Fragment }
  /** As the request would write it. */
  defaultSort: string
  /** The top-level fields that `fields` may name. */
  shown: readonly string[]
}

/**
 * The query parameters of a list; each is text and read by `readListQuery`. Unknown ones and those that stand there twice are
 * 422 by this schema.
 */
export function listQuerySchema<const More extends Record<string, TSchema>>(listing: Listing, more?: More) {
  const text = Type.String({ minLength: 1, maxLength: 2_000 })
  const short = Object.entries(listing.fields).filter(([, field]) => field.short)
  return Type.Object(
    {
      ...PageQuery.properties,
      ...(listing.search && { q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) }),
      sort: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      fields: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      ...Object.fromEntries(short.map(([name]) => [name, Type.Optional(text)])),
      ...(more as More),
    },
    { additionalProperties: false, patternProperties: { '^filter\\[': text } },
  )
}
