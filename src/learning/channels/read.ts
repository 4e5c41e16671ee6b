import type { Lane } from '#foundation/database.ts'
import { editorOf, isVisible, type Viewer } from './access.ts'

/**
 * The channel `c` as `editor` lets the caller see it: JSON text of the schema ListedChannel, still open at its end. Sums
 * of learners hold from the last release on; before that moment they are counted.
 */
export const shownChannel = (sql: Lane, { is_admin }: Viewer) => sql`
  c.shown || ',"episode_count":' ||
  case when editor.may_edit then c.episode_count
       when c.last_release_at > statement_timestamp() then learning.count_released(c.tenant_id, c.id)
       else c.published_count end || ',"duration_seconds":' ||
  case when editor.may_edit then c.duration_seconds
       when c.last_release_at > statement_timestamp() then learning.sum_released(c.tenant_id, c.id)
       else c.published_seconds end ||
  ',"my":{"can_edit":' || editor.may_edit || ',"can_delete":' || ${is_admin}::boolean || '}'`

/** A channel with its episodes as JSON text of the schema Channel, in one statement. Undefined: not visible. */
export async function readChannel(
  sql: Lane,
  viewer: Viewer,
  channel_id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ body: string }[]>`
    select ${shownChannel(sql, viewer)} || ',"episodes":[' || coalesce((
             select string_agg(listed.shown, ',') from (
               select e.shown from learning.episodes e
                where e.tenant_id = ${viewer.tenant_id} and e.channel_id = c.id and e.deleted_at is null
                  and (editor.may_edit or learning.is_released(e.status, e.release_at))
                order by e.position, e.id) as listed), '') || ']}' as body
      from learning.channels c, ${editorOf(sql, viewer)}
     where c.id = ${channel_id} and ${isVisible(sql, viewer)}`
  return row?.body
}
