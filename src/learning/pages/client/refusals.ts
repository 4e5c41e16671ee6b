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
  const pieces = text
    .split(/\{(\w+)\}/)
    .map((piece, i) => (i % 2 === 0 ? piece.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&') : `(?<${piece}>[^]+)`))
  const found = new RegExp(`^${pieces.join('')}$`).exec(said)
  return found ? { ...found.groups } : undefined
}
