import type { Lane } from '#foundation/database/database.ts'
import { cutAt } from '#foundation/web/client/cut.ts'
import { type Finding, rounded, type Severity } from '../finding.ts'

type ItemRow = {
  channel_id: string
  episode_id: string
  test_id: string
  id: string
  prompt: string
  n: number
  difficulty: number
  /** Null when the question or the rest of the score never varies. */
  discrimination: number | null
  /** How many learners chose each wrong option; null for questions without options. */
  wrong: { id: string; text: string; times: number }[] | null
}

/** With fewer learners the numbers are noise. */
const LEARNERS = 20

/**
 * Classical item analysis over the first graded attempt of each learner, as the results page of a test shows it.
 * Editors are left out. The materialized parts make PostgreSQL count once and not once per question.
 */
export async function answerFindings(
  sql: Lane,
  tenant_id: string,
  channel_ids: string[],
): Promise<Finding[]> {
  const rows = await sql<ItemRow[]>`
    with test as materialized (
      select t.id, t.episode_id, e.channel_id
        from learning.tests t
        join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id and e.deleted_at is null
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null
       where t.tenant_id = ${tenant_id} and e.channel_id = any(${channel_ids}) and t.deleted_at is null),
    first as materialized (
      select * from (
        select distinct on (a.test_id, a.user_id) a.test_id, test.channel_id, a.status, a.score, a.answers, a.results
          from test
          join learning.attempts a on a.tenant_id = ${tenant_id} and a.test_id = test.id and not a.is_preview
           and a.status <> 'open'
         order by a.test_id, a.user_id, a.number) as earliest
       where status = 'graded'),
    met as materialized (
      select first.channel_id, (result ->> 'question_id')::uuid as question_id, first.score,
             (result ->> 'points_awarded')::numeric as awarded, (result ->> 'points')::numeric as points,
             first.answers -> (result ->> 'question_id') as answer
        from first, jsonb_array_elements(first.results) as result),
    item as materialized (
      select channel_id, question_id, count(*)::int as n, avg(awarded / points)::float8 as difficulty,
             corr(awarded::float8, (score - awarded)::float8) as discrimination
        from met group by channel_id, question_id having count(*) >= ${LEARNERS}),
    chosen as materialized (
      select met.question_id, option, count(*)::int as times
        from met join item using (question_id),
             jsonb_array_elements_text(case jsonb_typeof(answer) when 'array' then answer
                                            when 'string' then jsonb_build_array(answer) else '[]' end) as option
       group by met.question_id, option)
    select item.channel_id, test.episode_id, q.test_id, q.id, v.prompt, item.n, item.difficulty, item.discrimination,
           (select json_agg(json_build_object('id', shown.option ->> 'id', 'text', shown.option ->> 'text',
                                              'times', coalesce(chosen.times, 0)) order by shown.place)
              from jsonb_array_elements(v.body -> 'options') with ordinality as shown(option, place)
              left join chosen on chosen.question_id = q.id and chosen.option = shown.option ->> 'id'
             where not (shown.option ->> 'correct')::boolean) as wrong
      from item
      join learning.questions q on q.tenant_id = ${tenant_id} and q.id = item.question_id and q.deleted_at is null
      join learning.question_versions v on v.tenant_id = q.tenant_id and v.question_id = q.id and v.version = q.version
      join test on test.id = q.test_id
     order by q.id`
  return rows.flatMap(ofQuestion)
}

function ofQuestion(row: ItemRow): Finding[] {
  const { n, difficulty, discrimination } = row
  const found: Finding[] = []
  const add = (
    kind: string,
    severity: Severity,
    confidence: number,
    metric: number,
    words: { title: string; body: string; evidence?: object; item?: string },
  ) =>
    found.push({
      channel_id: row.channel_id,
      target: { type: 'question', id: row.id, title: cutAt(row.prompt, 200) },
      kind,
      severity,
      confidence,
      metric: rounded(metric),
      ...words,
      evidence: {
        learners: n,
        difficulty: rounded(difficulty),
        discrimination: discrimination === null ? null : rounded(discrimination),
        ...words.evidence,
        episode_id: row.episode_id,
        test_id: row.test_id,
      },
    })
  if (difficulty < 0.3)
    add('question_too_hard', 'warning', 0.7, 1 - difficulty, {
      title: `Only ${percent(difficulty)} of the points were reached on a question`,
      body: 'Check that the key is right, that the wording is clear, and that the episode teaches what is asked.',
    })
  if (difficulty > 0.95)
    add('question_too_easy', 'info', 0.6, difficulty, {
      title: `${percent(difficulty)} of the points were reached on a question`,
      body: 'Nearly everybody knows it. It may serve as a warm-up; otherwise ask for something one has to have learned.',
    })
  if (discrimination !== null && discrimination < 0)
    add('question_wrong_key', 'critical', Math.min(0.95, 0.6 - discrimination), -discrimination, {
      title: 'A question may have the wrong key',
      body: 'Whoever does well on the rest of the test gets this question wrong more often than the others. Check which answer is marked as right; changing the key grades earlier attempts again.',
    })
  if (discrimination !== null && discrimination >= 0 && discrimination <= 0.1)
    add('question_low_discrimination', 'warning', 0.5, 0.1 - discrimination, {
      title: 'A question does not tell who understood',
      body: 'Those who do well on the rest of the test answer it no better than the others. Look for an unclear wording or a second right answer.',
    })
  for (const { id, text, times } of row.wrong ?? [])
    if (times / n < 0.02)
      add('distractor_unused', 'info', 0.6, 1 - times / n, {
        item: id,
        title: 'A wrong option is chosen by hardly anybody',
        body: 'An option that nobody takes does not test anything. Replace it by a mistake that learners really make.',
        evidence: { option: text, share: rounded(times / n) },
      })
  return found
}

const percent = (part: number) => `${Math.round(part * 100)} %`
