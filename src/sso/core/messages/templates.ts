import type { Tx } from '#foundation/database/database.ts'
import { type Language, languageOf } from '#foundation/web/client/texts.ts'
import letters from './letters.json' with { type: 'json' }
import type { Body } from './queue.ts'

export type LetterKind = keyof typeof letters
type Values = { site_code: string } & Partial<Record<'link' | 'code' | 'sites', string>>

/** The text of a message in the language of the person's profile. */
export async function letterTo(tx: Tx, user_id: string, kind: LetterKind, values: Values): Promise<Body> {
  const [person] = await tx<{ locale: string | null }[]>`
    select locale from sso.users where user_id = ${user_id}`
  return letterIn(languageOf(person?.locale), kind, values)
}

/**
 * The only text a third party controls is the site code (a-z 0-9 -); a freely chosen name would let others place their
 * words in our mail. An SMS has at most 160 characters; its subject is shown by GET /messages only.
 */
export function letterIn(language: Language, kind: LetterKind, values: Values): Body {
  const { subject, text } = letters[kind][language]
  return { language, subject, text: text.map((paragraph) => filled(paragraph, values)).join('\n\n') }
}

export const LETTER_KINDS = Object.keys(letters) as LetterKind[]

const filled = (paragraph: string, values: Values) =>
  paragraph.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name as keyof Values] ?? '')

const LINK = /^https?:\/\/\S+$/

/** The same text as HTML. A paragraph that is a URL becomes a link. */
export function htmlOf({ text, language = 'en' }: Pick<Body, 'text' | 'language'>): string {
  const paragraphs = text.split('\n\n').map((paragraph) => {
    const safe = escaped(paragraph)
    return `<p>${LINK.test(paragraph) ? `<a href="${safe}">${safe}</a>` : safe.replaceAll('\n', ' ')}</p>`
  })
  return `<!doctype html><html lang="${language}"><body>${paragraphs.join('')}</body></html>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
