import type { Lane } from '#foundation/database/database.ts'
import type { Viewer } from '../access/access.ts'
import type { Activity } from './enrollment.ts'

/** Days that are shown. A streak is counted over more days. */
const SHOWN = 84
const FOLLOWED = 366

/** What the caller did on each UTC day in all channels, and the current streak in days. */
export async function readActivity(sql: Lane, { tenant_id, user_id }: Viewer): Promise<Activity> {
  const days = await sql<Activity['days']>`
    with handed_in as (
      select (s.submitted_at at time zone 'UTC')::date as day
        from learning.enrollments n
        join learning.episodes e on e.tenant_id = n.tenant_id and e.channel_id = n.channel_id
        join learning.homework h on h.tenant_id = e.tenant_id and h.episode_id = e.id
        join learning.submissions s on s.tenant_id = h.tenant_id and s.homework_id = h.id and s.user_id = n.user_id
       where n.tenant_id = ${tenant_id} and n.user_id = ${user_id}
      union all
      select (a.submitted_at at time zone 'UTC')::date
        from learning.enrollments n
        join learning.episodes e on e.tenant_id = n.tenant_id and e.channel_id = n.channel_id
        join learning.tests t on t.tenant_id = e.tenant_id and t.episode_id = e.id
        join learning.attempts a on a.tenant_id = t.tenant_id and a.test_id = t.id and a.user_id = n.user_id
       where n.tenant_id = ${tenant_id} and n.user_id = ${user_id} and a.submitted_at is not null)
    select date, coalesce(watched.ms, 0) / 1000.0::float8 as watched_seconds, coalesce(done.actions, 0)::int as actions
      from generate_series(0, ${FOLLOWED - 1}::int) as ago,
           lateral (select (statement_timestamp() at time zone 'UTC')::date - ago as date) as of
      left join (select day, sum(watched_ms)::float8 as ms from learning.activity_days
                  where tenant_id = ${tenant_id} and user_id = ${user_id} group by day) as watched on watched.day = of.date
      left join (select day, count(*) as actions from handed_in group by day) as done on done.day = of.date
     order by date desc`
  return { streak_days: streakOf(days), days: days.slice(0, SHOWN).toReversed() }
}

/** Counts the consecutive active days up to now. The first element is today, which may still be empty. */
function streakOf([today, ...before]: Activity['days']): number {
  const isActive = (day: Activity['days'][number] | undefined) =>
    day !== undefined && (day.watched_seconds > 0 || day.actions > 0)
  const end = before.findIndex((day) => !isActive(day))
  return (end < 0 ? before.length : end) + Number(isActive(today))
}
