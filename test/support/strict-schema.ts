import assert from 'node:assert/strict'
import type { ValidateFunction } from 'ajv'
import { compileValidator } from '#foundation/http/schema-compilers.ts'

/**
 * Fails unless `value` has exactly the fields of the response schema, each of its type: the serializer drops what is
 * undeclared, and says nothing of a value that is no UUID, time or word of a list.
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

/** The schema, with every object closed to members it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return 'properties' in copy ? { ...copy, additionalProperties: false } : copy
}
