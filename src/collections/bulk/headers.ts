import { normalized } from '#foundation/text.ts'
import { joined } from './nearest-header.ts'

export type SheetRole = 'collections' | 'items'

export const COLUMNS = {
  collections: [
    'collection_id',
    'collection_key',
    'parent_id',
    'parent_key',
    'parent_path',
    'name',
    'description',
    'type',
    'inherit_members',
    '_action',
  ],
  items: [
    'item_id',
    'item_key',
    'collection_ids',
    'collection_keys',
    'collection_path',
    'name',
    'description',
    '_action',
  ],
} as const
/** The columns that our errors workbook adds. They are no fields, so it can be corrected and sent again. */
const MARKS = ['error_row', 'error_code', 'error_message', 'error_check'] as const
export type Mark = (typeof MARKS)[number]
export const TARGETS = ['collection_ids', 'collection_keys', 'collection_path'] as const

export type Field = (typeof COLUMNS)[SheetRole][number]
/** What a column holds: a field, or one metadata key (a single value or a list of texts). */
export type Column = { letter: string; header: string } & (
  | { field: Field }
  | { meta: string; isList: boolean }
)

const INVISIBLE = /[\u200B-\u200D\u2060\uFEFF]/g

export const withoutInvisible = (text: string) => text.replace(INVISIBLE, '')

/** Normalizes a header for comparison: NFKC, lower case, no star, no invisible characters. */
export function plain(text: string): string {
  const bare = withoutInvisible(normalized(text, 'NFKC')).toLowerCase().trim()
  return bare.endsWith('*') ? bare.slice(0, -1).trimEnd() : bare
}

export type Meaning = { header: string } & ({ field: Field } | { meta: string; isList: boolean })

/** Whether a header is a column that our errors workbook adds. */
export const isMark = (header: string): boolean => markOf(joined(plain(header))) !== undefined

const markOf = (name: string): Mark | undefined => MARKS.find((one) => one === name)

/** What the headers of an upload mean, by plain header: a field or metadata key, or null for a column to leave out. */
export type ColumnNames = ReadonlyMap<string, string | null>

/** Headers are compared as they are recognised, in any spelling. */
export const namesOf = (columns: Record<string, string | null> | undefined): ColumnNames =>
  new Map(Object.entries(columns ?? {}).map(([header, field]) => [plain(header), field]))

/** What a plain header means on a sheet. A name given for the other sheet alone counts for nothing. */
export function meaningOf(
  words: string,
  role: SheetRole,
  given: ColumnNames,
): Meaning | Mark | null | undefined {
  const named = given.get(words)
  if (named === null) return null
  return (
    markOf(joined(words)) ?? (named === undefined ? undefined : fieldOf(named, role)) ?? fieldOf(words, role)
  )
}

/** The field or metadata key of this name on a sheet. */
export function fieldOf(words: string, role: SheetRole): Meaning | undefined {
  const name = joined(words)
  const field = COLUMNS[role].find((one) => one === name)
  if (field) return { field, header: field }
  if (!words.startsWith('meta.')) return undefined
  const { key, isList } = metaOf(words.slice('meta.'.length).trim())
  const meta = key.replace(/\s+/g, '_')
  if (/[\r\n]/.test(key) || !/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(meta)) return undefined
  return { meta, isList, header: isList ? `meta.${meta}[]` : `meta.${meta}` }
}

/** Parses `key` or `key[]`; spaces are allowed before and inside the brackets. */
function metaOf(text: string): { key: string; isList: boolean } {
  if (!text.endsWith(']')) return { key: text, isList: false }
  const inner = text.slice(0, -1).trimEnd()
  return inner.endsWith('[')
    ? { key: inner.slice(0, -1).trimEnd(), isList: true }
    : { key: text, isList: false }
}
