import { Ajv } from 'ajv'
import buildSerializer from 'fast-json-stringify'
import type { FastifyRequest, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import { isUuid } from './ids.ts'

const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  coerceTypes: false,
  removeAdditional: false,
  strict: false,
  formats: { uuid: isUuid, 'date-time': isTime, date: isDate },
})

/** The /v1 alias shares its schemas with /api/v1: each is compiled once. */
const validators = new WeakMap<object, ReturnType<typeof ajv.compile>>()
const serializers = new WeakMap<object, (data: unknown) => string>()

export const compileValidator: FastifySchemaCompiler<object> = ({ schema }) => {
  const known = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, known)
  return known
}

export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  const known = serializers.get(schema) ?? (buildSerializer(schema) as (data: unknown) => string)
  serializers.set(schema, known)
  return known
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** RFC 3339 with an offset, years 1970 to 9999, no leap second. */
function isTime(text: string): boolean {
  const [, year = '', month, day, hour, minute, second] = TIME.exec(text) ?? []
  return (
    Number(year) >= 1970 &&
    isDate(`${year}-${month}-${day}`) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    !Number.isNaN(Date.parse(text))
  )
}

/** A day that exists, YYYY-MM-DD. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}

type QuerySchema = { properties?: Record<string, { type?: string }> }

/**
 * Query values arrive as text: plain digits become integers, true|false|1|0 booleans. Anything else stays text and
 * fails the schema, as does a parameter that stands there twice (an array).
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
