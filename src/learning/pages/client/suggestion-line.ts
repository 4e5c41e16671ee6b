import type { Suggestion } from '../api-types.ts'
import type { Child } from './html.ts'
import { badge } from './parts.ts'

const SEVERITY = {
  critical: ['Critical', 'bad', 'warn'],
  warning: ['Warning', 'warn', 'flag'],
  info: ['Hint', 'plain', undefined],
} as const

/** How much a suggestion presses, in a word. */
export const severityBadge = (severity: Suggestion['severity']): HTMLElement => {
  const [text, kind, sign] = SEVERITY[severity]
  return badge(text, kind, sign)
}

/** What it is about, where its title does not say so: a question by its words, and always the channel. */
export const placeOf = ({ title, target, channel_title }: Suggestion): Child[] => [
  !title.includes(target.title) && target.title,
  channel_title !== target.title && channel_title,
]
