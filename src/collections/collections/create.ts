import type { Tx } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { type Actor, findRights, judge, type Right, type Role, type Sql } from '../access.ts'
import { lockGrants } from '../grants.ts'
import { lockTreesOf } from '../tree/locks.ts'
import { placeCollections } from '../tree/place.ts'
import { refusalError } from '../tree/refusal.ts'
import type { Collection, NewFields } from './collection.ts'
import { findCollection } from './show.ts'

/**
 * Creates a root, whose admin the actor becomes, or a child, which needs editor on the parent. 404
 * `parent_not_found`, 403, 409 `too_deep`, `too_many_children`, `duplicate_key`.
 */
export async function createCollection(tx: Tx, actor: Actor, fields: NewFields): Promise<Collection> {
  const { parent_id } = fields
  if (parent_id !== null) {
    await lockTreesOf(tx, actor.tenant_id, [parent_id], 'shared')
    await lockGrants(tx, actor, [parent_id])
    await requireParent(tx, actor, parent_id, 'editor')
  }
  const id = newId()
  const refusals = await placeCollections(tx, actor, [{ ...fields, id }])
  if (refusals.length > 0) throw refusalError(refusals)
  const made = await findCollection(tx, actor, id)
  if (!made) throw new Error('a collection that was just made is not there')
  return made
}

/** The actor's right on a parent named in a body. 404 `parent_not_found` if it is unknown or invisible, 403. */
export async function requireParent(
  sql: Sql,
  actor: Actor,
  parent_id: string,
  minimum: Role,
): Promise<Right> {
  const [right] = await findRights(sql, actor, [parent_id])
  if (!right) throw new ApiError(404, 'parent_not_found', 'The parent collection was not found')
  return judge(actor, right, minimum)
}
