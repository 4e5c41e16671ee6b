import type { Lane } from '#foundation/database/database.ts'
import type { AgentType, Finding } from '../finding.ts'
import { chapterTasks, descriptionTask, titleTask } from './course-tasks.ts'
import { type CourseText, readCourseTexts } from './course-text.ts'
import { engagementTasks } from './engagement-tasks.ts'
import { distractorTasks, explanationTasks, questionTasks, wordingTask } from './question-tasks.ts'
import type { Task } from './task.ts'

/**
 * Plans what to ask a model about these findings, the most useful first. The tasks hold only course text and
 * aggregates: no names, no addresses, no ids, nothing that learners wrote.
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

/** The findings that a model can help with. A lower `rank` is asked first. */
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
