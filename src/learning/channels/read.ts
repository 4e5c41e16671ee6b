import type { Lane } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { readEpisodes } from '../episodes/read.ts'
import type { Channel, ListedChannel } from './channel.ts'

/**
 * Joins for the channel `c` in a from list: the caller's enrollment `n`, their progress, and the number of learners.
 * `limit` keeps PostgreSQL from computing these for all channels at once while the tables are small.
 */
export const enrollmentOf = (sql: Lane, { tenant_id, user_id }: Viewer) => sql`
  left join lateral (
    select tenant_id, user_id, channel_id from learning.enrollments
     where tenant_id = ${tenant_id} and user_id = ${user_id} and channel_id = c.id limit 1) as n on true
  left join lateral learning.progress_in(n.tenant_id, n.user_id, n.channel_id) as done on true
  left join lateral (
    select learners from learning.enrollment_counts
     where tenant_id = ${tenant_id} and channel_id = c.id limit 1) as counted on true`

export type ChannelRow = Omit<ListedChannel, 'my'> & {
  is_enrolled: boolean
  progress_percent: number
  next_episode_id: string | null
  may_edit: boolean
}

/**
 * The columns of the channel `c`, as far as `editor` lets the caller see them; needs the joins of enrollmentOf(). The
 * stored sums for learners are valid after the last release; before that moment the episodes are counted.
 */
export const channelColumns = (sql: Lane) => sql`
  c.id, c.title, c.description, c.language, c.category, c.level, c.tags, c.thumbnail_url, c.status, c.enrollment,
  c.visibility, c.sequential, c.completion_threshold::float8, c.passing_percent::float8, c.grade_weights,
  c.instructor_ids, c.owner_id, c.external_id, c.version, c.published_at, c.created_at, c.updated_at,
  case when editor.may_edit then c.episode_count
       when c.last_release_at > statement_timestamp() then learning.count_released(c.tenant_id, c.id)
       else c.published_count end as episode_count,
  case when editor.may_edit then c.duration_seconds
       when c.last_release_at > statement_timestamp() then learning.sum_released(c.tenant_id, c.id)
       else c.published_seconds end::float8 as duration_seconds,
  coalesce(counted.learners, 0) as enrollment_count, n.user_id is not null as is_enrolled,
  coalesce(done.percent, 0)::float8 as progress_percent, done.next_episode_id, editor.may_edit`

/** Maps a row to the response. The schema drops columns that it does not declare. */
export const shownChannel = (row: ChannelRow, { is_admin }: Viewer): ListedChannel => ({
  ...row,
  my: {
    enrolled: row.is_enrolled,
    progress_percent: row.progress_percent,
    next_episode_id: row.next_episode_id,
    can_edit: row.may_edit,
    can_delete: is_admin,
  },
})

/**
 * A channel with its episodes, in one round trip; 404 when it is not visible. The channel is read first, so its version
 * is never newer than its episodes: an If-Match with that version fails after any change in between.
 */
export async function readChannel(sql: Lane, viewer: Viewer, channel_id: string): Promise<Channel> {
  const [[channel], episodes] = await Promise.all([
    sql<ChannelRow[]>`
      select ${channelColumns(sql)}
        from learning.channels c ${enrollmentOf(sql, viewer)}, ${editorOf(sql, viewer)}
       where c.tenant_id = ${viewer.tenant_id} and c.id = ${channel_id} and ${isVisible(sql, viewer)}`,
    readEpisodes(sql, viewer, channel_id),
  ])
  if (!channel) throw notFound()
  return { ...shownChannel(channel, viewer), episodes }
}
