import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'

/** What the list of channels can be narrowed to: the most frequent values of the channels that the caller sees. */
export const ChannelChoices = Type.Object({
  categories: Type.Array(Type.String()),
  languages: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
})
export type ChannelChoices = Static<typeof ChannelChoices>

/** So many channels, the newest, are looked at, and so many values of each kind are named. */
const LOOKED_AT = 2_000
const NAMED = 50

export async function listChoices(db: Database, viewer: Viewer): Promise<ChannelChoices> {
  const sql = db.pool
  const values = (kind: string) => sql`
    coalesce((select array_agg(value order by value) from (
      select value from named where kind = ${kind} group by value order by count(*) desc, value limit ${NAMED}) as frequent), '{}')`
  const [choices] = await db.lists(
    viewer.user_id,
    sql<ChannelChoices[]>`
    with seen as materialized (
      select c.category, c.language, c.tags from learning.channels c, ${editorOf(sql, viewer)}
       where ${isVisible(sql, viewer)} order by c.created_at desc, c.id desc limit ${LOOKED_AT}),
    named as (
      select 'category' as kind, category as value from seen where category <> ''
      union all
      select 'language', language from seen
      union all
      select 'tag', tag from seen, unnest(tags) as tag)
    select ${values('category')} as categories, ${values('language')} as languages, ${values('tag')} as tags`,
  )
  return choices ?? { categories: [], languages: [], tags: [] }
}
