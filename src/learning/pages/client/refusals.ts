import { texts } from '#foundation/web/client/language.ts'
import { REFUSAL_TEXTS } from './refusal-texts.ts'

const t = texts(REFUSAL_TEXTS)
const KEYS = Object.keys(REFUSAL_TEXTS.en) as (keyof typeof REFUSAL_TEXTS.en)[]

/** A sentence of the service in the language of the page, or as the service says it. */
export function inLanguage(said: string): string {
  for (const key of KEYS) {
    const values = valuesIn(REFUSAL_TEXTS.en[key], said)
    if (values) return t(key, values)
  }
  return said
}

/** What stands in the one hole of the text, if it is this text that was said. */
function valuesIn(text: string, said: string): Record<string, string> | undefined {
  const [before = '', name, after = ''] = text.split(/\{(\w+)\}/)
  if (name === undefined) return said === text ? {} : undefined
  const isIt = said.startsWith(before) && said.endsWith(after) && said.length > before.length + after.length
  return isIt ? { [name]: said.slice(before.length, said.length - after.length) } : undefined
}
