/*
 * Texts of pages in three languages, for server and browser: this module knows neither.
 */

export const LANGUAGES = ['en', 'de', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

/** A text; `{name}` is a value. With plural forms, the value `count` picks one. */
type Text = string | { one: string; other: string }
export type Catalogue<Key extends string> = Readonly<Record<Language, Readonly<Record<Key, Text>>>>
export type Texts<Key extends string> = (key: Key, values?: Record<string, string | number>) => string

const isLanguage = (tag: string): tag is Language => LANGUAGES.some((one) => one === tag)

/** The first of these tags (BCP 47) whose language we have. */
export const firstLanguage = (tags: readonly string[]): Language | undefined =>
  tags.map((tag) => tag.trim().slice(0, 2).toLowerCase()).find(isLanguage)

/** The first language we have: that of the profile, then those of `Accept-Language` by weight, then English. */
export function languageOf(profile: string | null | undefined, accept = ''): Language {
  const accepted = accept
    .split(',')
    .map((one) => one.split(';q='))
    .map(([tag = '', weight = '1']) => ({ tag, weight: Number(weight) }))
    .toSorted((a, b) => b.weight - a.weight)
  return firstLanguage([profile ?? '', ...accepted.map(({ tag }) => tag)]) ?? 'en'
}

/** The function that says a text of the catalogue: `t('deliveries', { count: 3 })`. */
export function textsIn<Key extends string>(catalogue: Catalogue<Key>, language: Language): Texts<Key> {
  const plurals = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (key, values = {}) => {
    const text = catalogue[language][key]
    const form = plurals.select(Number(values['count'])) === 'one' ? 'one' : 'other'
    return (typeof text === 'string' ? text : text[form]).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? ''
      return typeof value === 'number' ? numbers.format(value) : value
    })
  }
}
