import type { Tx } from '#foundation/database/database.ts'

/**
 * Adds to the totals of a tenant's list. All channels of a tenant share this row, so a transaction must write it last:
 * then others wait for its lock no longer than a COMMIT.
 */
export async function countChannels(tx: Tx, tenant_id: string, { listed = 0, live = 0 }) {
  if (listed === 0 && live === 0) return
  await tx`
    insert into learning.channel_counts as c (tenant_id, listed, live) values (${tenant_id}, ${listed}, ${live})
    on conflict (tenant_id) do update set listed = c.listed + excluded.listed, live = c.live + excluded.live`
}

/**
 * Rebuilds the editor rows of the channel, and its learner count, which leaves editors out. Call it after every change
 * of its people or of `is_listed`. The caller holds the lock of the channel, for which new enrollments wait.
 */
export async function saveEditors(tx: Tx, tenant_id: string, channel_id: string) {
  await tx`delete from learning.channel_editors where tenant_id = ${tenant_id} and channel_id = ${channel_id}`
  await tx`
    insert into learning.channel_editors (tenant_id, user_id, channel_id, created_at, is_unlisted)
    select distinct c.tenant_id, editor, c.id, c.created_at, not c.is_listed
      from learning.channels c, unnest(c.owner_id || c.instructor_ids) as editor
     where c.tenant_id = ${tenant_id} and c.id = ${channel_id} and c.deleted_at is null`
  await tx`
    update learning.enrollment_counts c set learners = (
             select count(*) from learning.enrollments n
              where n.tenant_id = c.tenant_id and n.channel_id = c.channel_id and not n.as_admin
                and not learning.is_editor(n.tenant_id, n.user_id, n.channel_id))
     where c.tenant_id = ${tenant_id} and c.channel_id = ${channel_id}`
}

/**
 * Ends every change of homework or tests: recounts those of the episode, in total and as learners see them. The caller
 * holds the lock of the channel.
 */
export const countWork = (tx: Tx, tenant_id: string, episode_id: string) => tx`
  update learning.episodes e
     set homework_count = h.number, published_homework = h.published, test_count = t.number, published_tests = t.published
    from (select count(*) as number, count(*) filter (where status = 'published') as published from learning.homework
           where tenant_id = ${tenant_id} and episode_id = ${episode_id} and deleted_at is null) as h,
         (select count(*) as number, count(*) filter (where status = 'published') as published from learning.tests
           where tenant_id = ${tenant_id} and episode_id = ${episode_id} and deleted_at is null) as t
   where e.tenant_id = ${tenant_id} and e.id = ${episode_id}`
