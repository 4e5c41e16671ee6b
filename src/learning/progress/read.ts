import type { Lane } from '#foundation/database/database.ts'
import type { Viewer } from '../access/access.ts'
import { openEpisode } from '../access/open.ts'
import { type Progress, progressOf } from './progress.ts'
import { assetOf, progressRow, watchedOf } from './rows.ts'

/**
 * The caller's progress in an episode, all zero before the first beat. 404 when they do not see it; a lock does not
 * matter.
 */
export async function readProgress(sql: Lane, viewer: Viewer, id: string): Promise<Progress> {
  const [{ episode_id, channel_id }, [row]] = await Promise.all([
    openEpisode(sql, viewer, id),
    progressRow(sql, viewer, id),
  ])
  if (!row) throw new Error('an episode that can be opened is not there')
  const { completed_at, updated_at } = row
  return progressOf(watchedOf(row), assetOf(row), { episode_id, channel_id, completed_at, updated_at })
}
