import type { Tx } from '#foundation/database.ts'

/**
 * The live episodes of a channel as JSON text of the schema Episode, still open at its end, where a reader adds what depends on
 * the caller. Stored with the episode at the end of every change, so that a channel is read without making it again; a test
 * holds the text and the schema equal.
 */
export const shownEpisodes = (tx: Tx, tenant_id: string, channel_id: string) => tx`
  select e.id, left(row_to_json(made)::text, -1) as shown
    from learning.episodes e
    left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id,
         lateral (
           select v.url, v.kind, v.mime_type, v.duration_seconds, v.poster_url, v.trackable, v.has_captions,
                  v.has_transcript, v.asset_version) as video,
         lateral (
           select e.id, e.channel_id, e.position, e.title, e.description, e.status,
                  foundation.iso(e.release_at) as release_at, e.thumbnail_url, e.season, e.authors, e.language,
                  e.recorded_on, v.duration_seconds,
                  case when v.id is not null then row_to_json(video) end as video,
                  foundation.iso(e.created_at) as created_at, foundation.iso(e.updated_at) as updated_at) as made
   where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id} and e.deleted_at is null`
