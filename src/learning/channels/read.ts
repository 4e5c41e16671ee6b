import type { Lane } from '#foundation/database.ts'
import { editorOf, isVisible, type Viewer } from './access.ts'

/**
 * The columns of the schema ListedChannel, of the channel `c` as `editor.may_edit` lets the caller see it. Rows leave
 * as JSON text made by PostgreSQL: parsing and serializing them again here costs more than everything else of the
 * request. A test holds this list and the schema equal.
 */
export const shownChannel = (sql: Lane, { is_admin }: Viewer) => sql`
  c.id, c.title, c.description, c.language, c.category, c.level, c.tags, c.thumbnail_url, c.status, c.enrollment,
  c.visibility, c.sequential, c.completion_threshold, c.passing_percent, c.grade_weights, c.instructor_ids, c.owner_id,
  c.external_id, c.version,
  case when editor.may_edit then c.episode_count
       when c.last_release_at > statement_timestamp() then (
         select count(*) from learning.episodes e
          where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null and learning.is_released(e.status, e.release_at))
       else c.published_count end as episode_count,
  case when editor.may_edit then c.duration_seconds
       when c.last_release_at > statement_timestamp() then (
         select coalesce(sum(v.duration_seconds), 0)
           from learning.episodes e join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
          where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null and learning.is_released(e.status, e.release_at))
       else c.published_seconds end as duration_seconds,
  foundation.iso(c.published_at) as published_at, foundation.iso(c.created_at) as created_at,
  foundation.iso(c.updated_at) as updated_at,
  json_build_object('can_edit', editor.may_edit, 'can_delete', ${is_admin}::boolean) as my`

/**
 * A channel with its episodes as JSON text of the schema Channel, in one statement. Undefined: not visible. The `limit 1`
 * keeps PostgreSQL at one key lookup per episode, where its guess would be to read all videos of a small installation.
 */
export async function readChannel(
  sql: Lane,
  viewer: Viewer,
  channel_id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ body: string }[]>`
    select row_to_json(shown)::text as body from (
      select ${shownChannel(sql, viewer)}, (
          select coalesce(json_agg(row_to_json(listed)), '[]') from (
            select e.id, e.channel_id, e.position, e.title, e.description, e.status,
                   foundation.iso(e.release_at) as release_at, e.thumbnail_url, e.season, e.authors, e.language,
                   e.recorded_on, v.duration_seconds,
                   case when v.id is not null then json_build_object(
                     'url', v.url, 'kind', v.kind, 'mime_type', v.mime_type, 'duration_seconds', v.duration_seconds,
                     'poster_url', v.poster_url, 'trackable', v.trackable, 'has_captions', v.has_captions,
                     'has_transcript', v.has_transcript, 'asset_version', v.asset_version) end as video,
                   foundation.iso(e.created_at) as created_at, foundation.iso(e.updated_at) as updated_at
              from learning.episodes e
              left join lateral (
                select v.* from learning.videos v
                 where v.tenant_id = e.tenant_id and v.episode_id = e.id limit 1) as v on true
             where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
               and (editor.may_edit or learning.is_released(e.status, e.release_at))
             order by e.position, e.id) as listed) as episodes
        from learning.channels c, ${editorOf(sql, viewer)}
       where c.tenant_id = ${viewer.tenant_id} and c.id = ${channel_id} and ${isVisible(sql, viewer)}) as shown`
  return row?.body
}
