import type { Tx } from '#foundation/database/database.ts'
import type { EpisodeRow } from './merge.ts'

/** The live episodes of a channel in order. The caller holds the lock of the channel, so they cannot change. */
export const lockedEpisodes = (tx: Tx, tenant_id: string, channel_id: string) => tx<EpisodeRow[]>`
  select id, position, title, description, status, release_at, thumbnail_url, season, authors, language, recorded_on
    from learning.episodes
   where tenant_id = ${tenant_id} and channel_id = ${channel_id} and deleted_at is null
   order by position, id`

/** Upserts episodes of one channel in one statement. */
export async function saveEpisodes(tx: Tx, tenant_id: string, channel_id: string, rows: EpisodeRow[]) {
  if (rows.length === 0) return
  await tx`
    insert into learning.episodes (
      tenant_id, id, channel_id, position, title, description, status, release_at, thumbnail_url, season, authors,
      language, recorded_on)
    select ${tenant_id}, id, ${channel_id}, position, title, description, status, release_at, thumbnail_url, season,
           authors, language, recorded_on
      from jsonb_to_recordset(${tx.json(rows)}) as given(
        id uuid, position int, title text, description text, status text, release_at timestamptz(3),
        thumbnail_url text, season int, authors text[], language text, recorded_on date)
    on conflict (tenant_id, id) do update set
      title = excluded.title, description = excluded.description, status = excluded.status,
      release_at = excluded.release_at, thumbnail_url = excluded.thumbnail_url, season = excluded.season,
      authors = excluded.authors, language = excluded.language, recorded_on = excluded.recorded_on,
      updated_at = clock_timestamp()
    where episodes.channel_id = excluded.channel_id`
}

/** Soft delete: the rows stay for the history of the learners; what was never published goes. */
export async function deleteEpisodes(tx: Tx, tenant_id: string, channel_id: string, ids: string[]) {
  if (ids.length === 0) return
  await tx`
    delete from learning.episode_changes x using learning.episodes e
     where x.tenant_id = ${tenant_id} and x.episode_id = any(${ids}) and e.tenant_id = x.tenant_id
       and e.id = x.episode_id and e.channel_id = ${channel_id}`
  await tx`
    update learning.episodes set deleted_at = clock_timestamp()
     where tenant_id = ${tenant_id} and channel_id = ${channel_id} and id = any(${ids}) and deleted_at is null`
}

/** Numbers the episodes 1 to n in the order of `ids`. A new position alone does not change `updated_at`. */
export const placeEpisodes = (tx: Tx, tenant_id: string, channel_id: string, ids: string[]) => tx`
  update learning.episodes set position = placed.position
    from unnest(${ids}::uuid[]) with ordinality as placed(id, position)
   where episodes.tenant_id = ${tenant_id} and episodes.channel_id = ${channel_id} and episodes.id = placed.id
     and episodes.position <> placed.position`
