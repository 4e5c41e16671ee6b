import type { Sql } from 'postgres'
import { call } from '#testing/product.ts'

/** The most children the product allows below one collection. */
const CHILDREN = 1_000

/**
 * Makes a person a member of `count` collections by one membership at the root, as is usual. The root is created
 * through the API, its descendants directly in the database.
 */
export async function seedCollections(
  sql: Sql,
  collections: string,
  { authorization, tenant_id }: { authorization: string; tenant_id: string },
  count: number,
): Promise<void> {
  const reply = await call(`${collections}/api/collections`, {
    headers: { authorization },
    body: { name: 'Measured' },
  })
  if (reply.status !== 201) throw new Error(`a collection was answered with ${reply.status}`)
  const root = String(reply.body['id'])
  let parents = [root]
  for (let missing = count - 1; missing > 0;) {
    const made: string[] = []
    for (const parent of parents) {
      const rows = await grow(sql, parent, Math.min(missing, missing > CHILDREN ? 10 : CHILDREN))
      made.push(...rows)
      missing -= rows.length
      if (missing <= 0) break
    }
    parents = made
  }
  const [sum] = await sql<{ count: number }[]>`
    select count(*)::int from collections.collections where root_id = ${root} and tenant_id = ${tenant_id}`
  if (sum?.count !== count) throw new Error(`seeded ${sum?.count} collections instead of ${count}`)
  for (const table of ['collections', 'collection_ancestors', 'members'])
    await sql`vacuum analyze ${sql(`collections.${table}`)}`
}

async function grow(sql: Sql, parent: string, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into collections.collections (id, tenant_id, parent_id, root_id, depth, inherit_reach, name, description, created_by)
    select gen_random_uuid(), tenant_id, id, root_id, depth + 1, inherit_reach + 1, 'Box ' || n, 'One of many.', created_by
      from collections.collections, generate_series(1, ${count}::int) as n where id = ${parent} returning id`
  const ids = rows.map(({ id }) => id)
  await sql`
    insert into collections.collection_ancestors (tenant_id, ancestor_id, descendant_id, distance, counts)
    select line.tenant_id, line.ancestor_id, made.id, line.distance + 1, true
      from unnest(${ids}::uuid[]) as made(id), collections.collection_ancestors as line where line.descendant_id = ${parent}
    union all
    select tenant_id, id, id, 0, true from collections.collections where id = any(${ids}::uuid[])`
  return ids
}
