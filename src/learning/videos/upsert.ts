import { type Static, Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { badRequest, forbidden, notFound, unprocessable } from '#foundation/errors.ts'
import { Nullable, Uuid } from '#foundation/http/schemas.ts'
import { editorOf, isVisible, type Store, type Viewer } from '../access/access.ts'
import { lockForEdit, sumUp } from '../channels/change.ts'
import { MAX_EPISODES } from '../episodes/episode.ts'
import { EPISODE_DEFAULTS } from '../episodes/merge.ts'
import { collectFaults, name } from '../values.ts'
import { cleanVideo, mergeVideo } from '../media/merge.ts'
import { readVideo } from './read.ts'
import { VideoBody } from '../media/video.ts'
import { lockedVideos, saveVideos } from '../media/write.ts'

/** With `channel_id`, an unknown episode is created as the last of that channel (docs/choices-learning.md). */
export const VideoUpsert = Type.Object({
  ...VideoBody.properties,
  channel_id: Type.Optional(Nullable(Uuid)),
  title: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200 }))),
})
export type VideoUpsert = Static<typeof VideoUpsert>

/**
 * Upserts the one asset of an episode and returns it; `isNew` is true when it was created. 404 for an episode that is
 * deleted, invisible, of another tenant, or unknown without `channel_id`; 403 when the caller may not edit; 400 for the
 * `channel_id` of another channel.
 */
export async function upsertVideo(store: Store, viewer: Viewer, episode_id: string, body: VideoUpsert) {
  const faults = collectFaults()
  const patch = cleanVideo(body, faults)
  const title = body.title ? name(body.title, faults.at('title')) : undefined
  faults.refuseIfAny()
  const { tenant_id } = viewer
  const channel_id = await channelOf(store, viewer, episode_id, body.channel_id?.toLowerCase())

  return store.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, channel_id)
    await requireEpisode(tx, tenant_id, channel_id, episode_id, title)
    const [current] = await lockedVideos(tx, tenant_id, [episode_id])
    const row = mergeVideo(current, patch, episode_id)
    if (!row) throw unprocessable('url', 'required', 'is required')
    await saveVideos(tx, tenant_id, [row])
    await sumUp(tx, tenant_id, channel_id)
    return { isNew: current === undefined, video: await readVideo(tx, viewer, episode_id) }
  })
}

/** The channel to lock: that of the episode, or the named one when the episode does not exist. */
async function channelOf({ db }: Store, viewer: Viewer, episode_id: string, named: string | undefined) {
  const [episode] = await db.pool<{ channel_id: string; is_seen: boolean; may_edit: boolean }[]>`
    select e.channel_id, editor.may_edit,
           e.deleted_at is null and ${isVisible(db.pool, viewer)}
             and (editor.may_edit or learning.is_released(e.status, e.release_at)) as is_seen
      from learning.episodes e
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id,
           ${editorOf(db.pool, viewer)}
     where e.tenant_id = ${viewer.tenant_id} and e.id = ${episode_id}`
  const channel_id = episode?.channel_id ?? named
  if (channel_id === undefined || episode?.is_seen === false) throw notFound()
  if (episode?.may_edit === false)
    throw forbidden('not_an_editor', 'Only an editor of the channel may change it')
  if (named !== undefined && named !== channel_id)
    throw badRequest('foreign_channel', 'The episode belongs to another channel')
  return channel_id
}

/**
 * Returns the live episode, or creates it if its id is free. The lock of the channel lets only one of many callers
 * create it.
 */
async function requireEpisode(
  tx: Tx,
  tenant_id: string,
  channel_id: string,
  id: string,
  title: string | undefined,
) {
  const [episode] = await tx<{ channel_id: string; is_live: boolean }[]>`
    select channel_id, deleted_at is null as is_live from learning.episodes
     where tenant_id = ${tenant_id} and id = ${id}`
  if (episode) {
    if (!episode.is_live) throw notFound()
    if (episode.channel_id !== channel_id)
      throw badRequest('foreign_channel', 'The episode belongs to another channel')
    return
  }
  const [created] = await tx<{ position: number }[]>`
    insert into learning.episodes (
      tenant_id, id, channel_id, position, title, description, status, season, authors)
    select ${tenant_id}, ${id}, ${channel_id}, count(*) + 1, coalesce(${title ?? null}, 'Episode ' || count(*) + 1),
           ${EPISODE_DEFAULTS.description}, ${EPISODE_DEFAULTS.status}, ${EPISODE_DEFAULTS.season},
           ${EPISODE_DEFAULTS.authors}
      from learning.episodes
     where tenant_id = ${tenant_id} and channel_id = ${channel_id} and deleted_at is null
    on conflict (tenant_id, id) do nothing
    returning position`
  // Another channel took the id since the check.
  if (!created) throw notFound()
  if (created.position > MAX_EPISODES)
    throw badRequest('too_many_episodes', `A channel holds at most ${MAX_EPISODES} episodes`)
}
