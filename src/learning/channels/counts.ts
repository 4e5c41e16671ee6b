import type { Tx } from '#foundation/database/database.ts'

/**
 * What the totals of a tenant's list gain or lose. All channels of a tenant meet at this row: it is the last that a transaction
 * writes, so that nobody waits for longer than a COMMIT.
 */
export async function countChannels(tx: Tx, tenant_id: string, { listed = 0, live = 0 }) {
  if (listed === 0 && live === 0) return
  await tx`
    insert into learning.channel_counts as c (tenant_id, listed, live) values (${tenant_id}, ${listed}, ${live})
    on conflict (tenant_id) do update set listed = c.listed + excluded.listed, live = c.live + excluded.live`
}

/**
 * Who may change the channel, one row each, and how many learners it has, who are the others. After every change of its
 * people and of whether the catalogue shows it; the caller holds the lock of the channel, where enrollments wait.
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
 * The end of every change of homework or tests: how much lies in their episode, all of it and what learners see. The caller
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
