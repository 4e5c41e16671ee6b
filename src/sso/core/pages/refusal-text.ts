import type { ApiError } from '#foundation/errors.ts'
import { filled, type Html, html, localised } from './html.ts'
import words from './refusal-words.json' with { type: 'json' }

const SENTENCES: Partial<Record<string, Record<'de' | 'es', string>>> = words

/** What an error says: in English its own `detail`, in other languages the sentence of its code. */
export const refusalText = ({ code, detail, headers }: Pick<ApiError, 'code' | 'detail' | 'headers'>): Html =>
  ruleText(code, detail, {
    seconds: Number(new Headers(headers).get('Retry-After') ?? 60),
  })

/** The same for one rule. A sentence that nobody translated stands as it is, marked as English. */
export const ruleText = (code: string, english: string, values: Record<string, Html | number> = {}): Html =>
  localised((language, look) => {
    if (language === 'en') return english
    const sentence = SENTENCES[code]?.[language]
    return sentence === undefined
      ? html`<span lang="en">${english}</span>`
      : localised(() => filled(sentence, values, look))
  })
