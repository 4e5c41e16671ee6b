import type { Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { editorOf, isEnrolled, isOpenToJoin, isVisible, type Viewer } from './access.ts'

/**
 * Enrolls the caller (`source` auto, docs/choices-learning.md), or updates the last activity of the enrollment. The
 * lock on its row is the first of every such transaction and serializes what one learner does in one channel. 404 when
 * the caller does not see the channel, 403 when they cannot join it.
 */
export async function joinToLearn(tx: Tx, viewer: Viewer, channel_id: string): Promise<void> {
  const { tenant_id, user_id, email, is_admin } = viewer
  const [channel] = await tx<{ is_joined: boolean }[]>`
    with channel as (${channelToJoin(tx, viewer, channel_id)}),
    joined as (
      insert into learning.enrollments (tenant_id, user_id, channel_id, id, user_email, as_admin, status, source)
      select ${tenant_id}, ${user_id}, id, ${newId()}, ${email}, ${is_admin}, 'active', 'auto'
        from channel where is_joinable
      on conflict (tenant_id, user_id, channel_id) do update set last_activity_at = clock_timestamp()
      returning channel_id)
    select exists (select from joined) as is_joined from channel`
  if (!channel) throw notFound()
  if (!channel.is_joined) throw notJoinable()
}

/** Selects `id` and `is_joinable` of the channel; no row when the caller does not see it. */
export const channelToJoin = (tx: Tx, viewer: Viewer, channel_id: string) => tx`
  select c.id, editor.may_edit or ${isOpenToJoin(tx)} or ${isEnrolled(tx, viewer)} as is_joinable
    from learning.channels c, ${editorOf(tx, viewer)}
   where c.tenant_id = ${viewer.tenant_id} and c.id = ${channel_id} and ${isVisible(tx, viewer)}`

export const notJoinable = () => forbidden('enrollment_closed', 'Enrollment in this channel is closed')
