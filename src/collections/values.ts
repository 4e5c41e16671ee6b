import { ApiError, type FieldError } from '#foundation/errors.ts'
import { isCleanText, normalized } from '#foundation/text.ts'

/** What is wrong with one value, in the words that errors of requests and of workbook rows share. */
export type FaultCode =
  | 'required'
  | 'too_long'
  | 'invalid_type'
  | 'invalid_value'
  | 'invalid_metadata'
  | 'unreadable_text'
/** Says what is wrong; the rule still returns, and the caller collects. */
export type Refuse = (code: FaultCode, message: string) => void

export type MetadataValue = string | number | boolean | string[]
export type Metadata = Record<string, MetadataValue>
/** As sent to change: null takes a key away. */
export type MetadataChange = Record<string, MetadataValue | null>

export const MAX_NAME = { collection: 200, item: 300 }
export const MAX_DESCRIPTION = 5_000
export const MAX_KEY = 128
export const MAX_METADATA = { keys: 50, text: 4_000, list: 50, bytes: 32_768 }
/** Keys of the template's example rows, which are never imported. */
export const EXAMPLE_PREFIX = 'EXAMPLE-'
const METADATA_KEY = /^[a-z0-9][a-z0-9_.-]{0,63}$/
/** Tab and line ends, and the controls that isCleanText lets pass. */
const NOT_ON_ONE_LINE = /[\t\n\u0080-\u009f\u2028\u2029]/
/** Byte order mark and zero-width characters: nobody sees them, and they would make two keys of one. */
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g

/** NFC, line ends as LF, trimmed. */
export const tidy = (text: string) => normalized(text, 'NFC').replaceAll(/\r\n?/g, '\n').trim()

/** Length in characters, as PostgreSQL counts them; UTF-16 units are never fewer. */
const isLonger = (text: string, most: number) => text.length > most && Array.from(text).length > most

/** Text of one line (`name`, `external_key`) or of many (`description`, metadata). */
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

/** A blank description is none. */
export const description = (value: string | null, refuse: Refuse): string | null =>
  (value === null ? '' : text(value, { most: MAX_DESCRIPTION, lines: true }, refuse)) || null

export function externalKey(value: string | null, refuse: Refuse): string | null {
  if (value === null) return null
  const key = text(value.replaceAll(INVISIBLE, ''), { most: MAX_KEY, lines: false }, refuse)
  if (key === '') refuse('invalid_value', 'must not be blank; null takes it away')
  if (key.startsWith(EXAMPLE_PREFIX)) refuse('invalid_value', `must not begin with ${EXAMPLE_PREFIX}`)
  return key
}

/** One of COLLECTIONS_TYPES; the list stands in the message. */
export function collectionType(value: string, types: readonly string[], refuse: Refuse): string {
  if (!types.includes(value)) refuse('invalid_value', `must be one of ${types.join(', ')}`)
  return value
}

/** Keys and values as they are stored. A null stays, for `mergeMetadata` to take the key away. */
export function metadata(sent: Record<string, unknown>, refuse: Refuse): MetadataChange {
  const entries = Object.entries(sent)
  // More than a whole object may ever hold, of which some may only take keys away.
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

/** What is stored after the change: merged key by key, null takes a key away; `change` null takes all away. */
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

/** Collects what a JSON schema cannot say about a body; `refuseIfAny` answers 422 with at most ten of them. */
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
