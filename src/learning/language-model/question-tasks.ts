import { randomInt } from 'node:crypto'
import { Type } from 'typebox'
import { cleanQuestion } from '../exams/question-content.ts'
import type { Finding } from '../finding.ts'
import { collectFaults } from '../values.ts'
import type { CourseText } from './course-text.ts'
import { Form, Line, type Task, task } from './task.ts'

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

export function questionTasks(about: Finding, { text, transcript }: CourseText): Task[] {
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
          // Models tend to put the right answer first.
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

export const wordingTask = (about: Finding, { text, prompt }: CourseText) =>
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

export function explanationTasks(about: Finding, { text, explanation }: CourseText): Task[] {
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

export function distractorTasks(about: Finding, { text, options }: CourseText): Task[] {
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

/** Fisher–Yates shuffle. */
function shuffled<T>(values: readonly T[]): T[] {
  const result = [...values]
  for (let index = result.length - 1; index > 0; index--) {
    const other = randomInt(index + 1)
    const [a, b] = [result[index], result[other]]
    if (a !== undefined && b !== undefined) [result[index], result[other]] = [b, a]
  }
  return result
}
