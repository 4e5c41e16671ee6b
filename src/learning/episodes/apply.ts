import type { Tx } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import { mergeVideo } from '../media/merge.ts'
import { lockedVideos, saveVideos } from '../media/write.ts'
import type { EpisodePlan } from './merge.ts'
import { deleteEpisodes, placeEpisodes, saveEpisodes } from './write.ts'

/** Writes a plan of planEpisodes(), one statement per kind of row. The caller holds the lock of the channel. */
export async function applyPlan(tx: Tx, tenant_id: string, channel_id: string, plan: EpisodePlan) {
  await saveEpisodes(tx, tenant_id, channel_id, plan.rows)
  await deleteEpisodes(tx, tenant_id, channel_id, plan.deleted)
  await saveVideos(tx, tenant_id, await mergedVideos(tx, tenant_id, plan))
  await placeEpisodes(tx, tenant_id, channel_id, plan.order)
}

async function mergedVideos(tx: Tx, tenant_id: string, { videos }: EpisodePlan) {
  const ids = videos.map(({ episode_id }) => episode_id)
  const known = new Map((await lockedVideos(tx, tenant_id, ids)).map((row) => [row.episode_id, row]))
  return videos.map(({ episode_id, patch, path }) => {
    const row = mergeVideo(known.get(episode_id), patch, episode_id)
    if (!row) throw unprocessable(`${path}video.url`, 'required', 'is required')
    return row
  })
}
