import type { Lane } from '#foundation/database/database.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import type { ChannelStats } from './channel.ts'

type Week = ChannelStats['weekly_activity'][number] & Omit<ChannelStats, 'weekly_activity'>

/**
 * What the learners of a channel do; undefined when the caller is not an editor of it. A learner who only enrolled has
 * not started: their last activity is the moment of the enrollment.
 */
export async function readStats(
  sql: Lane,
  viewer: Viewer,
  channel_id: string,
): Promise<ChannelStats | undefined> {
  const { tenant_id } = viewer
  const weeks = await sql<Week[]>`
    with channel as (
      select c.id, c.owner_id || c.instructor_ids as editors from learning.channels c, ${editorOf(sql, viewer)}
       where c.tenant_id = ${tenant_id} and c.id = ${channel_id} and ${isVisible(sql, viewer)} and editor.may_edit),
    learners as (
      select n.user_id, n.source = 'auto' or n.last_activity_at > n.enrolled_at as has_started, n.completed_at
        from learning.enrollments n join channel on channel.id = n.channel_id
       where n.tenant_id = ${tenant_id} and n.channel_id = ${channel_id}
         and not n.as_admin and n.user_id <> all(channel.editors)),
    weeks as (
      select (date_trunc('week', statement_timestamp() at time zone 'UTC') - make_interval(weeks => ago))::date as week
        from generate_series(0, 11) as ago),
    activity as (
      select weeks.week, count(distinct d.user_id) as learners, (coalesce(sum(d.watched_ms), 0) / 1000.0)::float8 as watched_seconds
        from weeks
        left join (learning.activity_days d join learners using (user_id))
          on d.tenant_id = ${tenant_id} and d.channel_id = ${channel_id} and d.day >= weeks.week and d.day < weeks.week + 7
       group by weeks.week)
    select activity.*, (select count(*) from learners) as enrolled,
           (select count(*) from learners where has_started) as started,
           (select count(*) from learners where completed_at is not null) as completed
      from channel, activity order by week`
  const [first] = weeks
  return first && { ...first, weekly_activity: weeks }
}
