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

/** The target if the title does not name it, and the channel unless it is the target. */
export const placeOf = ({ title, target, channel_title }: Suggestion): Child[] => [
  !title.includes(target.title) && target.title,
  channel_title !== target.title && channel_title,
]
