import type { Lane } from '#foundation/database/database.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import type { VideoSummary } from '../media/video.ts'
import type { Episode } from './episode.ts'

type Row = Omit<Episode, 'video' | 'my'> &
  Omit<VideoSummary, 'url'> & { video_url: string | null } & Episode['my']

/**
 * The episodes of a channel in order, as far as the caller sees them; empty when the channel is not visible. `limit`
 * keeps PostgreSQL from reading all videos of the tenant while it has no statistics yet.
 */
export async function readEpisodes(sql: Lane, viewer: Viewer, channel_id: string): Promise<Episode[]> {
  const { tenant_id, user_id } = viewer
  const rows = await sql<Row[]>`
    with channel as materialized (
      select editor.may_edit, c.sequential and not editor.may_edit as is_sequential,
             (select n.user_id from learning.enrollments n
               where n.tenant_id = ${tenant_id} and n.user_id = ${user_id} and n.channel_id = ${channel_id}) as learner_id
        from learning.channels c, ${editorOf(sql, viewer)}
       where c.id = ${channel_id} and ${isVisible(sql, viewer)})
    select e.id, e.channel_id, e.position, e.title, e.description, e.status, e.release_at, e.thumbnail_url, e.season,
           e.authors, e.language, e.recorded_on, e.created_at, e.updated_at, v.url as video_url, v.kind, v.mime_type,
           v.duration_seconds::float8, v.poster_url, v.trackable, v.has_captions, v.has_transcript, v.asset_version,
           case when may_edit then e.homework_count else e.published_homework end as homework_count,
           case when may_edit then e.test_count else e.published_tests end as test_count,
           coalesce(w.progress, 0)::float8 as progress, (coalesce(w.position_ms, 0) / 1000.0)::float8 as position_seconds,
           w.completed_at is not null as completed,
           is_sequential and not lag(w.completed_at is not null, 1, true) over (order by e.position, e.id) as locked
      from channel, learning.episodes e
      left join lateral (
        select * from learning.videos where tenant_id = ${tenant_id} and episode_id = e.id limit 1) as v on true
      left join lateral (
        select progress, position_ms, completed_at from learning.progress
         where tenant_id = ${tenant_id} and user_id = learner_id and episode_id = e.id limit 1) as w on true
     where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id} and e.deleted_at is null
       and (may_edit or learning.is_released(e.status, e.release_at))
     order by e.position, e.id`
  return rows.map(shownEpisode)
}

/** Maps a row to the response. The schema drops columns that it does not declare. */
const shownEpisode = (row: Row): Episode => {
  const { video_url: url, progress, position_seconds, completed, locked } = row
  return {
    ...row,
    video: url === null ? null : { ...row, url },
    my: { progress, position_seconds, completed, locked },
  }
}
