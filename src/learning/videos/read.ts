import type { Lane } from '#foundation/database.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { lockedBy, refuseLocked } from '../access/open.ts'

/**
 * The asset of an episode the caller sees, as JSON text of the schema Video. Undefined: no such episode, or no asset. 403
 * while an episode before it must be completed first.
 */
export async function readVideo(sql: Lane, viewer: Viewer, episode_id: string): Promise<string | undefined> {
  const [row] = await sql<{ body: string; locked_by: string | null }[]>`
    select row_to_json(asset)::text as body, ${lockedBy(sql, viewer)} as locked_by
      from learning.videos v
      join learning.episodes e on e.tenant_id = v.tenant_id and e.id = v.episode_id and e.deleted_at is null
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id,
           ${editorOf(sql, viewer)},
           lateral (
             select v.id, v.episode_id, v.url, v.poster_url, v.kind, v.mime_type, v.duration_seconds, v.width, v.height,
                    v.size_bytes, v.sha256, v.sources, v.chapters, v.captions, v.transcript, v.completion_threshold,
                    v.strict_watch, v.trackable, v.embed_url, v.asset_version,
                    foundation.iso(v.created_at) as created_at, foundation.iso(v.updated_at) as updated_at) as asset
     where v.tenant_id = ${viewer.tenant_id} and v.episode_id = ${episode_id} and ${isVisible(sql, viewer)}
       and (editor.may_edit or learning.is_released(e.status, e.release_at))`
  if (row) refuseLocked(row)
  return row?.body
}
