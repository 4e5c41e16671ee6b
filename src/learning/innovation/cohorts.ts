import type { Lane } from '#foundation/database/database.ts'
import { type Finding, rounded, type Target } from '../finding.ts'

type CohortRow = {
  channel_id: string
  title: string
  learners: number
  /** Learners who enrolled more than 30 days ago, and how many of them completed. */
  settled: number
  settled_completed: number
  idle: number
  backlog: number
  oldest_days: number | null
  stops: { episode_id: string; title: string; stopped: number; started: number } | null
  busiest: { weekday: number; hour: number; learners: number; among: number } | null
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/**
 * What the learners of a channel do as a group, without its editors. Weekday and hour are UTC, because the service
 * knows no other time zone.
 */
export async function cohortFindings(
  sql: Lane,
  tenant_id: string,
  channel_ids: string[],
): Promise<Finding[]> {
  const rows = await sql<CohortRow[]>`
    with channel as materialized (
      select c.id, c.title from learning.channels c
       where c.tenant_id = ${tenant_id} and c.id = any(${channel_ids}) and c.deleted_at is null and c.status = 'published'),
    episode as materialized (
      select e.id, e.channel_id, e.title, row_number() over (partition by e.channel_id order by e.position, e.id) as place
        from learning.episodes e join channel on channel.id = e.channel_id
       where e.tenant_id = ${tenant_id} and e.deleted_at is null and learning.is_released(e.status, e.release_at)),
    learner as materialized (
      select n.channel_id, n.user_id, n.enrolled_at, n.completed_at,
             n.source = 'auto' or n.last_activity_at > n.enrolled_at as has_started
        from learning.enrollments n join channel on channel.id = n.channel_id
       where n.tenant_id = ${tenant_id} and not n.as_admin
         and not learning.is_editor(n.tenant_id, n.user_id, n.channel_id)),
    cohort as (
      select channel_id, count(*)::int as learners,
             (count(*) filter (where enrolled_at < statement_timestamp() - interval '30 days'))::int as settled,
             (count(*) filter (where enrolled_at < statement_timestamp() - interval '30 days'
                                 and completed_at is not null))::int as settled_completed,
             (count(*) filter (where not has_started))::int as idle
        from learner group by channel_id),
    furthest as materialized (
      select learner.channel_id, learner.user_id, learner.completed_at, max(episode.place) as place
        from learner
        join episode on episode.channel_id = learner.channel_id
        join learning.progress w
          on w.tenant_id = ${tenant_id} and w.episode_id = episode.id and w.user_id = learner.user_id
       group by learner.channel_id, learner.user_id, learner.completed_at),
    stop as materialized (
      select distinct on (channel_id) channel_id, place, stopped, started
        from (select channel_id, place, (count(*) filter (where completed_at is null))::int as stopped,
                     (sum(count(*)) over (partition by channel_id))::int as started
                from furthest group by channel_id, place) as counted
       where started >= 20 and stopped >= 0.2 * started
         and exists (select from episode where episode.channel_id = counted.channel_id and episode.place = 2)
       order by channel_id, stopped desc, place),
    waiting as materialized (
      select episode.channel_id, count(*)::int as backlog,
             floor(extract(epoch from statement_timestamp() - min(s.submitted_at)) / 86400)::int as oldest_days
        from episode
        join learning.homework h on h.tenant_id = ${tenant_id} and h.episode_id = episode.id and h.deleted_at is null
        join learning.submissions s
          on s.tenant_id = h.tenant_id and s.homework_id = h.id and s.is_current and not s.is_preview
         and s.status = 'submitted' and s.submitted_at < statement_timestamp() - interval '3 days'
       group by episode.channel_id),
    moment as materialized (
      select channel_id, user_id, extract(isodow from at)::int as weekday, extract(hour from at)::int as hour
        from (
          select episode.channel_id, w.user_id, seen.at at time zone 'UTC' as at
            from episode
            join learning.progress w on w.tenant_id = ${tenant_id} and w.episode_id = episode.id,
                 lateral (values (w.first_beat_at), (w.updated_at)) as seen(at)
          union all
          select episode.channel_id, s.user_id, s.submitted_at at time zone 'UTC'
            from episode
            join learning.homework h on h.tenant_id = ${tenant_id} and h.episode_id = episode.id
            join learning.submissions s on s.tenant_id = h.tenant_id and s.homework_id = h.id
          union all
          select episode.channel_id, a.user_id, a.opened_at at time zone 'UTC'
            from episode
            join learning.tests t on t.tenant_id = ${tenant_id} and t.episode_id = episode.id
            join learning.attempts a on a.tenant_id = t.tenant_id and a.test_id = t.id) as acts
       where exists (select from learner where learner.channel_id = acts.channel_id and learner.user_id = acts.user_id)),
    active as (select channel_id, count(distinct user_id)::int as learners from moment group by channel_id),
    busiest as materialized (
      select distinct on (channel_id) channel_id, weekday, hour, learners, among
        from (select moment.channel_id, weekday, hour, count(distinct user_id)::int as learners, active.learners as among
                from moment join active on active.channel_id = moment.channel_id and active.learners >= 20
               group by moment.channel_id, weekday, hour, active.learners) as counted
       order by channel_id, learners desc, weekday, hour)
    select channel.id as channel_id, channel.title, cohort.learners, cohort.settled, cohort.settled_completed, cohort.idle,
           coalesce(waiting.backlog, 0) as backlog, waiting.oldest_days,
           (select json_build_object('episode_id', episode.id, 'title', episode.title, 'stopped', stop.stopped,
                                     'started', stop.started)
              from stop join episode on episode.channel_id = stop.channel_id and episode.place = stop.place
             where stop.channel_id = channel.id) as stops,
           (select json_build_object('weekday', weekday, 'hour', hour, 'learners', learners, 'among', among)
              from busiest where busiest.channel_id = channel.id) as busiest
      from channel
      join cohort on cohort.channel_id = channel.id
      left join waiting on waiting.channel_id = channel.id
     order by channel.id`
  return rows.flatMap(ofCohort)
}

function ofCohort(row: CohortRow): Finding[] {
  const target: Target = { type: 'channel', id: row.channel_id, title: row.title }
  const common = { channel_id: row.channel_id, target }
  const found: Finding[] = []
  if (row.stops) {
    const { episode_id, title, stopped, started } = row.stops
    found.push({
      ...common,
      target: { type: 'episode', id: episode_id, title },
      kind: 'episode_drop_off',
      severity: 'warning',
      title: `${stopped} of ${started} learners stopped at “${title}”`,
      body: 'More people end here than anywhere else in the channel. Look at its length, and at what it takes for granted.',
      evidence: { stopped, started, share: rounded(stopped / started) },
      confidence: 0.6,
      metric: rounded(stopped / started),
    })
  }
  const completion = row.settled_completed / row.settled
  if (row.settled >= 20 && completion < 0.4)
    found.push({
      ...common,
      kind: 'completion_rate_low',
      severity: 'warning',
      title: `${Math.round(completion * 100)} % of the learners of “${row.title}” complete it`,
      body: 'Counted are those who enrolled more than 30 days ago. See where they stop, and whether the whole is too long for what the title promises.',
      evidence: { enrolled: row.settled, completed: row.settled_completed, rate: rounded(completion) },
      confidence: 0.6,
      metric: rounded(1 - completion),
    })
  if (row.backlog > 0)
    found.push({
      ...common,
      kind: 'grading_backlog',
      severity: 'warning',
      title: `${row.backlog === 1 ? 'One submission waits' : `${row.backlog} submissions wait`} for a grade in “${row.title}”`,
      body: 'They were handed in more than three days ago. Learners go on better with an early word than with a late grade.',
      evidence: { submissions: row.backlog, oldest_days: row.oldest_days },
      confidence: 1,
      metric: row.backlog,
    })
  if (row.learners >= 10 && row.idle / row.learners >= 0.5)
    found.push({
      ...common,
      kind: 'enrolled_without_activity',
      severity: 'info',
      title: `${row.idle} of ${row.learners} people enrolled in “${row.title}” have done nothing yet`,
      body: 'Perhaps they were enrolled by somebody else, or do not find the beginning. A word of welcome with a link to the first episode helps.',
      evidence: {
        enrolled: row.learners,
        without_activity: row.idle,
        share: rounded(row.idle / row.learners),
      },
      confidence: 0.6,
      metric: rounded(row.idle / row.learners),
    })
  if (row.busiest) {
    const { weekday, hour, learners, among } = row.busiest
    found.push({
      ...common,
      kind: 'best_time',
      severity: 'info',
      title: `Most learn in “${row.title}” on ${WEEKDAYS[weekday - 1]} around ${hour}:00 UTC`,
      body: 'A new episode or a reminder shortly before reaches people when they have time.',
      evidence: { weekday, hour_utc: hour, learners, among },
      confidence: 0.5,
    })
  }
  return found
}
