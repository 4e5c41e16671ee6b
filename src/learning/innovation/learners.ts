import type { Lane } from '#foundation/database/database.ts'
import { dueFor } from '../access/deadlines.ts'
import { keptByLearner } from '../exams/results.ts'

/** What the engagement agent knows of one learner in one channel. */
export type LearnerRow = {
  channel_id: string
  channel_title: string
  user_id: string
  user_email: string
  is_completed: boolean
  has_started: boolean
  enrolled_days: number
  idle_days: number
  percent: number
  overdue: number
  /** Whether any homework of the channel was handed in. */
  has_handed_in: boolean
  failing: number
  /** Homework whose grade in force is below the pass mark of the channel. */
  low_grades: number
  /** Whether any deadline in the channel is at most three days away. */
  has_deadline: boolean
}

/**
 * The learners of these channels, without editors. Draft and archived channels are left out, because they expect
 * nothing of their learners. A day is 24 hours by the clock of the database.
 */
export const readLearners = (sql: Lane, tenant_id: string, channel_ids: string[]) => sql<LearnerRow[]>`
  with channel as materialized (
    select c.id, c.title, c.passing_percent from learning.channels c
     where c.tenant_id = ${tenant_id} and c.id = any(${channel_ids}) and c.deleted_at is null and c.status = 'published'),
  episode as materialized (
    select e.id, e.channel_id from learning.episodes e join channel on channel.id = e.channel_id
     where e.tenant_id = ${tenant_id} and e.deleted_at is null and learning.is_released(e.status, e.release_at)),
  learner as materialized (
    select n.channel_id, n.user_id, n.user_email, n.completed_at is not null as is_completed,
           n.source = 'auto' or n.last_activity_at > n.enrolled_at as has_started,
           floor(extract(epoch from statement_timestamp() - n.enrolled_at) / 86400)::int as enrolled_days,
           floor(extract(epoch from statement_timestamp() - n.last_activity_at) / 86400)::int as idle_days
      from learning.enrollments n join channel on channel.id = n.channel_id
     where n.tenant_id = ${tenant_id} and not n.as_admin
       and not learning.is_editor(n.tenant_id, n.user_id, n.channel_id)),
  episodes as (select channel_id, count(*) as total from episode group by channel_id),
  done as (
    select episode.channel_id, w.user_id, sum(case when w.completed_at is not null then 1 else w.progress end) as parts
      from episode join learning.progress w on w.tenant_id = ${tenant_id} and w.episode_id = episode.id
     group by episode.channel_id, w.user_id),
  work as materialized (
    select h.tenant_id, h.id, episode.channel_id, h.due_at, h.max_score, h.late_policy, h.late_penalty_percent_per_day,
           h.late_penalty_max_percent, channel.passing_percent
      from learning.homework h
      join episode on episode.id = h.episode_id
      join channel on channel.id = episode.channel_id
     where h.tenant_id = ${tenant_id} and h.deleted_at is null and h.status = 'published'),
  graded as (
    select distinct on (work.id, s.user_id) work.channel_id, s.user_id, work.passing_percent,
           100 * learning.final_score(s.score, work.max_score, learning.late_penalty(
             work.late_policy, learning.seconds_late(s.submitted_at, s.due_at_then, ${dueFor(sql, sql`s.user_id`, sql`work`)}),
             work.late_penalty_percent_per_day, work.late_penalty_max_percent)) / work.max_score as percent
      from work
      join learning.submissions s on s.tenant_id = ${tenant_id} and s.homework_id = work.id and s.status = 'graded'
     where not exists (
             select from learning.submissions c
              where c.tenant_id = s.tenant_id and c.homework_id = s.homework_id and c.user_id = s.user_id
                and c.is_current and c.status = 'returned')
     order by work.id, s.user_id, s.attempt_number desc),
  low as (
    select channel_id, user_id, count(*)::int as times from graded
     where round(percent, 2) < passing_percent group by channel_id, user_id),
  handed_in as (
    select distinct work.channel_id, s.user_id
      from work join learning.submissions s on s.tenant_id = ${tenant_id} and s.homework_id = work.id),
  overdue as (
    select learner.channel_id, learner.user_id, count(*)::int as times
      from learner
      join work on work.channel_id = learner.channel_id
       and ${dueFor(sql, sql`learner.user_id`, sql`work`)} < statement_timestamp()
     where not exists (
             select from learning.submissions s
              where s.tenant_id = ${tenant_id} and s.homework_id = work.id and s.user_id = learner.user_id)
     group by learner.channel_id, learner.user_id),
  test as materialized (
    select t.id, episode.channel_id, t.closes_at from learning.tests t join episode on episode.id = t.episode_id
     where t.tenant_id = ${tenant_id} and t.deleted_at is null and t.status = 'published'),
  failing as (
    select test.channel_id, kept.user_id, count(*)::int as times
      from (${keptByLearner(sql, tenant_id, sql`array(select id from test)`)}) as kept
      join test on test.id = kept.test_id
     where kept.attempts >= 2 and not coalesce(kept.percent >= kept.pass_mark, false)
     group by test.channel_id, kept.user_id),
  deadline as (
    select channel_id from (select channel_id, due_at from work
                            union all select channel_id, closes_at from test) as ending(channel_id, at)
     where at between statement_timestamp() and statement_timestamp() + interval '3 days'
     group by channel_id)
  select learner.*, channel.title as channel_title,
         case when learner.is_completed then 100
              else round(100 * coalesce(done.parts, 0) / nullif(episodes.total, 0), 2) end::float8 as percent,
         coalesce(overdue.times, 0) as overdue, handed_in.user_id is not null as has_handed_in,
         coalesce(low.times, 0) as low_grades, coalesce(failing.times, 0) as failing,
         deadline.channel_id is not null as has_deadline
    from learner
    join channel on channel.id = learner.channel_id
    left join episodes on episodes.channel_id = learner.channel_id
    left join done on done.channel_id = learner.channel_id and done.user_id = learner.user_id
    left join overdue on overdue.channel_id = learner.channel_id and overdue.user_id = learner.user_id
    left join handed_in on handed_in.channel_id = learner.channel_id and handed_in.user_id = learner.user_id
    left join low on low.channel_id = learner.channel_id and low.user_id = learner.user_id
    left join failing on failing.channel_id = learner.channel_id and failing.user_id = learner.user_id
    left join deadline on deadline.channel_id = learner.channel_id
   order by learner.channel_id, learner.user_id`
