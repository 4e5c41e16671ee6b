import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { ROLES } from '../access.ts'
import {
  collectFaults,
  collectionType,
  description,
  externalKey,
  mergeMetadata,
  metadata,
  type Metadata,
  type MetadataChange,
  name,
} from '../values.ts'

/** The position of a collection in the tree, as far as the caller may see it. */
export const Hierarchy = Type.Object({
  parent_id: Nullable(Uuid),
  root_id: Nullable(Uuid),
  depth: Type.Integer(),
  path: Type.Array(Type.Object({ id: Uuid, name: Type.String() })),
  path_truncated: Type.Boolean(),
  children_count: Type.Integer(),
})

export type Collection = Static<typeof Collection>
export const Collection = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Nullable(Type.String()),
  type: Type.String(),
  external_key: Nullable(Type.String()),
  metadata: Type.Unsafe<Metadata>({ type: 'object', additionalProperties: true }),
  inherit_members: Type.Boolean(),
  item_count: Type.Integer(),
  member_count: Type.Integer(),
  my_role: Nullable(OneOf([...ROLES])),
  hierarchy: Hierarchy,
  created_by: Nullable(Uuid),
  created_at: Time,
  updated_at: Time,
  version: Type.Integer(),
})

/** A row of the list. `fields` may have left fields out. */
export type ListedCollection = Static<typeof ListedCollection>
export const ListedCollection = Type.Object({ ...Type.Partial(Collection).properties, id: Uuid })

const fields = {
  description: Nullable(Type.String()),
  type: Type.String(),
  external_key: Nullable(Type.String()),
  parent_id: Nullable(Uuid),
  metadata: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  inherit_members: Type.Boolean(),
}

export type CollectionBody = Static<typeof CollectionBody>
export const CollectionBody = Type.Object(
  { name: Type.String(), ...Type.Partial(Type.Object(fields)).properties },
  { additionalProperties: false },
)

export type CollectionChangeBody = Static<typeof CollectionChangeBody>
export const CollectionChangeBody = Type.Object(
  Type.Partial(
    Type.Object({
      ...fields,
      name: Type.String(),
      metadata: Nullable(fields.metadata),
    }),
  ).properties,
  { additionalProperties: false },
)

export const etagOf = ({ version }: { version: number }) => `"${version}"`

export type NewFields = {
  name: string
  description: string | null
  type: string
  external_key: string | null
  parent_id: string | null
  metadata: Metadata
  inherit_members: boolean
}

/** A body in its stored form. 422 names every invalid field. */
export function cleanNew(body: CollectionBody, types: readonly string[]): NewFields {
  const faults = collectFaults()
  const cleaned = {
    name: name(body.name, 'collection', faults.at('name')),
    description: description(body.description ?? null, faults.at('description')),
    type: collectionType(body.type ?? types[0] ?? '', types, faults.at('type')),
    external_key: externalKey(body.external_key ?? null, faults.at('external_key')),
    parent_id: body.parent_id?.toLowerCase() ?? null,
    metadata: mergeMetadata({}, metadata(body.metadata ?? {}, faults.at('metadata')), faults.at('metadata')),
    inherit_members: body.inherit_members ?? true,
  }
  faults.refuseIfAny()
  return cleaned
}

/** An absent field stays as it is. `metadata` is merged into the stored metadata; null removes all of it. */
export type Change = Partial<Omit<NewFields, 'metadata'>> & { metadata?: MetadataChange | null }

/** The sent fields in their stored form. A type that COLLECTIONS_TYPES no longer lists may stay. */
export function cleanChange(body: CollectionChangeBody): Change {
  const faults = collectFaults()
  const { inherit_members, parent_id, type } = body
  const cleaned: Change = {
    ...(body.name !== undefined && { name: name(body.name, 'collection', faults.at('name')) }),
    ...(body.description !== undefined && {
      description: description(body.description, faults.at('description')),
    }),
    ...(type !== undefined && { type }),
    ...(body.external_key !== undefined && {
      external_key: externalKey(body.external_key, faults.at('external_key')),
    }),
    ...(parent_id !== undefined && { parent_id: parent_id === null ? null : parent_id.toLowerCase() }),
    ...(body.metadata !== undefined && {
      metadata: body.metadata === null ? null : metadata(body.metadata, faults.at('metadata')),
    }),
    ...(inherit_members !== undefined && { inherit_members }),
  }
  faults.refuseIfAny()
  return cleaned
}
