import { Type } from 'typebox'
import { Nullable, Uuid } from '#foundation/http/schemas.ts'

const Whole = Type.Integer()
const Person = { user_id: Uuid, sso_subject_id: Uuid }
const Role = Type.String()
const Places = Type.Array(Uuid)
const numbers = (...names: string[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Whole] as const)))
const lifecycle = { class: 'lifecycle', action_required: 'none', isOnRequest: true } as const
const collection = { collection_id: Uuid, version: Whole, parent_id: Nullable(Uuid) }

/**
 * What the collections service tells: ids and versions, no names or texts, because whoever gets an event may not be whoever may
 * read the object (docs/decisions/events-of-collections.md).
 */
export const COLLECTION_EVENTS = {
  'collection.created': {
    summary: 'A collection is created',
    ...lifecycle,
    data: Type.Object(collection),
  },
  'collection.updated': {
    summary: 'Fields or the place of a collection change',
    ...lifecycle,
    data: Type.Object(collection),
  },
  'collection.deleted': {
    summary: 'A collection is deleted',
    ...lifecycle,
    data: Type.Object({ collection_id: Uuid }),
  },
  'collection.member_added': {
    summary: 'A person becomes a direct member of a collection',
    ...lifecycle,
    data: Type.Object({ collection_id: Uuid, ...Person, role: Role }),
  },
  'collection.member_changed': {
    summary: 'The direct role of a member changes',
    ...lifecycle,
    data: Type.Object({ collection_id: Uuid, ...Person, role: Role }),
  },
  'collection.member_removed': {
    summary: 'A person is no longer a direct member of a collection',
    ...lifecycle,
    data: Type.Object({ collection_id: Uuid, ...Person }),
  },
  'collection.bulk_changed': {
    summary: 'More than 100 collections change at once; only their numbers are told',
    ...lifecycle,
    action_required: 'read_changes',
    data: numbers('created', 'updated', 'deleted', 'member_added', 'member_changed', 'member_removed'),
  },
  'collection.imported': {
    summary: 'A workbook that changed something has been imported',
    ...lifecycle,
    data: Type.Object({
      job_id: Uuid,
      state: Type.String(),
      ...numbers(
        'collections_created',
        'collections_updated',
        'collections_deleted',
        'items_created',
        'items_updated',
        'items_deleted',
        'links_added',
        'links_removed',
      ).properties,
    }),
  },
  'item.created': {
    summary: 'An item is created',
    ...lifecycle,
    data: Type.Object({ item_id: Uuid, version: Whole, collection_ids: Places }),
  },
  'item.updated': {
    summary: 'Fields of an item change',
    ...lifecycle,
    data: Type.Object({ item_id: Uuid, version: Whole }),
  },
  'item.added': {
    summary: 'An item is added to further collections',
    ...lifecycle,
    data: Type.Object({ item_id: Uuid, collection_ids: Places }),
  },
  'item.removed': {
    summary: 'An item is removed from collections and stays in others',
    ...lifecycle,
    data: Type.Object({ item_id: Uuid, collection_ids: Places }),
  },
  'item.deleted': {
    summary: 'An item is deleted, or has left its last collection',
    ...lifecycle,
    data: Type.Object({ item_id: Uuid }),
  },
  'item.bulk_changed': {
    summary: 'More than 100 items change at once; only their numbers are told',
    ...lifecycle,
    action_required: 'read_changes',
    data: numbers('created', 'updated', 'added', 'removed', 'deleted'),
  },
} as const
