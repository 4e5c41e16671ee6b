import type { FastifySchemaValidationError } from 'fastify'
import type { FieldError } from '../errors.ts'

/** A validator fault in our own words: Ajv's words are those of JSON Schema and change with its version. */
export function fieldError({ instancePath, keyword, params }: FastifySchemaValidationError): FieldError {
  const path = pathOf(instancePath)
  const inside = (name: unknown) => (path ? `${path}.${String(name)}` : String(name))
  if (keyword === 'required')
    return { field: inside(params['missingProperty']), code: 'required', message: 'is required' }
  if (keyword === 'additionalProperties')
    return { field: inside(params['additionalProperty']), code: 'unknown_field', message: 'is not known' }
  const [code, message] = WORDS[keyword]?.(params) ?? ['invalid', 'is not valid']
  return { field: path || 'body', code, message }
}

/** Turns `/episodes/3/title` into `episodes[3].title`. */
function pathOf(instancePath: string): string {
  let path = ''
  for (const part of instancePath.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path = /^\d+$/.test(name) ? `${path}[${name}]` : path ? `${path}.${name}` : name
  }
  return path
}

type Params = Record<string, unknown>
type Words = (params: Params) => [code: string, message: string]

const least =
  (code: string, what: string): Words =>
  ({ limit }) => [code, limit === 1 ? 'must not be empty' : `must have at least ${String(limit)} ${what}`]
const most =
  (code: string, what: string): Words =>
  ({ limit }) => [code, `must have at most ${String(limit)} ${what}`]
const COMPARISONS: Record<string, string> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
}
const range: Words = ({ comparison, limit }) => [
  'out_of_range',
  `must be ${COMPARISONS[String(comparison)] ?? 'within'} ${String(limit)}`,
]
const TYPES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}
const FORMATS: Record<string, string> = {
  uuid: 'must be a UUID',
  'date-time': 'must be a time such as 2026-01-31T12:00:00Z',
  date: 'must be a day such as 2026-01-31',
}

const WORDS: Record<string, Words> = {
  minLength: least('too_short', 'characters'),
  maxLength: most('too_long', 'characters'),
  minItems: least('too_few', 'entries'),
  maxItems: most('too_many', 'entries'),
  minProperties: least('too_few', 'fields'),
  maxProperties: most('too_many', 'fields'),
  minimum: range,
  maximum: range,
  exclusiveMinimum: range,
  exclusiveMaximum: range,
  multipleOf: ({ multipleOf }) => ['out_of_range', `must be a multiple of ${String(multipleOf)}`],
  uniqueItems: () => ['repeated', 'must name each entry once'],
  type: ({ type }) => [
    'wrong_type',
    `must be ${[type]
      .flat()
      .map((one) => TYPES[String(one)] ?? String(one))
      .join(' or ')}`,
  ],
  format: ({ format }) => ['invalid_format', FORMATS[String(format)] ?? 'does not have the right form'],
  pattern: () => ['invalid_format', 'does not have the right form'],
  enum: ({ allowedValues }) => ['enum', `must be one of ${(allowedValues as unknown[]).join(', ')}`],
  const: ({ allowedValue }) => ['enum', `must be ${String(allowedValue)}`],
  anyOf: () => ['no_match', 'has none of the forms that are possible'],
  oneOf: () => ['no_match', 'has none of the forms that are possible'],
  not: () => ['not_allowed', 'is not allowed'],
}
