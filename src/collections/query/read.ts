import { unprocessable } from '#foundation/errors.ts'
import { orderOf, refuseOtherPage } from '#foundation/http/cursor-page.ts'
import { isUuid } from '#foundation/ids.ts'
import { normalized } from '#foundation/text.ts'
import type { Actor } from '../access.ts'
import { type Condition, type ListQuery, OPERATORS, type Operator, type Sorting } from './conditions.ts'
import type { Field, Kind, Listing } from './listing.ts'
import { nameOf, readAfter } from './order.ts'

const MAX_CONDITIONS = 10
const MAX_SORTS = 3
const MAX_VALUES = 100
const LONG_FORM = /^filter\[([a-z_]+(?:\.[a-z0-9][a-z0-9_.-]{0,63})?)\]\[([a-z_]+)\]$/
const METADATA = 'metadata.'

type Sent = {
  page: number
  per_page: number
  cursor?: string
  q?: string
  sort?: string
  fields?: string
}

const NOT_FIELDS = ['cursor', 'q', 'sort', 'fields']
/** `others` are further parameters of the list; `parent` is the id in its path. */
type Of = { actor: Actor; others?: readonly string[]; parent?: string }

/**
 * Parses what `listQuerySchema` accepted; 422 names what is not understood. A field that this caller's listing lacks
 * is unknown.
 */
export function readListQuery(
  listing: Listing,
  query: object,
  { actor, others = [], parent }: Of,
): ListQuery {
  const sent = query as Sent & Record<string, unknown>
  const conditions: Condition[] = []
  for (const [parameter, value] of Object.entries(sent)) {
    if (typeof value !== 'string' || NOT_FIELDS.includes(parameter) || others.includes(parameter)) continue
    if (parameter.startsWith('filter[')) conditions.push(longForm(listing, parameter, value))
    else conditions.push(shortForm(listing, parameter, value))
  }
  if (conditions.length > MAX_CONDITIONS)
    throw unprocessable('filter', 'too_many', `has more than ${MAX_CONDITIONS} conditions`)
  const { page, per_page, q, cursor } = sent
  refuseOtherPage(sent)
  const wanted = sent.sort ?? (q === undefined ? listing.defaultSort : undefined)
  const sort = wanted === undefined ? undefined : readSort(listing, wanted)
  // Neither the fields that are shown nor the spelling of the usual order make another list.
  const filters = { ...sent, sort: undefined, fields: undefined }
  const order = orderOf(`${listing.name}:${nameOf(sort)}`, actor, filters, parent)
  return {
    page,
    per_page,
    q,
    sort,
    order,
    ...(cursor !== undefined && readAfter(listing, { sort, q, order, conditions }, cursor)),
    conditions,
    fields: sent.fields === undefined ? undefined : readFields(listing, sent.fields),
  }
}

function shortForm(listing: Listing, name: string, value: string): Condition {
  const field = fieldOf(listing, name, name)
  return { name, field, operator: 'in', values: readValues(field, name, split(name, value)) }
}

function longForm(listing: Listing, parameter: string, value: string): Condition {
  const [, name = '', word = ''] = LONG_FORM.exec(parameter) ?? []
  const field = fieldOf(listing, name, parameter)
  const operator = OPERATORS.find((one) => one === word)
  if (!operator || !mayCompare(field, operator))
    throw unprocessable(parameter, 'unknown_operator', `is not a comparison of ${name}`)
  if (operator === 'is_null') {
    if (!/^(true|false)$/.test(value))
      throw unprocessable(parameter, 'invalid_value', 'must be true or false')
    return { name, field, operator, values: [value] }
  }
  const isFree = operator === 'contains' || operator === 'starts_with'
  const texts = operator === 'in' ? split(parameter, value) : [normalized(value, 'NFC')]
  return { name, field, operator, values: isFree ? texts : readValues(field, parameter, texts) }
}

/** The field of a list. Any metadata key is a valid field. */
function fieldOf({ fields, metadata }: Listing, name: string, parameter: string): Field | 'metadata' {
  if (metadata && name.startsWith(METADATA)) return 'metadata'
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!field) throw unprocessable(parameter, 'unknown_field', 'is not known')
  return field
}

const SET: readonly Operator[] = ['eq', 'ne', 'in', 'is_null']
const ORDERED: readonly Operator[] = [...SET, 'lt', 'lte', 'gt', 'gte']
const MAY: Record<Kind, readonly Operator[]> = {
  text: OPERATORS,
  id: SET,
  time: ORDERED,
  number: ORDERED,
  word: ORDERED,
  flag: ['eq', 'ne'],
  place: SET,
}
const mayCompare = (field: Field | 'metadata', operator: Operator) =>
  field === 'metadata' || MAY[field.kind].includes(operator)

/** Splits values at commas; `\,` is a literal comma. */
function split(parameter: string, value: string): string[] {
  const values = normalized(value, 'NFC')
    .split(/(?<!\\),/)
    .map((one) => one.replaceAll('\\,', ','))
  if (values.length > MAX_VALUES || values.includes(''))
    throw unprocessable(parameter, 'invalid_value', `must be 1 to ${MAX_VALUES} values between commas`)
  return values
}

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/

function readValues(field: Field | 'metadata', parameter: string, texts: string[]): string[] {
  if (field === 'metadata') return texts
  const refuse = (what: string) => unprocessable(parameter, 'invalid_value', `must be ${what}`)
  return texts.map((text) => {
    switch (field.kind) {
      case 'id':
      case 'place':
        if (field.words?.includes(text)) return text
        if (!isUuid(text)) throw refuse(['an id', ...(field.words ?? [])].join(' or '))
        return text.toLowerCase()
      case 'time': {
        // A date means midnight UTC, and a time without an offset is in UTC.
        const time = TIME.test(text)
          ? new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : utc(text))
          : undefined
        if (!time || Number.isNaN(time.getTime()) || !isRealDay(text)) throw refuse('a time of ISO 8601')
        const iso = time.toISOString()
        // An offset may move the year out of the range that PostgreSQL reads in this form.
        if (!/^(?!0000)\d{4}-/.test(iso)) throw refuse('a time of the years 1 to 9999')
        return iso
      }
      case 'number':
        if (!/^-?\d{1,15}$/.test(text)) throw refuse('a whole number')
        return text
      case 'flag':
        if (!/^(true|false)$/.test(text)) throw refuse('true or false')
        return text
      case 'word':
        if (field.words && !field.words.includes(text)) throw refuse(`one of ${field.words.join(', ')}`)
        return text
      case 'text':
        return text
    }
  })
}

const utc = (text: string) => (text.includes('T') ? `${text}Z` : `${text}T00:00:00Z`)
/** Rejects days such as 30 February, which Date turns into 1 March. */
const isRealDay = (text: string) => {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
}

function readSort({ fields }: Listing, text: string): Sorting[] {
  const sorting = text.split(',').map((part) => ({
    field: part.replace(/^-/, ''),
    descending: part.startsWith('-'),
  }))
  const known = Object.keys(fields).filter((name) => fields[name]?.order)
  const names = new Set(sorting.map(({ field }) => field))
  if (sorting.length > MAX_SORTS || names.size < sorting.length)
    throw unprocessable('sort', 'invalid_value', `may name at most ${MAX_SORTS} fields, each once`)
  if (!sorting.every(({ field }) => known.includes(field)))
    throw unprocessable('sort', 'unknown_field', `may name ${known.join(', ')}`)
  return sorting
}

function readFields({ shown }: Listing, text: string): string[] {
  const names = text.split(',')
  if (!names.every((name) => shown.includes(name)))
    throw unprocessable('fields', 'unknown_field', `may name ${shown.join(', ')}`)
  return [...new Set(['id', ...names])]
}
