import type { Lane } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'
import { type OpenEpisode, openEpisode } from '../access/open.ts'

/** The episode of live homework that the caller sees. 404 otherwise; only editors see drafts. */
export async function openHomework(sql: Lane, viewer: Viewer, homework_id: string): Promise<OpenEpisode> {
  const [homework] = await sql<{ episode_id: string; status: string }[]>`
    select episode_id, status from learning.homework
     where tenant_id = ${viewer.tenant_id} and id = ${homework_id} and deleted_at is null`
  if (!homework) throw notFound()
  const episode = await openEpisode(sql, viewer, homework.episode_id)
  if (homework.status === 'draft' && !episode.is_editor) throw notFound()
  return episode
}
