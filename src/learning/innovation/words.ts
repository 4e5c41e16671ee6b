import { normalized } from '#foundation/text.ts'

/** Texts without spaces between words say more in fewer characters. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const DENSE_LANGUAGES = new Set(['zh', 'ja', 'ko', 'yue', 'wuu'])

const PLACEHOLDERS = new Set(['untitled', 'test', 'todo', 'lorem ipsum', 'new channel', 'new episode'])

/** Whether a title says nothing: hardly any characters, or one of the words that forms begin with. */
export function isPlaceholder(title: string): boolean {
  const bare = title
    .toLowerCase()
    .replaceAll(/[\p{N}\p{P}\p{S}]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return (lengthOf(title) < 3 && !DENSE.test(title)) || PLACEHOLDERS.has(bare)
}

/** How many characters a description should have at least. */
export const leastDescription = (language: string | null, text: string): number =>
  DENSE_LANGUAGES.has((language ?? '').split('-')[0] ?? '') || DENSE.test(text) ? 20 : 40

/** The beginning of a text, at most so many UTF-16 units. Half a character is cut off too: no database takes one. */
export const cut = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, '')

export const lengthOf = (text: string): number => Array.from(text.trim()).length

/** As short answers are compared: two options that look alike to a learner are alike. */
export const normalised = (text: string): string =>
  normalized(normalized(text, 'NFKC').toLowerCase(), 'NFKC').replaceAll(/\s+/gu, ' ').trim()
