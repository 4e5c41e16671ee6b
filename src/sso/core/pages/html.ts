import type { Language } from '#foundation/web/client/texts.ts'
import { type Branding, LYCEUM } from './branding.ts'

const MARKUP = Symbol('markup')

/** What the whole page has in common. */
type Look = { language: Language; branding: Branding }

/**
 * Markup that is inserted unescaped, with the look of the page that it becomes part of. Only this file creates it, so
 * untrusted text can never be mistaken for it.
 */
export type Html = { readonly [MARKUP]: (look: Look) => string }
type Part = Html | readonly Html[] | string | number | false | undefined

/**
 * Builds markup. Interpolated values are escaped as text unless `html` made them; false and undefined render nothing.
 * Attributes must be in double quotes.
 */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => ({
  [MARKUP]: (look) => strings.reduce((text, string, i) => text + markupOf(parts[i - 1], look) + string),
})

export const textOf = (page: Html, language: Language = 'en', branding = LYCEUM): string =>
  page[MARKUP]({ language, branding })

/** What depends on the language or the branding: `render` answers text. */
export const localised = (render: (language: Language, look: Look) => Part): Html => ({
  [MARKUP]: (look) => markupOf(render(look.language, look), look),
})

/** A text, or its plural forms: the value `count` picks one. */
type Words = string | { one: string; other: string }
export type Values = Record<string, Html | string | number>

/** The texts of some pages, from a JSON file: `t('sent_to', { email })` puts values into the holes, `{email}`. */
export const textsOf =
  <Key extends string>(catalogue: Readonly<Record<Key, Readonly<Record<Language, Words>>>>) =>
  (key: Key, values: Values = {}): Html => ({
    [MARKUP]: (look) => filled(catalogue[key][look.language], values, look),
  })

export function filled(words: Words, values: Values, look: Look): string {
  const { language } = look
  const form = new Intl.PluralRules(language).select(Number(values['count'])) === 'one' ? 'one' : 'other'
  return escaped(typeof words === 'string' ? words : words[form]).replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => {
      const value = values[name]
      return typeof value === 'number' ? value.toLocaleString(LOCALES[language]) : markupOf(value, look)
    },
  )
}

const LOCALES: Record<Language, string> = { en: 'en-GB', de: 'de', es: 'es' }

/** A time as people read it, in UTC. */
export const timeOf = (time: string, style: Intl.DateTimeFormatOptions): Html =>
  html`<time datetime="${time}"
    >${localised((language) => new Intl.DateTimeFormat(LOCALES[language], { ...style, timeZone: 'UTC' }).format(new Date(time)))}</time
  >`

function markupOf(part: Part, look: Look): string {
  if (part === false || part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  if (MARKUP in part) return part[MARKUP](look)
  return part.map((one) => one[MARKUP](look)).join('')
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
