import type postgres from 'postgres'
import type { Tx } from '#foundation/database/database.ts'
import { MAX_METADATA, type Metadata, type MetadataChange } from '../values.ts'
import { type Author, type Clash, claimKeys, dropKeys, type Fragment, lockItems } from './keys.ts'

export type NewItem = {
  id: string
  name: string
  description: string | null
  external_key: string | null
  metadata: Metadata
}
/** An absent field stays as it is. Metadata is merged by key: a null value removes the key, null removes all keys. */
export type ItemChange = {
  id: string
  name?: string
  description?: string | null
  external_key?: string | null
  metadata?: MetadataChange | null
}

/** Creates items without a collection: call `linkItems` in the same transaction. */
export async function createItems(
  tx: Tx,
  rows: readonly NewItem[],
  { tenant_id, user_id }: Author,
): Promise<void> {
  await tx`
    insert into collections.items (id, tenant_id, name, description, external_key, metadata, created_by)
    select given.id, ${tenant_id}, given.name, given.description, given.external_key, given.metadata, ${user_id}
      from jsonb_to_recordset(${tx.json(rows as unknown as postgres.JSONValue)}) as given(
             id uuid, name text, description text, external_key text, metadata jsonb)
     order by given.id`
}

/** Deletes new items that could not be linked. */
export const dropUnlinked = (tx: Tx, tenant_id: string, item_ids: readonly string[]) => tx`
  delete from collections.items as item
   where item.id = any(${item_ids as string[]}::uuid[]) and item.tenant_id = ${tenant_id}
     and not exists (select from collections.collection_items as link
                      where link.tenant_id = item.tenant_id and link.item_id = item.id)`

export type Updated = {
  updated: string[]
  unchanged: string[]
  /** Changes to a key that another item has in one of the trees. These changes are not applied at all. */
  clashes: Clash[]
  /** Changes whose merged metadata exceeds a limit. These changes are not applied at all. */
  too_large: string[]
  missing: string[]
}

/**
 * Applies each change that differs, with version, updated_at, keys and history; unchanged rows are not written. Each item at
 * most once. Locks the items; checks no rights. Two items that swap keys in one call clash.
 */
export async function updateItems(tx: Tx, changes: readonly ItemChange[], author: Author): Promise<Updated> {
  const { tenant_id } = author
  const held = await lockItems(
    tx,
    tenant_id,
    changes.map(({ id }) => id),
  )
  const missing = changes.filter(({ id }) => !held.has(id)).map(({ id }) => id)
  let open = changes.filter(({ id }) => held.has(id))
  const too_large = await oversized(tx, tenant_id, open)
  open = open.filter(({ id }) => !too_large.includes(id))
  const rekeyed = open.filter(
    ({ id, external_key }) => external_key !== undefined && external_key !== held.get(id),
  )
  const clashes = await rekey(tx, tenant_id, rekeyed)
  const losers = new Set(clashes.map(({ item_id }) => item_id))
  open = open.filter(({ id }) => !losers.has(id))
  const updated = open.length === 0 ? [] : await apply(tx, author, open)
  if (rekeyed.length > 0)
    await dropKeys(
      tx,
      tenant_id,
      rekeyed.map(({ id }) => id),
    )
  const isUpdated = new Set(updated.map(({ id }) => id))
  return {
    updated: [...isUpdated],
    unchanged: open.filter(({ id }) => !isUpdated.has(id)).map(({ id }) => id),
    clashes,
    too_large,
    missing,
  }
}

/** Claims new keys before the old ones are dropped, which happens once the rows have changed. */
function rekey(tx: Tx, tenant_id: string, changes: readonly ItemChange[]): Promise<Clash[]> | Clash[] {
  if (changes.every(({ external_key }) => external_key === null)) return []
  return claimKeys(
    tx,
    tenant_id,
    tx`
      (select link.collection_id, node.root_id, link.item_id, given.external_key
         from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map((one) => one.external_key ?? null)}::text[])
              as given(item_id, external_key)
         join collections.collection_items as link on link.tenant_id = ${tenant_id} and link.item_id = given.item_id
         join collections.collections as node on node.id = link.collection_id and node.tenant_id = ${tenant_id})`,
  )
}

/** The rows after the changes, computed from one JSON value. */
const next = (tx: Tx, tenant_id: string, changes: readonly ItemChange[]): Fragment => tx`
  (select item.id,
          case when sent.change ? 'name' then sent.change ->> 'name' else item.name end as name,
          case when sent.change ? 'description' then sent.change ->> 'description' else item.description end as description,
          case when sent.change ? 'external_key' then sent.change ->> 'external_key' else item.external_key end as external_key,
          case when sent.change -> 'metadata' = 'null' then '{}'
               else jsonb_strip_nulls(item.metadata || coalesce(sent.change -> 'metadata', '{}')) end as metadata
     from jsonb_array_elements(${tx.json(changes as unknown as postgres.JSONValue)}) as sent(change)
     join collections.items as item on item.id = (sent.change ->> 'id')::uuid and item.tenant_id = ${tenant_id})`

async function oversized(tx: Tx, tenant_id: string, changes: readonly ItemChange[]): Promise<string[]> {
  const given = changes.filter(({ metadata }) => metadata !== undefined)
  if (given.length === 0) return []
  // The text form of jsonb has a space after each colon and comma. The limit does not count these.
  const rows = await tx<{ id: string }[]>`
    select id from ${next(tx, tenant_id, given)} as next, lateral (
             select count(*) as keys, coalesce(sum(jsonb_array_length(value) - 1) filter (where jsonb_typeof(value) = 'array'), 0)
                                      + 2 * count(*) - 1 as spaces
               from jsonb_each(metadata)) as held
     where held.keys > ${MAX_METADATA.keys} or octet_length(metadata::text) - held.spaces > ${MAX_METADATA.bytes}`
  return rows.map(({ id }) => id)
}

/** The row is locked, so what `next` read beside it is what the update replaces. */
const apply = (tx: Tx, { tenant_id, user_id }: Author, changes: readonly ItemChange[]) => tx<
  { id: string }[]
>`
  with changed as (
    update collections.items as item
       set name = next.name, description = next.description, external_key = next.external_key, metadata = next.metadata,
           version = item.version + 1, updated_at = clock_timestamp()
      from ${next(tx, tenant_id, changes)} as next
      join collections.items as was on was.id = next.id and was.tenant_id = ${tenant_id}
     where item.id = next.id and item.tenant_id = ${tenant_id}
       and (item.name, item.description, item.external_key, item.metadata)
           is distinct from (next.name, next.description, next.external_key, next.metadata)
    returning item.id, item.version, item.name, item.description, item.external_key, item.metadata,
              was.name as old_name, was.description as old_description, was.external_key as old_key, was.metadata as old_metadata),
  noted as (
    insert into collections.item_changes (tenant_id, item_id, kind, version, before, after, changed_by)
    select ${tenant_id}::uuid, changed.id, 'updated', changed.version, fields.before, fields.after, ${user_id}::uuid
      from changed
     cross join lateral (
       select jsonb_object_agg(key, old_metadata -> key) as before, jsonb_object_agg(key, metadata -> key) as after
         from jsonb_object_keys(old_metadata || metadata) as key
        where old_metadata -> key is distinct from metadata -> key) as members
     cross join lateral (
       select jsonb_object_agg(field, old) as before, jsonb_object_agg(field, new) as after
         from (values ('name', to_jsonb(old_name), to_jsonb(name)),
                      ('description', to_jsonb(old_description), to_jsonb(description)),
                      ('external_key', to_jsonb(old_key), to_jsonb(external_key)),
                      ('metadata', members.before, members.after)) as one(field, old, new)
        where old is distinct from new) as fields)
  select id from changed`
