import { texts } from '#foundation/web/client/language.ts'
import type { Suggestion } from '../api-types.ts'
import type { Child } from './html.ts'
import { badge } from './parts.ts'

const t = texts({
  en: { critical: 'Critical', warning: 'Warning', info: 'Hint' },
  de: { critical: 'Kritisch', warning: 'Warnung', info: 'Hinweis' },
  es: { critical: 'Crítico', warning: 'Aviso', info: 'Indicación' },
})
const SIGNS = {
  critical: ['bad', 'warn'],
  warning: ['warn', 'flag'],
  info: ['plain', undefined],
} as const

/** How much a suggestion presses, in a word. */
export const severityBadge = (severity: Suggestion['severity']): HTMLElement => {
  const [kind, sign] = SIGNS[severity]
  return badge(t(severity), kind, sign)
}

/** The target if the title does not name it. */
export const targetOf = ({ title, target }: Suggestion): Child =>
  !title.includes(target.title) && target.title

/** The target, and the channel unless it is the target. */
export const placeOf = (suggestion: Suggestion): Child[] => {
  const { target, channel_title } = suggestion
  return [targetOf(suggestion), channel_title !== target.title && channel_title]
}
