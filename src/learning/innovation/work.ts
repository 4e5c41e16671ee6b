import type { Lane } from '#foundation/database/database.ts'
import { cutAt } from '#foundation/web/client/cut.ts'
import type { KeyOption } from '../exams/kinds/choice.ts'
import { type Finding, rounded, type Target } from '../finding.ts'
import { normalised } from './words.ts'

type TestRow = {
  channel_id: string
  episode_id: string
  id: string
  title: string
  status: string
  question_count: number
  shuffle_options: boolean
}
type ChoiceRow = { test_id: string; id: string; type: string; prompt: string; body: { options: KeyOption[] } }
type HomeworkRow = { channel_id: string; episode_id: string; id: string; title: string }

/** The least number of single-choice questions for a pattern, and the least share of keys at the same position. */
const PATTERN = { questions: 8, share: 0.6 }

export async function workFindings(sql: Lane, tenant_id: string, channel_ids: string[]): Promise<Finding[]> {
  const live = sql`
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null
     where e.tenant_id = ${tenant_id} and e.channel_id = any(${channel_ids}) and e.deleted_at is null`
  const [tests, choices, homework] = await Promise.all([
    sql<TestRow[]>`
      select e.channel_id, t.episode_id, t.id, t.title, t.status, t.question_count, t.shuffle_options
        from learning.tests t
        join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id ${live} and t.deleted_at is null
       order by t.id`,
    sql<ChoiceRow[]>`
      with test as materialized (
        select t.id from learning.tests t
          join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id ${live} and t.deleted_at is null)
      select q.test_id, q.id, q.type, v.prompt, v.body
        from test
        join learning.questions q on q.tenant_id = ${tenant_id} and q.test_id = test.id
         and q.deleted_at is null and q.type in ('single_choice', 'multiple_choice')
        join learning.question_versions v on v.tenant_id = q.tenant_id and v.question_id = q.id and v.version = q.version
       order by q.test_id, q.position, q.id`,
    sql<HomeworkRow[]>`
      select e.channel_id, h.episode_id, h.id, h.title
        from learning.homework h
        join learning.episodes e on e.tenant_id = h.tenant_id and e.id = h.episode_id ${live}
         and h.deleted_at is null and h.due_at is null
       order by h.id`,
  ])
  const choicesOf = Map.groupBy(choices, ({ test_id }) => test_id)
  return [
    ...tests.flatMap((test) => ofTest(test, choicesOf.get(test.id) ?? [])),
    ...homework.map((row): Finding => ({
      kind: 'homework_without_due_date',
      severity: 'info',
      title: `“${row.title}” has no due date`,
      body: 'Work without a date tends to be left for later. Set a date, even a soft one.',
      evidence: { episode_id: row.episode_id },
      channel_id: row.channel_id,
      target: { type: 'homework', id: row.id, title: row.title },
      confidence: 0.5,
    })),
  ]
}

function ofTest(test: TestRow, choices: ChoiceRow[]): Finding[] {
  const { episode_id } = test
  const target: Target = { type: 'test', id: test.id, title: test.title }
  const common = { channel_id: test.channel_id, target }
  const found: Finding[] = []
  if (test.status === 'published' && test.question_count === 0)
    found.push({
      ...common,
      kind: 'test_without_questions',
      severity: 'critical',
      title: `The test “${test.title}” is published without questions`,
      body: 'Learners can open it, and there is nothing to answer. Add questions, or make it a draft until there are some.',
      evidence: { questions: 0, episode_id },
      patch: { status: 'draft' },
      confidence: 1,
    })
  if (test.question_count === 1 || test.question_count === 2)
    found.push({
      ...common,
      kind: 'test_few_questions',
      severity: 'info',
      title: `The test “${test.title}” has ${test.question_count === 1 ? 'one question' : 'two questions'}`,
      body: 'One guess decides here. Three to five questions tell more about what was understood.',
      evidence: { questions: test.question_count, episode_id },
      confidence: 0.7,
    })
  const bias = keyBias(choices)
  if (bias)
    found.push({
      ...common,
      kind: 'question_key_position_bias',
      severity: 'info',
      title: `The right answer often stands at place ${bias.position} in “${test.title}”`,
      body: test.shuffle_options
        ? 'The options are shuffled for each attempt, so learners do not see it; other readers of the questions do. Spread the right answers.'
        : 'Whoever notices need not know the subject. Let the options be shuffled for each attempt, or spread the right answers.',
      evidence: { ...bias, shuffle_options: test.shuffle_options, episode_id },
      ...(test.shuffle_options ? undefined : { patch: { shuffle_options: true } }),
      confidence: 0.7,
      metric: bias.share,
    })
  for (const { id, prompt, body } of choices) {
    const repeated = firstRepeated((body.options ?? []).map(({ text }) => normalised(text)))
    if (repeated === undefined) continue
    found.push({
      channel_id: test.channel_id,
      target: { type: 'question', id, title: cutAt(prompt, 200) },
      kind: 'question_duplicate_options',
      severity: 'warning',
      title: 'Two options of a question say the same',
      body: 'Learners cannot tell which of the two is meant. Reword or remove one.',
      evidence: { option: repeated, episode_id, test_id: test.id },
      confidence: 1,
    })
  }
  return found
}

/**
 * The most frequent position of the correct option in single-choice questions, if it is a pattern. Positions count from
 * 1.
 */
function keyBias(choices: ChoiceRow[]) {
  const places = choices
    .filter(({ type }) => type === 'single_choice')
    .map(({ body }) => (body.options ?? []).findIndex(({ correct }) => correct) + 1)
  if (places.length < PATTERN.questions) return undefined
  const [most] = [...Map.groupBy(places, (place) => place)].toSorted(([, a], [, b]) => b.length - a.length)
  if (!most || most[1].length / places.length < PATTERN.share) return undefined
  const [position, keys] = most
  return {
    position,
    keys: keys.length,
    questions: places.length,
    share: rounded(keys.length / places.length),
  }
}

const firstRepeated = (texts: string[]) => texts.find((text, index) => texts.indexOf(text) < index)
