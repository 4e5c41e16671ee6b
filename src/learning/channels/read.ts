import type { Lane } from '#foundation/database.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'

/**
 * Stands behind the channel `c` in a from list: the enrollment `n` of the caller, if there is one, and how many are enrolled.
 * `limit` keeps PostgreSQL from planning these for all channels at once while the tables are small.
 */
export const enrollmentOf = (sql: Lane, { tenant_id, user_id }: Viewer) => sql`
  left join lateral (
    select tenant_id, user_id, channel_id from learning.enrollments
     where tenant_id = ${tenant_id} and user_id = ${user_id} and channel_id = c.id limit 1) as n on true
  left join lateral (
    select learners from learning.enrollment_counts
     where tenant_id = ${tenant_id} and channel_id = c.id limit 1) as counted on true`

/**
 * The channel `c` as `editor` lets the caller see it, with his enrollment `n`: JSON text of the schema ListedChannel, still
 * open at its end. Sums of learners hold from the last release on; before that moment they are counted.
 */
export const shownChannel = (sql: Lane, { is_admin }: Viewer) => sql`
  c.shown || ',"episode_count":' ||
  case when editor.may_edit then c.episode_count
       when c.last_release_at > statement_timestamp() then learning.count_released(c.tenant_id, c.id)
       else c.published_count end || ',"duration_seconds":' ||
  case when editor.may_edit then c.duration_seconds
       when c.last_release_at > statement_timestamp() then learning.sum_released(c.tenant_id, c.id)
       else c.published_seconds end || ',"enrollment_count":' ||
  coalesce(counted.learners, 0) ||
  ',"my":{"enrolled":' || (n.user_id is not null) || ',' ||
  case when n.user_id is null then '"progress_percent":0,"next_episode_id":null'
       else learning.show_progress_in(n.tenant_id, n.user_id, n.channel_id) end ||
  ',"can_edit":' || editor.may_edit || ',"can_delete":' || ${is_admin}::boolean || '}'`

/** A channel with its episodes as JSON text of the schema Channel, in one statement. Undefined: not visible. */
export async function readChannel(
  sql: Lane,
  viewer: Viewer,
  channel_id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ body: string }[]>`
    select ${shownChannel(sql, viewer)} || ',"episodes":[' || coalesce((
             select string_agg(
                      listed.shown || ',"homework_count":' ||
                      case when editor.may_edit then homework_count else published_homework end || ',"test_count":' ||
                      case when editor.may_edit then test_count else published_tests end || ',"my":{' ||
                      case when position_ms is null then '"progress":0,"position_seconds":0,"completed":false'
                           else '"progress":' || progress || ',"position_seconds":' || trim_scale(position_ms / 1000.0) ||
                                ',"completed":' || is_completed end ||
                      case when c.sequential and not editor.may_edit and not may_begin then ',"locked":true}}'
                           else ',"locked":false}}' end, ',')
               from (
               select e.shown, e.homework_count, e.published_homework, e.test_count, e.published_tests, w.progress,
                      w.position_ms, w.completed_at is not null as is_completed,
                      lag(w.completed_at is not null, 1, true) over (order by e.position, e.id) as may_begin
                 from learning.episodes e
                 left join learning.progress w
                   on w.tenant_id = n.tenant_id and w.user_id = n.user_id and w.episode_id = e.id
                where e.tenant_id = ${viewer.tenant_id} and e.channel_id = c.id and e.deleted_at is null
                  and (editor.may_edit or learning.is_released(e.status, e.release_at))
                order by e.position, e.id) as listed), '') || ']}' as body
      from learning.channels c ${enrollmentOf(sql, viewer)}, ${editorOf(sql, viewer)}
     where c.id = ${channel_id} and ${isVisible(sql, viewer)}`
  return row?.body
}
