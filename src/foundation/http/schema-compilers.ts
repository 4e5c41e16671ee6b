import { Ajv, type ErrorObject } from 'ajv'
import buildSerializer from 'fast-json-stringify'
import type { FastifyRequest, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import { isUuid } from '../ids.ts'

const options = {
  useDefaults: true,
  coerceTypes: false,
  removeAdditional: false,
  strict: false,
  formats: { uuid: isUuid, 'date-time': isTime, date: isDate },
}
/** Stops at the first fault, so its cost does not grow with the number of faults. */
const quick = new Ajv({ ...options, allErrors: false })
const thorough = new Ajv({ ...options, allErrors: true })
type Parent = Record<string | number, unknown>
/** Blanks around what was typed or pasted; the keyword of `Typed` in schemas.ts. */
for (const ajv of [quick, thorough])
  ajv.addKeyword({
    keyword: 'x-trimmed',
    type: 'string',
    before: 'minLength',
    modifying: true,
    validate: (
      _: true,
      text: string,
      __?: unknown,
      at?: { parentData: Parent; parentDataProperty: string | number },
    ) => {
      if (at) at.parentData[at.parentDataProperty] = text.trim()
      return true
    },
  })
/** For a body with more values only the first fault is reported: reporting a million takes a second and 800 MB. */
const MAX_VALUES = 20_000

type Validator = { (data: unknown): boolean; errors?: ErrorObject[] | null }

/**
 * Keyed by schema text: equal schemas are compiled once for all routes and apps of this process, at their first use.
 * Compiling all of them would take longer than the rest of the start.
 */
const validators = new Map<string, Validator>()
const serializers = new Map<string, (data: unknown) => string>()

export const compileValidator: FastifySchemaCompiler<object> = ({ schema }) => {
  const text = JSON.stringify(schema)
  const known = validators.get(text) ?? validatorOf(schema)
  validators.set(text, known)
  return known
}

function validatorOf(schema: object): Validator {
  let isRight: Validator | undefined
  let nameAll: Validator | undefined
  const validate: Validator = (data) => {
    isRight ??= quick.compile(schema)
    if (isRight(data)) return true
    validate.errors = isRight.errors ?? []
    if (countValues(data, MAX_VALUES) < MAX_VALUES) {
      nameAll ??= thorough.compile(schema)
      nameAll(data)
      validate.errors = nameAll.errors ?? []
    }
    return false
  }
  return validate
}

/** The number of values in a JSON value, itself included; stops counting at `most`. */
function countValues(data: unknown, most: number): number {
  const found = [data]
  for (const value of found) {
    if (typeof value !== 'object' || value === null) continue
    const members = value as Record<string, unknown>
    for (const key in members) if (found.push(members[key]) >= most) return most
  }
  return found.length
}

export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  const text = JSON.stringify(schema)
  const known = serializers.get(text) ?? serializerOf(schema)
  serializers.set(text, known)
  return known
}

function serializerOf(schema: object) {
  let serialize: ((data: unknown) => string) | undefined
  return (data: unknown) => (serialize ??= buildSerializer(schema) as (data: unknown) => string)(data)
}

/** PostgreSQL accepts offsets up to 15:59 and rejects hundreds of fraction digits. */
const TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](?:0\d|1[0-5]):[0-5]\d)$/
const FIRST = Date.parse('1970-01-01T00:00:00Z')
/** Columns round to milliseconds, so a longer fraction after this would round up to year 10000. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** RFC 3339 with an offset, years 1970 to 9999 in UTC, no leap second. */
function isTime(text: string): boolean {
  const [, day = '', hour, minute, second] = TIME.exec(text) ?? []
  const time = Date.parse(text)
  return (
    isDate(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    time >= FIRST &&
    (time < LAST || (time === LAST && !/\.\d{4}/.test(text)))
  )
}

/** An existing day, YYYY-MM-DD; PostgreSQL has no year 0. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}

type QuerySchema = { properties?: Record<string, { type?: string }> }

/**
 * Query values arrive as text: plain digits become integers, true|false|1|0 become booleans. Any other value stays text
 * and fails the schema, as does a repeated parameter (an array).
 */
export function coerceQuery({ routeOptions, query }: FastifyRequest) {
  const { properties } = (routeOptions.schema?.querystring ?? {}) as QuerySchema
  if (!properties) return
  const values = query as Record<string, unknown>
  for (const name in values) {
    const value = values[name]
    const type = properties[name]?.type
    if (typeof value !== 'string' || type === undefined) continue
    if (type === 'integer' && /^\d{1,15}$/.test(value)) values[name] = Number(value)
    else if (type === 'boolean' && /^(true|1)$/.test(value)) values[name] = true
    else if (type === 'boolean' && /^(false|0)$/.test(value)) values[name] = false
  }
}
