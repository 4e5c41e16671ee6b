import { type Static, Type } from 'typebox'
import type { Database, Tx } from '#foundation/database/database.ts'
import { conflict, notFound, unprocessable } from '#foundation/errors.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { newId } from '#foundation/ids.ts'
import { type Actor, isVisible, logAdminAccess, requireRole, type Role, roleOn } from '../access.ts'
import { text as readText } from '../values.ts'

/** So many a collection may have, so a list of them is never cut. */
const MOST = 50

export const View = Type.Object({
  id: Uuid,
  name: Type.String(),
  query: Type.String(),
  created_by: Nullable(Uuid),
  created_at: Time,
})
export type View = Static<typeof View>
export const Views = Type.Object({ items: Type.Array(View) })
export const NewView = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 80 }),
    query: Type.String({
      maxLength: 2_000,
      description: 'What orders and narrows the list of items, as in its address',
    }),
  },
  { additionalProperties: false },
)

/** The shared views of a collection by name. 404. */
export async function listViews(
  { fast: sql }: Database,
  actor: Actor,
  collection_id: string,
): Promise<View[]> {
  const rows = await sql<{ my_role: Role | null; view: View | null }[]>`
    select ${roleOn(sql, actor)} as my_role,
           case when view.id is not null then jsonb_build_object(
             'id', view.id, 'name', view.name, 'query', view.query, 'created_by', view.created_by,
             'created_at', foundation.iso(view.created_at)) end as view
      from collections.collections as node
      left join collections.views as view on view.tenant_id = ${actor.tenant_id} and view.collection_id = node.id
     where node.tenant_id = ${actor.tenant_id} and node.id = ${collection_id} and ${isVisible(sql, actor)}
     order by view.name, view.id`
  const [first] = rows
  if (!first) throw notFound()
  logAdminAccess(actor, first.my_role, 'viewer', { collection_id })
  return rows.flatMap(({ view }) => view ?? [])
}

/** Makes a view, or replaces the one of this name. 404, 403 below editor, 422, 409 `too_many_views`. */
export async function saveView(
  tx: Tx,
  actor: Actor,
  collection_id: string,
  sent: Static<typeof NewView>,
): Promise<{ view: View; is_new: boolean }> {
  const query = queryOf(sent.query)
  const name = readText(sent.name, { most: 80, lines: false }, (code, message) => {
    throw unprocessable('name', code, message)
  })
  if (name === '') throw unprocessable('name', 'required', 'must not be blank')
  await requireRole(tx, actor, collection_id, 'editor')
  // Whoever adds one waits here for the others, so that the count holds.
  const place = await tx`
    select from collections.collections
     where tenant_id = ${actor.tenant_id} and id = ${collection_id} for no key update`
  if (place.count === 0) throw notFound()
  const [held] = await tx<{ count: number; is_known: boolean }[]>`
    select count(*) as count, coalesce(bool_or(name = ${name}), false) as is_known from collections.views
     where tenant_id = ${actor.tenant_id} and collection_id = ${collection_id}`
  const is_new = held?.is_known !== true
  if (is_new && (held?.count ?? 0) >= MOST)
    throw conflict('too_many_views', `A collection has at most ${MOST} shared views`)
  const [view] = await tx<View[]>`
    insert into collections.views (id, tenant_id, collection_id, name, query, created_by)
    values (${newId()}, ${actor.tenant_id}, ${collection_id}, ${name}, ${query}, ${actor.user_id})
    on conflict (tenant_id, collection_id, name) do update set query = excluded.query, created_by = excluded.created_by
    returning id, name, query, created_by, foundation.iso(created_at) as created_at`
  if (!view) throw new Error('a view was not written')
  return { view, is_new }
}

/** 404, also for a view of another collection; 403 below editor. */
export async function removeView(
  tx: Tx,
  actor: Actor,
  collection_id: string,
  view_id: string,
): Promise<void> {
  await requireRole(tx, actor, collection_id, 'editor')
  const { count } = await tx`
    delete from collections.views
     where tenant_id = ${actor.tenant_id} and collection_id = ${collection_id} and id = ${view_id}`
  if (count === 0) throw notFound()
}

/** Only what orders and narrows: a view that others open says nothing else to their page. */
function queryOf(sent: string): string {
  const query = new URLSearchParams(sent)
  for (const name of query.keys())
    if (!['q', 'sort', 'include_subtree'].includes(name) && !/^filter\[[\w.-]+\]\[\w+\]$/.test(name))
      throw unprocessable('query', 'invalid_value', 'holds more than q, sort, include_subtree and filters')
  const text = query.toString()
  if (text.length > 2_000) throw unprocessable('query', 'too_long', 'is longer than 2,000 characters')
  return text
}
