import type { Lane } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { lockedBy, refuseLocked } from '../access/open.ts'
import type { Video } from '../media/video.ts'

/**
 * The asset of an episode the caller sees. 404 without the episode or without an asset. 403 while an earlier episode
 * must be completed first.
 */
export async function readVideo(sql: Lane, viewer: Viewer, episode_id: string): Promise<Video> {
  const [video] = await sql<(Video & { locked_by: string | null })[]>`
    select v.id, v.episode_id, v.url, v.poster_url, v.kind, v.mime_type, v.duration_seconds::float8, v.width, v.height,
           v.size_bytes, v.sha256, v.sources, v.chapters, v.captions, v.transcript, v.completion_threshold::float8,
           v.strict_watch, v.trackable, v.embed_url, v.asset_version, v.created_at, v.updated_at,
           ${lockedBy(sql, viewer)} as locked_by
      from learning.videos v
      join learning.episodes e on e.tenant_id = v.tenant_id and e.id = v.episode_id and e.deleted_at is null
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id,
           ${editorOf(sql, viewer)}
     where v.tenant_id = ${viewer.tenant_id} and v.episode_id = ${episode_id} and ${isVisible(sql, viewer)}
       and (editor.may_edit or learning.is_released(e.status, e.release_at))`
  if (!video) throw notFound()
  refuseLocked(video)
  return video
}
