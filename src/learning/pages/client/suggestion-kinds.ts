import { texts } from '#foundation/web/client/language.ts'
import { SUGGESTION_KIND_TEXTS, type SuggestionKind } from './suggestion-kind-texts.ts'

const t = texts(SUGGESTION_KIND_TEXTS)

export const KINDS = Object.keys(SUGGESTION_KIND_TEXTS.en) as SuggestionKind[]

const isKnown = (kind: string): kind is SuggestionKind => Object.hasOwn(SUGGESTION_KIND_TEXTS.en, kind)

/** Plain words for a kind of suggestions. A kind of a newer service reads as it is called. */
export function kindWords(kind: string): string {
  const words = isKnown(kind) ? t(kind) : kind.replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
