import { texts } from '#foundation/web/client/language.ts'
import type { Suggestion } from '../api-types.ts'
import { clock, percent, weekday } from './format.ts'
import { valuesIn } from './refusals.ts'
import { SUGGESTION_ADVICE_TEXTS } from './suggestion-advice-texts.ts'
import { SUGGESTION_TITLE_TEXTS } from './suggestion-title-texts.ts'

const titles = texts(SUGGESTION_TITLE_TEXTS)
const advice = texts(SUGGESTION_ADVICE_TEXTS)

/** The evidence that sentences speak of. */
type Known = {
  characters?: number
  count?: number
  days_since_change?: number
  difficulty?: number
  duration_seconds?: number
  from_seconds?: number
  handed_in_nothing?: number
  lost_points?: number
  poster_url?: string | null
  questions?: number
  rate?: number
  shuffle_options?: boolean
  submissions?: number
  weekday?: number
}

/**
 * A suggestion with title and advice in the language of the page, from its kind and its evidence. What a model wrote, and
 * a kind of a newer service, stays as it is.
 */
export function inWords(suggestion: Suggestion): Suggestion {
  const values = valuesOf(suggestion)
  const title = keyIn(SUGGESTION_TITLE_TEXTS.en, suggestion)
  const text = keyIn(SUGGESTION_ADVICE_TEXTS.en, suggestion)
  const told =
    text && suggestion.source === 'llm' ? valuesIn(SUGGESTION_ADVICE_TEXTS.en[text], suggestion.body) : values
  return {
    ...suggestion,
    title: title ? titles(title, values) : suggestion.title,
    body: text && told ? advice(text, told) : suggestion.body,
  }
}

/** The key of the case that the suggestion is, or else of its kind. */
function keyIn<Key extends string>(of: Record<Key, unknown>, { kind, evidence, target }: Suggestion) {
  const { characters, handed_in_nothing, poster_url, shuffle_options } = evidence as Known
  const cases = [
    target.type === 'channel' && 'channel',
    characters === 0 && 'none',
    poster_url && 'poster',
    shuffle_options && 'shuffled',
    handed_in_nothing && 'nothing',
  ]
  return [...cases.filter(Boolean).map((one) => `${kind}_${one}`), kind].find((key): key is Key =>
    Object.hasOwn(of, key),
  )
}

function valuesOf({ evidence, target }: Suggestion): Record<string, string | number> {
  const known = evidence as Known
  const { characters, submissions, days_since_change, questions } = known
  return {
    ...(evidence as Record<string, number>),
    title: target.title,
    count: known.count ?? characters ?? submissions ?? days_since_change ?? questions ?? 0,
    percent: percent(Math.round(100 * (known.difficulty ?? known.rate ?? 0))),
    minutes: Math.round((known.duration_seconds ?? 0) / 60),
    lost: Math.round(known.lost_points ?? 0),
    time: clock(known.from_seconds ?? 0),
    weekday: weekday(known.weekday ?? 1),
  }
}
