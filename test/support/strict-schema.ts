import assert from 'node:assert/strict'
import type { ValidateFunction } from 'ajv'
import { compileValidator } from '#foundation/http/schema-compilers.ts'

/**
 * Fails unless `value` has exactly the fields of the response schema, each of its type. The serializer cannot show this:
 * it drops undeclared fields and does not check formats or enums (UUID, time).
 */
export function assertExactly(schema: object, value: unknown) {
  const validate = compileValidator({
    schema: closed(schema) as object,
    method: 'GET',
    url: '/',
    httpPart: '200',
  }) as ValidateFunction
  assert.ok(validate(value), JSON.stringify(validate.errors))
}

/** The schema with additional properties forbidden wherever an object declares properties. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return 'properties' in copy ? { ...copy, additionalProperties: false } : copy
}
