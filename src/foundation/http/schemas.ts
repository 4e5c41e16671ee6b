import { type Static, type TSchema, Type } from 'typebox'

/**
 * The value or null. Written as a list of types (JSON Schema 2020-12, OpenAPI 3.1), because the response serializer
 * runs a whole validator for every `anyOf` but none for this.
 */
export const Nullable = <T extends TSchema>(schema: T, options: object = {}) => {
  const { type } = schema as unknown as { type: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'], ...options })
}

/** One of a few words. */
export const OneOf = <const T extends string[]>(words: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: words, ...options })

export const Uuid = Type.String({ format: 'uuid' })
export const Time = Type.String({ format: 'date-time' })

/** The answer 204: nothing. */
export const NoContent = Type.Unsafe<undefined>({ type: 'null', description: 'No content' })
