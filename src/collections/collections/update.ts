import type { Database, Tx } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { type Actor, findRights, requireRole, type Right } from '../access.ts'
import { requireVersion } from '../if-match.ts'
import { lockGrants } from '../grants.ts'
import { lockTreesOf } from '../tree/locks.ts'
import { isKeyTaken, refusalError } from '../tree/refusal.ts'
import { reshapeTrees } from '../tree/reshape.ts'
import { collectFaults, collectionType, type Metadata, mergeMetadata } from '../values.ts'
import { type Change, type Collection, type NewFields } from './collection.ts'
import { requireParent } from './create.ts'
import { showChanged } from './show.ts'

type Stored = Omit<NewFields, 'metadata'> & { metadata: Metadata; version: number }

/**
 * Updates the sent fields, which needs editor. A new parent or inheritance needs admin here, and editor on the new
 * parent. Unchanged values need no right of their own. 404 (`parent_not_found`), 403, 412 `version_mismatch`, 409 of
 * the tree, 422 for an invalid type or metadata.
 */
export async function updateCollection(
  db: Database,
  actor: Actor,
  collection_id: string,
  { change, if_match, types }: { change: Change; if_match: string | undefined; types: readonly string[] },
): Promise<Collection> {
  const isPlaced = change.parent_id !== undefined || change.inherit_members !== undefined
  // Checked before the tree is locked, so that a caller without the right cannot make others wait.
  if (isPlaced) await requireRole(db.fast, actor, collection_id, 'editor')
  try {
    return await db.transaction(async (tx) => {
      if (isPlaced) {
        const places = [collection_id, ...(change.parent_id ? [change.parent_id] : [])]
        await lockTreesOf(tx, actor.tenant_id, places, 'exclusive')
      }
      const stored = await lockStored(tx, actor, collection_id)
      await lockGrants(tx, actor, [collection_id, ...(change.parent_id ? [change.parent_id] : [])])
      const right = await requireRole(tx, actor, collection_id, 'editor')
      if (!stored) throw notFound()
      const moved = placeChange(await asShown(tx, actor, change, stored), stored)
      if (moved) await requirePlace(tx, actor, collection_id, moved)
      requireVersion(stored.version, if_match)
      const fields = merged(stored, change, types)
      return apply(tx, actor, right, { stored, fields, moved })
    })
  } catch (error) {
    if (isKeyTaken(error))
      throw refusalError([{ id: collection_id, code: 'duplicate_key', value: change.external_key ?? null }])
    throw error
  }
}

async function lockStored(tx: Tx, { tenant_id }: Actor, collection_id: string): Promise<Stored | undefined> {
  const [stored] = await tx<Stored[]>`
    select name, description, type, external_key, parent_id, metadata, inherit_members, version
      from collections.collections
     where id = ${collection_id} and tenant_id = ${tenant_id} for no key update`
  return stored
}

type Moved = { parent_id?: string | null; inherit_members?: boolean }

/** Whoever cannot see the parent was shown null for it, so null from them is no wish for the top. */
async function asShown(tx: Tx, actor: Actor, change: Change, { parent_id }: Stored): Promise<Change> {
  const isHidden =
    change.parent_id === null && parent_id !== null && (await findRights(tx, actor, [parent_id])).length === 0
  return isHidden ? { ...change, parent_id } : change
}

/** The changes of place that differ from the stored place; undefined if there are none. */
function placeChange({ parent_id, inherit_members }: Change, stored: Stored): Moved | undefined {
  const moved: Moved = {
    ...(parent_id !== undefined && parent_id !== stored.parent_id && { parent_id }),
    ...(inherit_members !== undefined && inherit_members !== stored.inherit_members && { inherit_members }),
  }
  return Object.keys(moved).length > 0 ? moved : undefined
}

async function requirePlace(tx: Tx, actor: Actor, collection_id: string, { parent_id }: Moved) {
  await requireRole(tx, actor, collection_id, 'admin')
  if (parent_id) await requireParent(tx, actor, parent_id, 'editor')
}

function merged(stored: Stored, { metadata, ...change }: Change, types: readonly string[]): Stored {
  const faults = collectFaults()
  const type = change.type ?? stored.type
  if (type !== stored.type) collectionType(type, types, faults.at('type'))
  const fields = {
    ...stored,
    ...change,
    metadata:
      metadata === undefined
        ? stored.metadata
        : mergeMetadata(stored.metadata, metadata, faults.at('metadata')),
  }
  faults.refuseIfAny()
  return fields
}

async function apply(
  tx: Tx,
  actor: Actor,
  right: Right,
  { stored, fields, moved }: { stored: Stored; fields: Stored; moved: Moved | undefined },
): Promise<Collection> {
  const { collection_id } = right
  if (moved) {
    // The old key is dropped first, so that it cannot clash in the new tree when it is about to change.
    if (fields.external_key !== stored.external_key)
      await tx`
        update collections.collections set external_key = null
         where id = ${collection_id} and tenant_id = ${actor.tenant_id}`
    const refusals = await reshapeTrees(tx, actor.tenant_id, [{ id: collection_id, ...moved }])
    if (refusals.length > 0) throw refusalError(refusals)
  }
  const { name, description, type, external_key, metadata } = fields
  await tx`
    update collections.collections
       set name = ${name}, description = ${description}, type = ${type}, external_key = ${external_key},
           metadata = ${tx.json(metadata)}, version = version + 1, updated_at = clock_timestamp()
     where id = ${collection_id} and tenant_id = ${actor.tenant_id}
       and (${moved !== undefined}::boolean
            or (name, description, type, external_key, metadata)
               is distinct from (${name}, ${description}, ${type}, ${external_key}, ${tx.json(metadata)}::jsonb))`
  return showChanged(tx, actor, right)
}
