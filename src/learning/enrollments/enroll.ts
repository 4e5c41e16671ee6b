import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'
import { channelToJoin, notJoinable } from '../access/join.ts'
import { readEnrollment } from './list.ts'

/**
 * Enrolls the caller; idempotent. `isNew` is true when this call created the enrollment. Who left and comes back has
 * all earlier progress, and has completed the channel if that is complete. 404 when the caller does not
 * see the channel, 403 when it is closed to new learners and they are not enrolled.
 */
export async function enroll(db: Database, viewer: Viewer, channel_id: string) {
  const { tenant_id, user_id, email, is_admin } = viewer
  const isNew = await db.transaction(async (tx) => {
    const [channel] = await tx<{ is_joinable: boolean; is_new: boolean }[]>`
      with channel as (${channelToJoin(tx, viewer, channel_id)}),
      joined as (
        insert into learning.enrollments (
          tenant_id, user_id, channel_id, id, user_email, as_admin, status, source, completed_at)
        select ${tenant_id}, ${user_id}, id, ${newId()}, ${email}, ${is_admin},
               case when done.percent = 100 then 'completed' else 'active' end, 'self',
               case when done.percent = 100 then statement_timestamp() end
          from channel, learning.progress_in(${tenant_id}, ${user_id}, id) as done where is_joinable
        on conflict (tenant_id, user_id, channel_id) do nothing
        returning id)
      select is_joinable, exists (select from joined) as is_new from channel`
    if (!channel) throw notFound()
    if (!channel.is_joinable) throw notJoinable()
    return channel.is_new
  })
  // After COMMIT: until then the transaction locks the channel's learner count, and everybody else who joins waits for
  // it.
  return { isNew, enrollment: await readEnrollment(db.fast, viewer, channel_id) }
}
