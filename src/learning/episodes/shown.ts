import type { Tx } from '#foundation/database.ts'

/**
 * The live episodes of a channel as JSON text of the schema Episode. Stored with the episode at the end of every change,
 * so that a channel is read without making it again; a test holds the text and the schema equal.
 */
export const shownEpisodes = (tx: Tx, tenant_id: string, channel_id: string) => tx`
  select e.id, json_build_object(
           'id', e.id, 'channel_id', e.channel_id, 'position', e.position, 'title', e.title,
           'description', e.description, 'status', e.status, 'release_at', foundation.iso(e.release_at),
           'thumbnail_url', e.thumbnail_url, 'season', e.season, 'authors', e.authors, 'language', e.language,
           'recorded_on', e.recorded_on, 'duration_seconds', v.duration_seconds,
           'video', case when v.id is not null then json_build_object(
             'url', v.url, 'kind', v.kind, 'mime_type', v.mime_type, 'duration_seconds', v.duration_seconds,
             'poster_url', v.poster_url, 'trackable', v.trackable, 'has_captions', v.has_captions,
             'has_transcript', v.has_transcript, 'asset_version', v.asset_version) end,
           'created_at', foundation.iso(e.created_at), 'updated_at', foundation.iso(e.updated_at))::text as shown
    from learning.episodes e
    left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
   where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id} and e.deleted_at is null`
