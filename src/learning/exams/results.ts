import type { Lane } from '#foundation/database/database.ts'
import type { Reader } from '#foundation/database/lists.ts'
import type { LearnerResult, QuestionStats, TestStats } from './exam.ts'

/** Learner results per page. */
const RESULTS = 100

/**
 * SQL for the kept percent of each learner with 2 decimals, as in keptScore(), without previews. A mean of exact
 * percents may lie on a half. It is rounded to 10 decimals first, because SQL division is not exact.
 */
export const keptByLearner = (sql: Lane, tenant_id: string, test_ids: string[] | ReturnType<Lane>) => sql`
  select kept.test_id, kept.user_id, kept.attempts, kept.last_submitted_at, kept.pass_mark,
         round(round(kept.percent, 10), 2) as percent
    from (
      select a.test_id, a.user_id, count(*) as attempts, max(a.submitted_at) as last_submitted_at,
             t.pass_mark,
             case t.score_policy
               when 'best' then max(a.percent)
               when 'average' then avg(a.percent)
               when 'first' then (array_agg(a.percent order by a.number) filter (where a.percent is not null))[1]
               else (array_agg(a.percent order by a.number desc) filter (where a.percent is not null))[1] end as percent
        from (select test_id, user_id, number, coalesce(submitted_at, expires_at) as submitted_at,
                     100 * score / nullif(max_score, 0) as percent
                from learning.attempts
               where tenant_id = ${tenant_id} and test_id = any(${test_ids}) and not is_preview
                 and learning.attempt_status(status, expires_at) <> 'open') as a
        join (
          with rated as materialized (
              select t.id, t.score_policy, coalesce(t.passing_percent, c.passing_percent) as pass_mark
                from learning.tests t
                join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id
                join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
               where t.tenant_id = ${tenant_id} and t.id = any(${test_ids}))
          select * from rated) as t on t.id = a.test_id
       group by a.test_id, a.user_id, t.score_policy, t.pass_mark) as kept`

/** Statistics by test id, including tests that nobody has taken yet. */
export async function testStats(
  { sql, read }: Reader,
  tenant_id: string,
  test_ids: string[],
): Promise<Map<string, TestStats>> {
  const found = await read(
    sql<(Omit<TestStats, 'histogram' | 'questions'> & { test_id: string; tenths: number[] })[]>`
    select test_id, sum(attempts)::int as attempt_count, count(*)::int as learner_count,
           round(avg(percent), 2)::float8 as mean_percent,
           round((count(*) filter (where percent >= pass_mark))::numeric / nullif(count(percent), 0), 4)::float8 as pass_rate,
           coalesce(array_agg(least(9, floor(percent / 10))::int) filter (where percent is not null), '{}') as tenths
      from (${keptByLearner(sql, tenant_id, test_ids)}) as learners
     group by test_id`,
  )
  const stats = new Map(test_ids.map((id): [string, TestStats] => [id, noStats()]))
  for (const { test_id, tenths, ...rest } of found) {
    const histogram = Array.from({ length: 10 }, () => 0)
    for (const tenth of tenths) histogram[tenth] = (histogram[tenth] ?? 0) + 1
    stats.set(test_id, { ...rest, histogram })
  }
  return stats
}

const noStats = (): TestStats => ({
  attempt_count: 0,
  learner_count: 0,
  mean_percent: null,
  pass_rate: null,
  histogram: Array.from({ length: 10 }, () => 0),
})

/** One page of learners, latest submission first, and the total number of learners. */
export async function learnerResults(
  { sql, read }: Reader,
  tenant_id: string,
  test_id: string,
  page: number,
) {
  const learners = keptByLearner(sql, tenant_id, [test_id])
  const [results, [counted]] = await Promise.all([
    read(sql<LearnerResult[]>`
      select l.user_id, n.user_email, l.attempts::int, l.percent::float8 as kept_percent,
             l.percent >= l.pass_mark as passed, l.last_submitted_at
        from (select * from (${learners}) as every order by last_submitted_at desc, user_id
               limit ${RESULTS} offset ${(page - 1) * RESULTS}) as l
        left join learning.enrollments n
          on n.tenant_id = ${tenant_id} and n.user_id = l.user_id and n.channel_id = (
               select e.channel_id from learning.tests t
                 join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id
                where t.tenant_id = ${tenant_id} and t.id = ${test_id})
       order by l.last_submitted_at desc, l.user_id`),
    read(sql<{ total: number }[]>`
      select count(distinct user_id)::int as total from learning.attempts
       where tenant_id = ${tenant_id} and test_id = ${test_id} and not is_preview
         and learning.attempt_status(status, expires_at) <> 'open'`),
  ])
  return { results: [...results], total: counted?.total ?? 0 }
}

/**
 * Item analysis of the live questions over each learner's first attempt, if it was graded: how many met the question,
 * the mean part of its points (difficulty), the correlation with the rest of the score (discrimination, null if one
 * of the two never varies), and how often each option was chosen.
 */
export async function questionStats(
  { sql, read }: Reader,
  tenant_id: string,
  test_id: string,
): Promise<QuestionStats[]> {
  const first = sql`
    select * from (
      select distinct on (user_id) status, score, answers, results from learning.attempts
       where tenant_id = ${tenant_id} and test_id = ${test_id} and not is_preview and status <> 'open'
       order by user_id, number) as earliest
     where status = 'graded'`
  const rows = await read(
    sql<(Omit<QuestionStats, 'options'> & { options: { id: string }[]; chosen: Record<string, number> })[]>`
    with met as materialized (
      select (result ->> 'question_id')::uuid as question_id, (result ->> 'points_awarded')::numeric as awarded,
             (result ->> 'points')::numeric as points, score, answers -> (result ->> 'question_id') as answer
        from (${first}) as f, jsonb_array_elements(f.results) as result),
    item as (
      select question_id, count(*)::int as n, round(avg(awarded / points), 4)::float8 as difficulty,
             round(corr(awarded::float8, (score - awarded)::float8)::numeric, 4)::float8 as discrimination
        from met group by question_id),
    choice as (
      select question_id, jsonb_object_agg(option, times) as chosen from (
        select met.question_id, option, count(*) as times
          from met join learning.questions q on q.tenant_id = ${tenant_id} and q.id = met.question_id
                    and q.type in ('single_choice', 'multiple_choice'),
               jsonb_array_elements_text(case jsonb_typeof(answer) when 'array' then answer
                                              when 'string' then jsonb_build_array(answer) else '[]' end) as option
         group by met.question_id, option) as counted
       group by question_id)
    select q.id as question_id, coalesce(item.n, 0) as n, item.difficulty, item.discrimination,
           coalesce(v.body -> 'options', '[]') as options, coalesce(choice.chosen, '{}') as chosen
      from learning.questions q
      join learning.question_versions v on v.tenant_id = q.tenant_id and v.question_id = q.id and v.version = q.version
      left join item on item.question_id = q.id
      left join choice on choice.question_id = q.id
     where q.tenant_id = ${tenant_id} and q.test_id = ${test_id} and q.deleted_at is null
     order by q.position, q.id`,
  )
  return rows.map(({ options, chosen, ...stats }) => ({
    ...stats,
    options: options.map(({ id }) => ({ id, share: shareOf(chosen[id] ?? 0, stats.n) })),
  }))
}

const shareOf = (times: number, n: number) => (n === 0 ? 0 : Math.round((times / n) * 10_000) / 10_000)
