import type { Lane } from '#foundation/database/database.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import type { VideoStats } from '../media/video.ts'

/**
 * How the learners of an episode watched its video; undefined when the caller is not an editor of it. For each
 * hundredth of the video, `retention` and `rewatch` hold the percentage of viewers who saw its middle, or saw it again.
 * Editors do not count as viewers.
 */
export async function readVideoStats(
  sql: Lane,
  viewer: Viewer,
  episode_id: string,
): Promise<VideoStats | undefined> {
  const { tenant_id } = viewer
  const [stats] = await sql<VideoStats[]>`
    with video as (
      select v.episode_id, e.channel_id, (v.duration_seconds * 1000)::int as duration_ms
        from learning.videos v
        join learning.episodes e on e.tenant_id = v.tenant_id and e.id = v.episode_id and e.deleted_at is null
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id,
             ${editorOf(sql, viewer)}
       where v.tenant_id = ${tenant_id} and v.episode_id = ${episode_id} and ${isVisible(sql, viewer)} and editor.may_edit),
    viewers as (
      select w.watched, w.rewatched, w.completed_at, case when w.completed_at is null then w.progress else 1 end as part
        from video
        join learning.progress w on w.tenant_id = ${tenant_id} and w.episode_id = video.episode_id
        join learning.enrollments n
          on n.tenant_id = w.tenant_id and n.user_id = w.user_id and n.channel_id = video.channel_id
       where not n.as_admin and not learning.is_editor(n.tenant_id, n.user_id, n.channel_id)
         and (w.completed_at is not null or not isempty(w.watched))),
    hundredths as (
      select slice, (video.duration_ms * (slice + 0.5) / 100)::int as middle from video, generate_series(0, 99) as slice),
    curve as (
      select slice,
             coalesce(round(100.0 * count(*) filter (where viewers.watched @> middle) / nullif(count(viewers.watched), 0), 2), 0)
               as retention,
             coalesce(round(100.0 * count(*) filter (where viewers.rewatched @> middle) / nullif(count(viewers.watched), 0), 2), 0)
               as rewatch
        from hundredths left join viewers on true group by slice)
    select (select count(*) from viewers) as viewers,
           (select count(*) from viewers where completed_at is not null) as completed,
           (select coalesce(round(100 * avg(part), 2), 0) from viewers)::float8 as average_percent,
           (select array_agg(retention::float8 order by slice) from curve) as retention,
           (select array_agg(rewatch::float8 order by slice) from curve) as rewatch
      from video`
  return stats
}
