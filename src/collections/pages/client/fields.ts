import type { Item, Value } from './api-types.ts'

/* An item as one level of fields: `metadata.year` beside `name`. Cells, forms and conflicts compare these. */

export type Flat = { version: number; [field: string]: Value | null }

const PREFIX = 'metadata.'

export const flat = ({ name, description, external_key, metadata, version }: Item): Flat => ({
  name,
  description,
  external_key,
  ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [PREFIX + key, value])),
  version,
})

/** The body of a PATCH for these fields; null takes a value away. */
export function bodyOf(changes: Partial<Flat>): Record<string, unknown> {
  const entries = Object.entries(changes)
  const metadata = entries.filter(([field]) => field.startsWith(PREFIX))
  return {
    ...Object.fromEntries(entries.filter(([field]) => !field.startsWith(PREFIX))),
    ...(metadata.length > 0 && {
      metadata: Object.fromEntries(metadata.map(([field, value]) => [field.slice(PREFIX.length), value])),
    }),
  }
}

export const isMetadata = (field: string): boolean => field.startsWith(PREFIX)
export const metadataField = (key: string): string => PREFIX + key
export const nameOfField = (field: string): string => (isMetadata(field) ? field.slice(PREFIX.length) : field)

/** A value as one line to read and to edit; `;` parts a list. */
export const textOf = (value: Value | null | undefined): string =>
  value === null || value === undefined ? '' : Array.isArray(value) ? value.join('; ') : String(value)

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** What was typed, of the kind that the value had; nothing is null. A number keeps at most 15 digits, as a sheet does. */
export function parsed(typed: string, was: Value | null | undefined, field: string): Value | null {
  const text = typed.trim()
  if (text === '') return field === 'name' ? '' : null
  if (typeof was === 'number' && NUMBER.test(text) && text.replaceAll(/\D/g, '').length <= 15)
    return Number(text)
  if (typeof was === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (Array.isArray(was))
    return text
      .split(';')
      .map((one) => one.trim())
      .filter(Boolean)
  return text
}
