import type { Tx } from '#foundation/database/database.ts'
import type { VideoRow } from './merge.ts'

/** The assets of these episodes. The caller holds the lock of their channel, so they cannot change. */
export const lockedVideos = (tx: Tx, tenant_id: string, episode_ids: string[]) => tx<VideoRow[]>`
  select id, episode_id, url, poster_url, kind, mime_type, embed_url, duration_seconds::float8, width, height,
         size_bytes, sha256, sources, chapters, captions, transcript, completion_threshold::float8, strict_watch
    from learning.videos
   where tenant_id = ${tenant_id} and episode_id = any(${episode_ids})`

/**
 * Upserts assets in one statement. `asset_version` grows when the address or the duration changes, because the
 * positions of learners refer to these.
 */
export async function saveVideos(tx: Tx, tenant_id: string, rows: VideoRow[]) {
  if (rows.length === 0) return
  await tx`
    insert into learning.videos (
      tenant_id, episode_id, id, url, poster_url, kind, mime_type, embed_url, duration_seconds, width, height,
      size_bytes, sha256, sources, chapters, captions, transcript, completion_threshold, strict_watch)
    select ${tenant_id}, episode_id, id, url, poster_url, kind, mime_type, embed_url, duration_seconds, width, height,
           size_bytes, sha256, sources, chapters, captions, transcript, completion_threshold, strict_watch
      from jsonb_to_recordset(${tx.json(rows)}) as given(
        episode_id uuid, id uuid, url text, poster_url text, kind text, mime_type text, embed_url text,
        duration_seconds numeric, width int, height int, size_bytes bigint, sha256 text, sources jsonb,
        chapters jsonb, captions jsonb, transcript text, completion_threshold numeric, strict_watch boolean)
    on conflict (tenant_id, episode_id) do update set
      url = excluded.url, poster_url = excluded.poster_url, kind = excluded.kind, mime_type = excluded.mime_type,
      embed_url = excluded.embed_url, duration_seconds = excluded.duration_seconds, width = excluded.width,
      height = excluded.height, size_bytes = excluded.size_bytes, sha256 = excluded.sha256,
      sources = excluded.sources, chapters = excluded.chapters, captions = excluded.captions,
      transcript = excluded.transcript, completion_threshold = excluded.completion_threshold,
      strict_watch = excluded.strict_watch, updated_at = clock_timestamp(),
      asset_version = videos.asset_version +
        ((videos.url, videos.duration_seconds) is distinct from (excluded.url, excluded.duration_seconds))::int`
}
