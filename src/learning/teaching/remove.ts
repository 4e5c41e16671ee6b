import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'
import { isLearner, isStaff, requireStaff } from './staff.ts'

/**
 * Ends a learner's enrollment. What they did stays, so joining again goes on from there; to keep them out, the channel
 * is closed or made private. 404 for who does not learn there, 403 for who does not teach it.
 */
export async function removeLearner(
  db: Database,
  viewer: Viewer,
  { channel_id, user_id }: { channel_id: string; user_id: string },
) {
  const removed = await db.pool`
    delete from learning.enrollments n using learning.channels c
     where n.tenant_id = ${viewer.tenant_id} and n.channel_id = ${channel_id} and n.user_id = ${user_id.toLowerCase()}
       and c.tenant_id = n.tenant_id and c.id = n.channel_id and ${isStaff(db.pool, viewer)} and ${isLearner(db.pool)}
    returning n.user_id`
  if (removed.length > 0) return { channel_id, user_id: user_id.toLowerCase(), removed: true as const }
  await requireStaff(db.fast, viewer, channel_id)
  throw notFound()
}
