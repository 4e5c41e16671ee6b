import { randomInt } from 'node:crypto'
import { type Static, type TSchema, Type } from 'typebox'
import type { Lane } from '#foundation/database.ts'
import { collectFaults } from '../values.ts'
import { cleanQuestion } from '../exams/question-content.ts'
import type { AgentType, Finding, Target } from '../finding.ts'
import type { Question } from './chat.ts'
import { type CourseText, readCourseTexts } from './course-text.ts'
import { fenced, SYSTEM } from './prompts.ts'

/** One thing to ask the model, and what its answer becomes; undefined when the answer is of no use. */
export type Task = {
  question: Question<TSchema>
  /** What the answer will be about, to tell whether it is already on somebody's desk. */
  subject: Pick<Finding, 'kind' | 'target' | 'item'>
  read: (answer: unknown) => Finding | undefined
}

type Draft<T extends TSchema> = {
  kind: string
  about: Finding
  target?: Target
  item?: string
  schema: T
  ask: string
  text: string
  title: string
  body: (answer: Static<T>) => string
  patch?: (answer: Static<T>) => object | undefined
  confidence?: number
}

const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Form = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, { additionalProperties: false })

const Title = Form({ title: Line(200) })
const Description = Form({ description: Type.String({ minLength: 20, maxLength: 2_000 }) })
const Chapters = Form({
  chapters: Type.Array(Form({ start_seconds: Type.Number({ minimum: 0 }), title: Line(200) }), {
    minItems: 2,
    maxItems: 30,
  }),
})
const Questions = Form({
  questions: Type.Array(
    Form({
      prompt: Line(1_000),
      options: Type.Array(Form({ text: Line(500), correct: Type.Boolean() }), { minItems: 3, maxItems: 5 }),
      explanation: Type.String({ maxLength: 1_000 }),
    }),
    { minItems: 3, maxItems: 5 },
  ),
})
const Distractor = Form({ text: Line(500) })
const Explanation = Form({ explanation: Line(2_000) })
const Wording = Form({ prompt: Line(2_000) })
const Message = Form({ message: Type.String({ minLength: 20, maxLength: 1_500 }) })
const Summary = Form({ summary: Type.String({ minLength: 20, maxLength: 2_000 }) })

/**
 * What to ask a model about these findings, the most useful first. Only course text and aggregates are told: no names, no
 * addresses, no ids, nothing that learners wrote.
 */
export async function planTasks(
  sql: Lane,
  agent: AgentType,
  tenant_id: string,
  channel_ids: string[],
  findings: readonly Finding[],
): Promise<Task[]> {
  const known = findings.filter(({ channel_id }) => channel_ids.includes(channel_id))
  if (agent === 'engagement') return engagementTasks(known)
  const about = known.filter(({ kind }) => kind in ASK)
  const texts = await readCourseTexts(
    sql,
    tenant_id,
    about.map(({ target }) => target),
  )
  return about
    .toSorted((a, b) => (ASK[a.kind]?.rank ?? 0) - (ASK[b.kind]?.rank ?? 0))
    .flatMap((finding) => {
      const text = texts.get(finding.target.id)
      return (text && ASK[finding.kind]?.tasks(finding, text)) ?? []
    })
}

/** Which findings a model can help with, and in which order it is asked. */
const ASK: Record<string, { rank: number; tasks: (finding: Finding, text: CourseText) => Task[] }> = {
  title_placeholder: { rank: 1, tasks: (about, text) => [titleTask(about, text)] },
  test_without_questions: { rank: 2, tasks: (about, text) => questionTasks(about, text) },
  test_few_questions: { rank: 3, tasks: (about, text) => questionTasks(about, text) },
  question_too_hard: {
    rank: 4,
    tasks: (about, text) => [wordingTask(about, text), ...explanationTasks(about, text)],
  },
  question_low_discrimination: { rank: 5, tasks: (about, text) => [wordingTask(about, text)] },
  distractor_unused: { rank: 6, tasks: (about, text) => distractorTasks(about, text) },
  description_short: { rank: 7, tasks: (about, text) => [descriptionTask(about, text)] },
  video_missing_chapters: { rank: 8, tasks: (about, text) => chapterTasks(about, text) },
}

function task<T extends TSchema>(draft: Draft<T>): Task {
  const {
    kind,
    about,
    target = about.target,
    item,
    schema,
    ask,
    text,
    title,
    body,
    patch,
    confidence = 0.4,
  } = draft
  return {
    question: { name: kind, schema, system: SYSTEM, text: `${ask}\n\n${fenced(text)}` },
    subject: { kind, target, ...(item === undefined ? undefined : { item }) },
    read: (given) => {
      // The answer was validated against the schema of the question.
      const answer = given as Static<T>
      const change = patch?.(answer)
      if (patch && !change) return undefined
      return {
        kind,
        severity: 'info',
        title,
        body: body(answer),
        evidence: { because: about.kind },
        channel_id: about.channel_id,
        target,
        ...(item === undefined ? undefined : { item }),
        ...(change ? { patch: change } : undefined),
        confidence,
      }
    },
  }
}

const titleTask = (about: Finding, text: CourseText) =>
  task({
    kind: 'draft_title',
    about,
    schema: Title,
    ask: `Propose a title for this ${about.target.type} in the language of its text: concrete, at most 60 characters.`,
    text: text.text,
    title: `A title for “${about.target.title}”`,
    body: ({ title }) => `Proposed: “${title}”`,
    patch: ({ title }) => (title.trim() === '' ? undefined : { title: title.trim() }),
  })

/** An episode with a transcript is summarised; otherwise the description is drawn from what else there is. */
const descriptionTask = (about: Finding, text: CourseText) =>
  task({
    kind: text.transcript === '' ? 'draft_description' : 'draft_summary',
    about,
    schema: Description,
    ask:
      text.transcript === ''
        ? `Write a description of this ${about.target.type} in two or three sentences, in the language of its text: what is taught, for whom, what one can do afterwards. Claim nothing that the text does not say.`
        : 'Summarise this episode in three to five sentences for its description, in the language of its transcript. Claim nothing that the transcript does not say.',
    text: text.transcript === '' ? text.text : `${text.text}\n\nTranscript:\n${text.transcript}`,
    title: `A description for “${about.target.title}”`,
    body: ({ description }) => description,
    patch: ({ description }) => ({ description }),
  })

function chapterTasks(about: Finding, { text, transcript, duration_seconds }: CourseText): Task[] {
  if (transcript === '' || duration_seconds === null) return []
  return [
    task({
      kind: 'draft_chapters',
      about,
      schema: Chapters,
      ask: `Divide this video of ${Math.floor(duration_seconds)} seconds into chapters, the first at 0. Use the times in the transcript where it has some.`,
      text: `${text}\n\nTranscript:\n${transcript}`,
      title: `Chapters for “${about.target.title}”`,
      body: ({ chapters }) =>
        chapters.map(({ start_seconds, title }) => `${start_seconds} s: ${title}`).join('\n'),
      patch: ({ chapters }) => {
        const starts = chapters.map(({ start_seconds }) => start_seconds)
        const isRising = starts.every(
          (start, index) => start > (starts[index - 1] ?? -1) && start < duration_seconds,
        )
        return isRising ? { chapters } : undefined
      },
      confidence: 0.3,
    }),
  ]
}

function questionTasks(about: Finding, { text, transcript }: CourseText): Task[] {
  if (text.length + transcript.length < 200) return []
  return [
    task({
      kind: 'draft_questions',
      about,
      schema: Questions,
      ask: 'Write three to five single-choice questions that test understanding of this episode, in its language. Exactly one option of each is right, the wrong ones are mistakes that learners really make.',
      text: `${text}\n\nTranscript:\n${transcript}`,
      title: `Questions for “${about.target.title}”`,
      body: ({ questions }) => questions.map(({ prompt }) => `• ${prompt}`).join('\n'),
      patch: ({ questions }) => {
        const drafted = questions.map(({ prompt, options, explanation }) => ({
          type: 'single_choice' as const,
          prompt,
          // Models put the right answer first.
          options: shuffled(options),
          explanation,
        }))
        const faults = collectFaults()
        for (const question of drafted) cleanQuestion(question, faults, '')
        try {
          faults.refuseIfAny()
        } catch {
          return undefined
        }
        return { questions: drafted }
      },
    }),
  ]
}

const wordingTask = (about: Finding, { text, prompt }: CourseText) =>
  task({
    kind: 'draft_plain_wording',
    about,
    schema: Wording,
    ask: 'Reword this question more plainly, in its language, without changing what is asked or which answer is right.',
    text,
    title: 'A plainer wording of a question',
    body: (answer) => `Now: ${prompt}\n\nProposed: ${answer.prompt}`,
    patch: (answer) => ({ prompt: answer.prompt }),
  })

function explanationTasks(about: Finding, { text, explanation }: CourseText): Task[] {
  if (explanation !== '') return []
  return [
    task({
      kind: 'draft_explanation',
      about,
      schema: Explanation,
      ask: 'Explain in two to four sentences why the right answer of this question is right, in its language.',
      text,
      title: 'An explanation for a question',
      body: (answer) => answer.explanation,
      patch: (answer) => ({ explanation: answer.explanation }),
    }),
  ]
}

function distractorTasks(about: Finding, { text, options }: CourseText): Task[] {
  const unused = options.find(({ id }) => id === about.item)
  if (!unused) return []
  return [
    task({
      kind: 'draft_distractors',
      about,
      item: unused.id,
      schema: Distractor,
      ask: `Nobody chooses the wrong option “${unused.text}” of this question. Propose another wrong option that stands for a mistake learners really make, in the language of the question.`,
      text,
      title: 'Another wrong option for a question',
      body: (answer) => `Instead of “${unused.text}”: ${answer.text}`,
      patch: (answer) => ({
        options: options.map((option) =>
          option.id === unused.id ? { ...option, text: answer.text } : option,
        ),
      }),
    }),
  ]
}

/** What can be said about learners without saying who they are: kinds and counts. */
function engagementTasks(findings: readonly Finding[]): Task[] {
  const byChannel = [...Map.groupBy(findings, ({ channel_id }) => channel_id).values()]
  return byChannel.flatMap((found) => {
    const [first] = found
    if (!first) return []
    const facts = found
      .map(({ kind, evidence }) => `${kind}: ${JSON.stringify(aggregates(evidence))}`)
      .join('\n')
    const target: Target = found.find(({ target: { type } }) => type === 'channel')?.target ?? {
      type: 'channel',
      id: first.channel_id,
      title: '',
    }
    const text = `Channel: ${target.title}\n${facts}`
    const nudged = found.find(({ kind }) => kind === 'learner_inactive' || kind === 'learner_never_started')
    return [
      ...(nudged
        ? [
            task({
              kind: 'draft_nudge',
              about: nudged,
              schema: Message,
              ask: 'Write a short, friendly message to learners of this channel who stayed away, without names, without blame, with one small next step.',
              text,
              title: `A message to learners of “${target.title}”`,
              body: ({ message }) => message,
            }),
          ]
        : []),
      task({
        kind: 'cohort_summary',
        about: first,
        target,
        schema: Summary,
        ask: 'Summarise for the teacher, in three to five sentences, how the learners of this channel are doing, and what to do first.',
        text,
        title: `How the learners of “${target.title}” are doing`,
        body: ({ summary }) => summary,
      }),
    ]
  })
}

/** The numbers of the evidence: people stand in it as a list. */
const aggregates = (evidence: Finding['evidence']) =>
  Object.fromEntries(Object.entries(evidence).filter(([, value]) => typeof value === 'number'))

/** Fisher and Yates. */
function shuffled<T>(values: readonly T[]): T[] {
  const result = [...values]
  for (let index = result.length - 1; index > 0; index--) {
    const other = randomInt(index + 1)
    const [a, b] = [result[index], result[other]]
    if (a !== undefined && b !== undefined) [result[index], result[other]] = [b, a]
  }
  return result
}
