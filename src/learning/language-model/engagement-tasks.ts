import { Type } from 'typebox'
import type { Finding, Target } from '../finding.ts'
import { Form, type Task, task } from './task.ts'

const Message = Form({ message: Type.String({ minLength: 20, maxLength: 1_500 }) })
const Summary = Form({ summary: Type.String({ minLength: 20, maxLength: 2_000 }) })

/** Tasks about learners. They hold only kinds and counts, so the model learns nobody's identity. */
export function engagementTasks(findings: readonly Finding[]): Task[] {
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

/** The numbers of the evidence, without its lists of people. */
const aggregates = (evidence: Finding['evidence']) =>
  Object.fromEntries(Object.entries(evidence).filter(([, value]) => typeof value === 'number'))
