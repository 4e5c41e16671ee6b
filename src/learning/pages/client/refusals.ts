import { texts } from '#foundation/web/client/language.ts'
import type { Language } from '#foundation/web/client/texts.ts'
import { REFUSAL_TEXTS } from './refusal-texts.ts'

type Said<Key extends string> = Readonly<Record<Language, Record<Key, string>>>

/** A sentence of the service in the language of the page, or as the service says it. */
export const inLanguage = (said: string): string => translated(REFUSAL_TEXTS, said)

/** The same for the sentences of a catalogue, whose English is what the service says. */
export function translated<Key extends string>(catalogue: Said<Key>, said: string): string {
  for (const key of Object.keys(catalogue.en) as Key[]) {
    const values = valuesIn(catalogue.en[key], said)
    if (values) return texts(catalogue)(key, values)
  }
  return said
}

/** What stands in the holes of the text, if it is this text that was said. */
export function valuesIn(text: string, said: string): Record<string, string> | undefined {
  const [start = '', ...rest] = text.split(/\{(\w+)\}/)
  if (!said.startsWith(start)) return undefined
  const values: Record<string, string> = {}
  let at = start.length
  for (let i = 0; i < rest.length; i += 2) {
    const [name = '', after = ''] = rest.slice(i, i + 2)
    const isLast = i + 2 >= rest.length
    if (isLast && !said.endsWith(after)) return undefined
    const end = isLast ? said.length - after.length : said.indexOf(after, at + 1)
    if (end <= at) return undefined
    values[name] = said.slice(at, end)
    at = end + after.length
  }
  return at === said.length ? values : undefined
}
