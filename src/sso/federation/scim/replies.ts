import { type Static, Type } from 'typebox'
import { refused } from './errors.ts'

/**
 * Resources as they are sent and answered. What may leave is decided by the schema of SCIM (schema.ts) and the projection,
 * which know the attributes of both types; here they are objects.
 */
export const Resource = Type.Unsafe<{ [name: string]: unknown }>({
  type: 'object',
  additionalProperties: true,
})

export const Page = Type.Object({
  schemas: Type.Array(Type.String()),
  totalResults: Type.Integer(),
  startIndex: Type.Integer(),
  itemsPerPage: Type.Integer(),
  Resources: Type.Array(Resource),
})

export type Selection = Static<typeof Selection>
export const Selection = Type.Object({
  attributes: Type.Optional(Type.String({ maxLength: 2_000 })),
  excludedAttributes: Type.Optional(Type.String({ maxLength: 2_000 })),
})

/** 400 invalidSyntax unless a body says that it is what it should be. */
export function requireUrn(urn: string, schemas: unknown): void {
  const isNamed =
    Array.isArray(schemas) && schemas.some((one) => String(one).toLowerCase() === urn.toLowerCase())
  if (!isNamed) throw refused('invalid_syntax', `schemas: must include ${urn}`)
}
