import { ApiError, type FieldError } from '#foundation/errors.ts'
import { isCleanText, normalized } from '#foundation/text.ts'

/** The faults of one value. Errors of requests and of workbook rows share these codes. */
export type FaultCode =
  | 'required'
  | 'too_long'
  | 'invalid_type'
  | 'invalid_value'
  | 'invalid_metadata'
  | 'unreadable_text'
/** Reports a fault. The rule still returns a value, and the caller collects the faults. */
export type Refuse = (code: FaultCode, message: string) => void

export type MetadataValue = string | number | boolean | string[]
export type Metadata = Record<string, MetadataValue>
/** Metadata in a change: null removes a key. */
export type MetadataChange = Record<string, MetadataValue | null>

export const MAX_NAME = { collection: 200, item: 300 }
export const MAX_DESCRIPTION = 5_000
export const MAX_KEY = 128
export const MAX_METADATA = { keys: 50, text: 4_000, list: 50, bytes: 32_768 }
/** The prefix of keys in the template's example rows, which are never imported. */
/** Cells with a meaning of their own: `#CLEAR` empties the field, `#KEEP` leaves it, also with `on_blank=clear`. */
export const MARKS = { clear: '#CLEAR', keep: '#KEEP' } as const
/** The same text as a cell that means itself: a mark gets one backslash more. */
export const withoutMark = (text: string) => (/^\\*#(?:CLEAR|KEEP)$/.test(text) ? `\\${text}` : text)

export const EXAMPLE_PREFIX = 'EXAMPLE-'
const METADATA_KEY = /^[a-z0-9][a-z0-9_.-]{0,63}$/
/** Tabs, line ends, and control characters that isCleanText accepts. */
const NOT_ON_ONE_LINE = /[\t\n\u0080-\u009f\u2028\u2029]/
/** Byte order mark and zero-width characters. They are invisible, yet would make two keys differ. */
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g

/** Normalizes to NFC, line ends to LF, and trims. */
export const tidy = (text: string) => normalized(text, 'NFC').replaceAll(/\r\n?/g, '\n').trim()

/** Compares length in characters, as PostgreSQL counts. UTF-16 units are never fewer, so they are checked first. */
const isLonger = (text: string, most: number) => text.length > most && Array.from(text).length > most

/** Cleans text of one line (`name`, `external_key`) or of several (`description`, metadata). */
export function text(
  value: string,
  { most, lines }: { most: number; lines: boolean },
  refuse: Refuse,
): string {
  const tidied = tidy(value)
  if (!isCleanText(tidied) || (!lines && NOT_ON_ONE_LINE.test(tidied)))
    refuse('unreadable_text', 'holds characters that cannot be kept')
  if (isLonger(tidied, most)) refuse('too_long', `is longer than ${most} characters`)
  return tidied
}

export function name(value: string, of: keyof typeof MAX_NAME, refuse: Refuse): string {
  const tidied = text(value, { most: MAX_NAME[of], lines: false }, refuse)
  if (tidied === '') refuse('required', 'must not be blank')
  return tidied
}

/** A blank description becomes null. */
export const description = (value: string | null, refuse: Refuse): string | null =>
  (value === null ? '' : text(value, { most: MAX_DESCRIPTION, lines: true }, refuse)) || null

export function externalKey(value: string | null, refuse: Refuse): string | null {
  if (value === null) return null
  const key = text(value.replaceAll(INVISIBLE, ''), { most: MAX_KEY, lines: false }, refuse)
  if (key === '') refuse('invalid_value', 'must not be blank; null takes it away')
  if (key.startsWith(EXAMPLE_PREFIX)) refuse('invalid_value', `must not begin with ${EXAMPLE_PREFIX}`)
  return key
}

/** One of COLLECTIONS_TYPES. The error message lists them. */
export function collectionType(value: string, types: readonly string[], refuse: Refuse): string {
  if (!types.includes(value)) refuse('invalid_value', `must be one of ${types.join(', ')}`)
  return value
}

/** Keys and values in their stored form. A null stays, for `mergeMetadata` to remove the key. */
export function metadata(sent: Record<string, unknown>, refuse: Refuse): MetadataChange {
  const entries = Object.entries(sent)
  // Twice the limit of stored keys, because some keys of a change may only remove others.
  if (entries.length > 2 * MAX_METADATA.keys)
    refuse('invalid_metadata', `may have at most ${MAX_METADATA.keys} keys`)
  return Object.fromEntries(
    entries.slice(0, 2 * MAX_METADATA.keys).map(([key, value]) => {
      if (!METADATA_KEY.test(key))
        refuse(
          'invalid_metadata',
          `${JSON.stringify(key.slice(0, 64))} is not a key: a-z, 0-9, _ . -, at most 64`,
        )
      return [key, metadataValue(key, value, refuse)]
    }),
  )
}

function metadataValue(key: string, value: unknown, refuse: Refuse): MetadataValue | null {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse('invalid_metadata', `${key} is not a finite number`)
    return value
  }
  const inside: Refuse = (code, message) =>
    refuse(code === 'too_long' ? 'invalid_metadata' : code, `${key} ${message}`)
  const rule = { most: MAX_METADATA.text, lines: true }
  if (typeof value === 'string') return text(value, rule, inside)
  if (Array.isArray(value) && value.length > 0 && value.length <= MAX_METADATA.list && value.every(isString))
    return value.map((one) => text(one, rule, inside))
  refuse('invalid_metadata', `${key} must be a string, number, boolean or 1 to ${MAX_METADATA.list} strings`)
  return null
}

const isString = (value: unknown): value is string => typeof value === 'string'

/** The metadata after a change, merged by key: a null value removes the key, and a null `change` removes all. */
export function mergeMetadata(stored: Metadata, change: MetadataChange | null, refuse: Refuse): Metadata {
  if (change === null) return {}
  const merged: Metadata = {}
  for (const [key, value] of Object.entries({ ...stored, ...change })) if (value !== null) merged[key] = value
  if (Object.keys(merged).length > MAX_METADATA.keys)
    refuse('invalid_metadata', `may have at most ${MAX_METADATA.keys} keys`)
  if (Buffer.byteLength(JSON.stringify(merged)) > MAX_METADATA.bytes)
    refuse('invalid_metadata', `may take at most ${MAX_METADATA.bytes} bytes`)
  return merged
}

/** Collects faults that a JSON schema cannot express. `refuseIfAny` answers 422 with at most ten of them. */
export function collectFaults() {
  const errors: FieldError[] = []
  return {
    at:
      (field: string): Refuse =>
      (code, message) =>
        errors.push({ field, code, message }),
    refuseIfAny() {
      if (errors.length === 0) return
      const named = errors.slice(0, 10)
      const detail = named.map(({ field, message }) => `${field}: ${message}`).join('; ')
      throw new ApiError(422, 'validation', detail, { errors: named })
    },
  }
}
