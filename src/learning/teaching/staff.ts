import type { Lane } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { notAnEditor } from '../exams/access.ts'

/**
 * Owner, instructor or ADMIN of the channel `c`. LEARNING_AUTHORING=any_user does not count here, because it gives
 * nobody a right to data about learners.
 */
export const isStaff = (sql: Lane, { user_id, is_admin }: Viewer) =>
  sql`(c.deleted_at is null and (${is_admin} or c.owner_id = ${user_id} or ${user_id} = any(c.instructor_ids)))`

/** Who learns there: an enrollment `n` without the staff of its channel. */
export const isLearner = (sql: Lane) =>
  sql`(not n.as_admin and not learning.is_editor(n.tenant_id, n.user_id, n.channel_id))`

/** The refusal of a list that found nothing because of the right in it: 404, or 403 for who sees the channel. */
export async function requireStaff(sql: Lane, viewer: Viewer, channel_id: string): Promise<void> {
  const [channel] = await sql<{ is_staff: boolean }[]>`
    select ${isStaff(sql, viewer)} as is_staff
      from learning.channels c, ${editorOf(sql, viewer)}
     where c.tenant_id = ${viewer.tenant_id} and c.id = ${channel_id} and ${isVisible(sql, viewer)}`
  if (!channel) throw notFound()
  if (!channel.is_staff) throw notAnEditor()
}
