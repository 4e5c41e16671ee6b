import type { Lane } from '#foundation/database/database.ts'
import type { Reader } from '#foundation/database/lists.ts'
import type { Viewer } from '../access/access.ts'
import { closeFor, dueFor, isLongerAtHomework, isLongerAtTest, lockFor } from '../access/deadlines.ts'
import { allowedAttempts } from '../exams/allowed-attempts.ts'
import { type Judged, keptRatio, type ScorePolicy } from '../exams/kept.ts'
import { type Mark, ratio, rounded, times } from './arithmetic.ts'

/** A published homework and the caller's submission as it stands now. `final_score` is text, so that it stays exact. */
export type HomeworkFact = {
  homework_id: string
  episode_id: string
  channel_id: string
  title: string
  max_score: number
  /** What it counts in a grade, in place of its points. */
  weight: number | null
  due_at: string | null
  /** The learner has longer than the others. */
  is_extended: boolean
  /** Submissions are no longer accepted. */
  is_over: boolean
  is_due_soon: boolean
  /** Status of the latest submission; null if there is none. */
  status: 'submitted' | 'graded' | 'returned' | null
  /** The score of the grade in force, after the late penalty. */
  final_score: string | null
  changed_at: string | null
}

/** A published test and the caller's finished attempts. */
export type TestFact = {
  test_id: string
  episode_id: string
  channel_id: string
  title: string
  max_score: number
  weight: number | null
  score_policy: ScorePolicy
  closes_at: string | null
  is_extended: boolean
  /** Closed, or no attempt is left. */
  is_over: boolean
  is_due_soon: boolean
  attempts: Judged[]
  changed_at: string | null
}

/** Episode ids, or SQL that yields an array of them. */
type Ids = string[] | ReturnType<Lane>
type Learners = { tenant_id: string; user_ids: string[] }
export type Facts = { homework: HomeworkFact[]; tests: TestFact[] }

/** All published work in these episodes, with the caller's results. Both statements are sent together. */
export const readFacts = (reader: Reader, { tenant_id, user_id }: Viewer, episode_ids: Ids): Promise<Facts> =>
  readFactsOf(reader, { tenant_id, user_ids: [user_id] }, episode_ids)

/** The same of many people at once; each fact has the `user_id` of its learner. */
export async function readFactsOf({ sql, read }: Reader, learners: Learners, episode_ids: Ids) {
  const [homework, tests] = await Promise.all([
    read(homeworkFacts(sql, learners, episode_ids)),
    read(testFacts(sql, learners, episode_ids)),
  ])
  return { homework, tests }
}

export const marksOf = ({ homework, tests }: Facts) => ({
  homework: homework.map(homeworkMark),
  tests: tests.map(testMark),
})

export const homeworkMark = ({ max_score, weight, final_score }: HomeworkFact): Mark => ({
  max: ratio(max_score),
  weight: weight === null ? undefined : ratio(weight),
  earned: final_score === null ? undefined : ratio(final_score),
})

/** `earned` is the kept part of the points that the test has today. */
export function testMark({ max_score, weight, score_policy, attempts }: TestFact): Mark {
  const kept = keptRatio(score_policy, attempts)
  return {
    max: ratio(max_score),
    weight: weight === null ? undefined : ratio(weight),
    earned: kept && times(kept, ratio(max_score)),
  }
}

export function keptPercent({ score_policy, attempts }: TestFact): number | null {
  const kept = keptRatio(score_policy, attempts)
  return kept ? rounded({ dividend: 100n * kept.dividend, divisor: kept.divisor }) : null
}

const homeworkFacts = (sql: Lane, { tenant_id, user_ids }: Learners, episode_ids: Ids) => sql<
  (HomeworkFact & { user_id: string })[]
>`
  select learner.user_id, h.id as homework_id, h.episode_id, ${channelOf(sql, sql`h.episode_id`, tenant_id)} as channel_id, h.title, h.max_score::float8, h.weight::float8, own.due_at, ${isLongerAtHomework(sql, sql`learner.user_id`)} as is_extended,
         coalesce(least(own.lock_at, case when h.late_policy = 'reject' then own.due_at end) <= statement_timestamp(), false)
           as is_over,
         coalesce(own.due_at > statement_timestamp() and own.due_at <= statement_timestamp() + interval '7 days', false)
           as is_due_soon,
         latest.status, graded.final_score::text, latest.changed_at
    from learning.homework h
   cross join unnest(${user_ids}::text[]) as learner(user_id)
   cross join lateral (
      select ${dueFor(sql, sql`learner.user_id`)} as due_at, ${lockFor(sql, sql`learner.user_id`)} as lock_at) as own
    left join lateral (
      select s.status, s.updated_at as changed_at from learning.submissions s
       where s.tenant_id = h.tenant_id and s.homework_id = h.id and s.user_id = learner.user_id and s.is_current) as latest on true
    left join lateral (
      select learning.final_score(s.score, h.max_score, learning.late_penalty(
               h.late_policy, learning.seconds_late(s.submitted_at, s.due_at_then, own.due_at),
               h.late_penalty_percent_per_day, h.late_penalty_max_percent)) as final_score
        from learning.submissions s
       where s.tenant_id = h.tenant_id and s.homework_id = h.id and s.user_id = learner.user_id and s.status = 'graded'
       order by s.attempt_number desc limit 1) as graded on latest.status <> 'returned'
   where h.tenant_id = ${tenant_id} and h.episode_id = any(${episode_ids}) and h.deleted_at is null
     and h.status = 'published'
   order by h.created_at, h.id, learner.user_id`

const testFacts = (sql: Lane, { tenant_id, user_ids }: Learners, episode_ids: Ids) => sql<
  (TestFact & { user_id: string })[]
>`
  select learner.user_id, t.id as test_id, t.episode_id, ${channelOf(sql, sql`t.episode_id`, tenant_id)} as channel_id, t.title, t.max_score::float8, t.weight::float8, t.score_policy, own.closes_at, ${isLongerAtTest(sql, sql`learner.user_id`)} as is_extended,
         coalesce(own.closes_at <= statement_timestamp(), false)
           or (t.max_attempts > 0 and jsonb_array_length(taken.attempts) >= ${allowedAttempts(sql, sql`learner.user_id`)}) as is_over,
         coalesce(own.closes_at > statement_timestamp() and own.closes_at <= statement_timestamp() + interval '7 days', false)
           as is_due_soon,
         taken.attempts, taken.changed_at
    from learning.tests t, unnest(${user_ids}::text[]) as learner(user_id),
         lateral (select ${closeFor(sql, sql`learner.user_id`)} as closes_at) as own,
         lateral (
           select coalesce(jsonb_agg(jsonb_build_object('number', a.number, 'score', a.score, 'max_score', a.max_score)), '[]')
                    as attempts,
                  max(coalesce(a.regraded_at, a.submitted_at, a.expires_at)) as changed_at
             from learning.attempts a
            where a.tenant_id = t.tenant_id and a.test_id = t.id and a.user_id = learner.user_id
              and learning.attempt_status(a.status, a.expires_at) <> 'open') as taken
   where t.tenant_id = ${tenant_id} and t.episode_id = any(${episode_ids}) and t.deleted_at is null
     and t.status = 'published'
   order by t.created_at, t.id, learner.user_id`

const channelOf = (sql: Lane, episode_id: ReturnType<Lane>, tenant_id: string) =>
  sql`(select e.channel_id from learning.episodes e where e.tenant_id = ${tenant_id} and e.id = ${episode_id})`
