import { type Static, Type } from 'typebox'
import { SEPARATOR_NAMES } from '#foundation/csv/records.ts'
import { unprocessable } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { isCleanText } from '#foundation/text.ts'
import { LIMITS } from '../workbook/reader.ts'
import { fieldOf, plain } from './headers.ts'

/** The options of an import. */
export type Options = Static<typeof Options>
export const Options = Type.Object({
  mode: OneOf(['partial', 'atomic']),
  dry_run: Type.Boolean(),
  match: OneOf(['key', 'key_or_path']),
  on_blank: OneOf(['keep', 'clear']),
  links: OneOf(['add', 'replace']),
  create_missing: Type.Boolean(),
  strict: Type.Boolean(),
  /** Jobs of the release before have none. */
  allow_delete: Type.Optional(Type.Boolean()),
  parent_id: Nullable(Uuid),
  separator: Type.Optional(
    OneOf([...SEPARATOR_NAMES], { description: 'Of the cells of a .csv; told by its header if absent' }),
  ),
  columns: Type.Optional(
    Type.Unsafe<Record<string, string | null>>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description: 'The field that a header means; null leaves its column out',
    }),
  ),
})

const WORDS = {
  mode: ['partial', 'atomic'],
  match: ['key', 'key_or_path'],
  on_blank: ['keep', 'clear'],
  links: ['add', 'replace'],
} as const
const FLAG = ['false', 'true'] as const

export const OPTION_NAMES = Object.keys(Options.properties)

/**
 * Reads the options from the text fields of an upload. The first allowed word is the default. 422 for any other
 * value.
 */
export function readOptions(fields: Readonly<Record<string, string>>): Options {
  const word = <T extends string>(name: string, words: readonly [T, ...T[]]): T => {
    const given = fields[name]
    if (given === undefined || given === '') return words[0]
    const known = words.find((one) => one === given)
    if (known === undefined) throw unprocessable(name, 'invalid_value', `must be one of ${words.join(', ')}`)
    return known
  }
  const parent_id = fields['parent_id'] || null
  if (parent_id !== null && !isUuid(parent_id))
    throw unprocessable('parent_id', 'invalid_value', 'must be an id')
  return {
    mode: word('mode', WORDS.mode),
    dry_run: word('dry_run', FLAG) === 'true',
    match: word('match', WORDS.match),
    on_blank: word('on_blank', WORDS.on_blank),
    links: word('links', WORDS.links),
    create_missing: word('create_missing', FLAG) === 'true',
    strict: word('strict', FLAG) === 'true',
    allow_delete: word('allow_delete', FLAG) === 'true',
    parent_id: parent_id?.toLowerCase() ?? null,
    ...(fields['separator'] && { separator: word('separator', SEPARATOR_NAMES) }),
    ...(fields['columns'] && { columns: readColumns(fields['columns']) }),
  }
}

/** Object members of the option `columns`: 422 if one is no header, or names no field of either sheet. */
function readColumns(text: string): Record<string, string | null> {
  const refuse = (message: string) => unprocessable('columns', 'invalid_value', message)
  const given = objectOf(text)
  if (!given) throw refuse('must be a JSON object of headers and fields')
  const headers = Object.keys(given)
  if (headers.length > LIMITS.columns) throw refuse(`must name at most ${LIMITS.columns} headers`)
  const isHeader = (header: string) =>
    header.length <= LIMITS.header && isCleanText(header) && plain(header) !== ''
  if (!headers.every(isHeader)) throw refuse('has a header that none can be')
  if (new Set(headers.map(plain)).size < headers.length) throw refuse('names a header twice')
  for (const [header, field] of Object.entries(given))
    if (!isField(field)) throw refuse(`names for the header ${header} a field that is not known`)
  return given as Record<string, string | null>
}

const isField = (field: unknown) =>
  field === null ||
  (typeof field === 'string' &&
    field.length <= LIMITS.header &&
    (fieldOf(field, 'collections') ?? fieldOf(field, 'items')) !== undefined)

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
