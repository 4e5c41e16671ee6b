import type { Lane } from '#foundation/database.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import type { VideoSummary } from '../media/video.ts'
import type { Episode } from './episode.ts'

type Row = Omit<Episode, 'video' | 'my'> &
  Omit<VideoSummary, 'url'> & { video_url: string | null } & Episode['my']

/** The episodes of a channel as its `editor` lets the caller see them, in their order; none where he does not see it. */
export async function readEpisodes(sql: Lane, viewer: Viewer, channel_id: string): Promise<Episode[]> {
  const rows = await sql<Row[]>`
    select e.id, e.channel_id, e.position, e.title, e.description, e.status, e.release_at, e.thumbnail_url, e.season,
           e.authors, e.language, e.recorded_on, e.created_at, e.updated_at, v.url as video_url, v.kind, v.mime_type,
           v.duration_seconds::float8, v.poster_url, v.trackable, v.has_captions, v.has_transcript, v.asset_version,
           case when editor.may_edit then e.homework_count else e.published_homework end as homework_count,
           case when editor.may_edit then e.test_count else e.published_tests end as test_count,
           coalesce(w.progress, 0)::float8 as progress,
           (coalesce(w.position_ms, 0) / 1000.0)::float8 as position_seconds, w.completed_at is not null as completed,
           c.sequential and not editor.may_edit
             and not lag(w.completed_at is not null, 1, true) over (order by e.position, e.id) as locked
      from learning.channels c
      join learning.episodes e on e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
      left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
      left join learning.progress w
        on w.tenant_id = e.tenant_id and w.user_id = ${viewer.user_id} and w.episode_id = e.id,
           ${editorOf(sql, viewer)}
     where c.id = ${channel_id} and ${isVisible(sql, viewer)}
       and (editor.may_edit or learning.is_released(e.status, e.release_at))
     order by e.position, e.id`
  return rows.map(shownEpisode)
}

const shownEpisode = (row: Row): Episode => {
  const { video_url: url, progress, position_seconds, completed, locked } = row
  return {
    ...row,
    video: url === null ? null : { ...row, url },
    my: { progress, position_seconds, completed, locked },
  }
}
