import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '#foundation/database/database.ts'
import { ApiError, conflict, notFound, unprocessable } from '#foundation/errors.ts'
import type { Actor } from '../access.ts'
import { requireVersion } from '../if-match.ts'
import { type Item, requireItem } from '../items/item.ts'
import { lockItems } from '../items/keys.ts'
import { updateItem } from '../items/update.ts'
import { membersOf, type Values } from './history.ts'

type Asked = {
  item_id: string
  change_id: string
  fields: readonly string[] | undefined
  if_match: string | undefined
}
type Kept = { kind: string; before: Values | null; after: Values | null }

/**
 * Gives the fields of a change their old values again, as a change of its own. Without `fields` it is all of them, unless
 * one has changed since: 409 `changed_since`. 404, 403, 412, 409 `not_an_update`, `duplicate_key`, 422.
 */
export async function putBack(
  tx: Tx,
  actor: Actor,
  { item_id, change_id, fields, if_match }: Asked,
): Promise<Item> {
  await lockItems(tx, actor.tenant_id, [item_id])
  const item = await requireItem(tx, actor, item_id, 'editor')
  requireVersion(item.version, if_match)
  const [kept] = await tx<Kept[]>`
    select kind, before, after from collections.item_changes
     where tenant_id = ${actor.tenant_id} and item_id = ${item_id} and change_id = ${change_id}`
  if (!kept) throw notFound()
  if (!kept.before || !kept.after || kept.kind !== 'updated')
    throw conflict('not_an_update', 'Only a change of fields can be put back')
  const [old, new_, now] = [membersOf(kept.before), membersOf(kept.after), membersOf(item)]
  const unknown = fields?.find((field) => !old.has(field))
  if (unknown !== undefined)
    throw unprocessable('fields', 'unknown_field', `may name ${[...old.keys()].join(', ')}`)
  const changed = [...old.keys()].filter(
    (field) => !isDeepStrictEqual(now.get(field) ?? null, new_.get(field) ?? null),
  )
  if (!fields && changed.length > 0) throw changedSince(changed)
  return updateItem(tx, actor, item_id, only(kept.before, fields ?? [...old.keys()]), undefined)
}

const changedSince = (changed: readonly string[]) =>
  new ApiError(409, 'changed_since', 'Some of it has changed since: name the fields to put back', {
    errors: changed.map((field) => ({ field, code: 'changed_since', message: 'has another value now' })),
  })

function only({ metadata, ...values }: Values, fields: readonly string[]): Values {
  const isNamed =
    (prefix: string) =>
    ([name]: [string, unknown]) =>
      fields.includes(prefix + name)
  const members = Object.entries(metadata ?? {}).filter(isNamed('metadata.'))
  return {
    ...Object.fromEntries(Object.entries(values).filter(isNamed(''))),
    ...(members.length > 0 && { metadata: Object.fromEntries(members) }),
  }
}
