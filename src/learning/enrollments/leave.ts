import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'

/**
 * Ends the caller's enrollment, also in a channel they see no more. Progress, submissions, attempts, notes and
 * certificates stay, so joining again goes on from there. 404 for who is not enrolled.
 */
export async function leave(db: Database, { tenant_id, user_id }: Viewer, channel_id: string) {
  const left = await db.pool`
    delete from learning.enrollments
     where tenant_id = ${tenant_id} and user_id = ${user_id} and channel_id = ${channel_id} returning channel_id`
  if (left.length === 0) throw notFound()
  return { channel_id, left: true as const }
}
