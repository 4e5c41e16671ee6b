import { type Static, Type } from 'typebox'
import { Nullable, Uuid } from '#foundation/http/schemas.ts'
import { collectFaults, description, externalKey, mergeMetadata, metadata, name } from '../values.ts'
import type { ItemChange, NewItem } from './links.ts'

const SentMetadata = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })
const fields = {
  name: Type.String(),
  description: Nullable(Type.String()),
  external_key: Nullable(Type.String()),
  metadata: Nullable(SentMetadata),
}

export const ItemPatch = Type.Partial(Type.Object(fields), { additionalProperties: false })
/** The fields of a new item, or only the id of an existing one. */
export const ItemOrLink = Type.Partial(Type.Object({ ...fields, item_id: Uuid }), {
  additionalProperties: false,
})

/** The sent fields in their stored form. 422. */
export function readPatch(sent: Static<typeof ItemPatch>): Omit<ItemChange, 'id'> {
  const faults = collectFaults()
  const change: Omit<ItemChange, 'id'> = {}
  if (sent.name !== undefined) change.name = name(sent.name, 'item', faults.at('name'))
  if (sent.description !== undefined)
    change.description = description(sent.description, faults.at('description'))
  if (sent.external_key !== undefined)
    change.external_key = externalKey(sent.external_key, faults.at('external_key'))
  if (sent.metadata !== undefined)
    change.metadata = sent.metadata && metadata(sent.metadata, faults.at('metadata'))
  faults.refuseIfAny()
  return change
}

/** The id to link, or the fields of a new item. 422. */
export function readItemOrLink({
  item_id,
  ...sent
}: Static<typeof ItemOrLink>): { item_id: string } | { fields: Omit<NewItem, 'id'> } {
  const faults = collectFaults()
  if (item_id !== undefined) {
    for (const field of Object.keys(sent))
      faults.at(field)('invalid_value', 'cannot be sent together with item_id')
    faults.refuseIfAny()
    return { item_id: item_id.toLowerCase() }
  }
  if (sent.name === undefined) faults.at('name')('required', 'is required, unless item_id is sent')
  faults.refuseIfAny()
  const change = readPatch(sent)
  const merged = mergeMetadata({}, change.metadata ?? null, faults.at('metadata'))
  faults.refuseIfAny()
  return {
    fields: {
      name: change.name ?? '',
      description: change.description ?? null,
      external_key: change.external_key ?? null,
      metadata: merged,
    },
  }
}
