import { type Static, type TSchema, Type } from 'typebox'

/**
 * The value or null. Uses a list of types (JSON Schema 2020-12, OpenAPI 3.1), because the response serializer runs a
 * full validator for every `anyOf` but none for this.
 */
export const Nullable = <T extends TSchema>(schema: T, options: object = {}) => {
  const { type, enum: words } = schema as unknown as { type: string; enum?: string[] }
  const nullable = { ...schema, type: [type, 'null'], ...(words && { enum: [...words, null] }) }
  return Type.Unsafe<Static<T> | null>({ ...nullable, ...options })
}

export const OneOf = <const T extends string[]>(words: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: words, ...options })

/** A name or an address that a person types: blanks around it are no part of it. */
export const Typed = (options: object = {}) => Type.String({ ...options, 'x-trimmed': true })

export const Uuid = Type.String({ format: 'uuid' })
export const Time = Type.String({ format: 'date-time' })

/** The body of a 204 response: none. */
export const NoContent = Type.Unsafe<undefined>({ type: 'null', description: 'No content' })
