import { texts } from '#foundation/web/client/language.ts'
import { REFUSAL_TEXTS } from './refusal-texts.ts'

const t = texts(REFUSAL_TEXTS)
const KEYS = Object.keys(REFUSAL_TEXTS.en) as (keyof typeof REFUSAL_TEXTS.en)[]

/** A sentence of the service in the language of the page, or as the service says it. */
export function inLanguage(said: string): string {
  for (const key of KEYS) {
    const values = new RegExp(`^${REFUSAL_TEXTS.en[key].replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`).exec(said)
    if (values) return t(key, values.groups)
  }
  return said
}
