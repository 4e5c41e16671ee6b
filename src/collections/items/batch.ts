import { type Static, Type } from 'typebox'
import { ApiError, type FieldError, unprocessable } from '#foundation/errors.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { newId } from '#foundation/ids.ts'
import { ItemPatch, readItemOrLink, readPatch } from './fields.ts'
import type { ItemChange, NewItem } from './links.ts'

/** `version`: as If-Match for this one item. */
export type Operation = Static<typeof Operation>
const Operation = Type.Object(
  {
    action: OneOf(['create', 'update', 'remove', 'delete']),
    item_id: Type.Optional(Uuid),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    ...ItemPatch.properties,
  },
  { additionalProperties: false },
)
export const BatchWrite = Type.Object(
  { operations: Type.Array(Operation, { minItems: 1, maxItems: 1_000 }) },
  { additionalProperties: false },
)

const Fault = Type.Object({
  code: Type.String(),
  detail: Type.String(),
  errors: Type.Array(Type.Unsafe<FieldError>({ type: 'object', additionalProperties: true })),
})
export type Result = Static<typeof Result>
/** `version` is that of the item after it. `error` is not null exactly where `status` is failed. */
const Result = Type.Object({
  status: OneOf(['created', 'updated', 'unchanged', 'removed', 'deleted', 'failed']),
  item_id: Nullable(Uuid),
  version: Nullable(Type.Integer()),
  error: Type.Unsafe<Static<typeof Fault> | null>({ ...Fault, type: ['object', 'null'] }),
})
export const BatchResults = Type.Object({ results: Type.Array(Result) })

/** An operation in its stored form; `place` is its number in the request. */
export type Step = { place: number; item_id: string; version: number | undefined } & (
  | { action: 'create'; item: NewItem }
  | { action: 'update'; change: ItemChange }
  | { action: 'remove' | 'delete' }
)

/** 422. */
function stepOf({ action, item_id, version, ...fields }: Operation, place: number): Step {
  if (action === 'create') {
    if (item_id !== undefined || version !== undefined)
      throw unprocessable('item_id', 'invalid_value', 'cannot be sent for a new item')
    const read = readItemOrLink(fields)
    const id = newId()
    if (!('fields' in read)) throw new Error('a new item was read as a link')
    return { place, action, item_id: id, version, item: { id, ...read.fields } }
  }
  if (item_id === undefined) throw unprocessable('item_id', 'required', 'is required')
  const id = item_id.toLowerCase()
  if (action === 'update')
    return { place, action, item_id: id, version, change: { id, ...readPatch(fields) } }
  const [field] = Object.keys(fields)
  if (field !== undefined) throw unprocessable(field, 'invalid_value', `cannot be sent to ${action} an item`)
  return { place, action, item_id: id, version }
}

/** The operations that can be read, and the results of those that cannot. Each item at most once. */
export function readOperations(operations: readonly Operation[]) {
  const results = new Map<number, Result>()
  const seen = new Set<string>()
  const steps = operations.flatMap((operation, place) => {
    try {
      const step = stepOf(operation, place)
      if (seen.has(step.item_id))
        throw unprocessable('item_id', 'repeated_item', 'stands in an earlier operation of this call')
      seen.add(step.item_id)
      return step
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      results.set(place, failed(operation.item_id, error))
      return []
    }
  })
  return { steps, results }
}

export const failed = (item_id: string | undefined, { code, detail, errors }: ApiError): Result => ({
  status: 'failed',
  item_id: item_id ?? null,
  version: null,
  error: { code, detail, errors },
})
