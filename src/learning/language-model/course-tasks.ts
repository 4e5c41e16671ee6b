import { Type } from 'typebox'
import type { Finding } from '../finding.ts'
import type { CourseText } from './course-text.ts'
import { Form, Line, type Task, task } from './task.ts'

const Title = Form({ title: Line(200) })
const Description = Form({ description: Type.String({ minLength: 20, maxLength: 2_000 }) })
const Chapters = Form({
  chapters: Type.Array(Form({ start_seconds: Type.Number({ minimum: 0 }), title: Line(200) }), {
    minItems: 2,
    maxItems: 30,
  }),
})

export const titleTask = (about: Finding, text: CourseText) =>
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

/** Summarises the transcript if there is one; otherwise drafts a description from the remaining text. */
export const descriptionTask = (about: Finding, text: CourseText) =>
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

export function chapterTasks(about: Finding, { text, transcript, duration_seconds }: CourseText): Task[] {
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
