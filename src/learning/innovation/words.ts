import { normalized } from '#foundation/text.ts'

/** Scripts that say more in fewer characters, because they do not separate words by spaces. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const DENSE_LANGUAGES = new Set(['zh', 'ja', 'ko', 'yue', 'wuu'])

const PLACEHOLDERS = new Set(['untitled', 'test', 'todo', 'lorem ipsum', 'new channel', 'new episode'])

/** Whether a title says nothing: fewer than three characters, or a default text of a form. */
export function isPlaceholder(title: string): boolean {
  const bare = title
    .toLowerCase()
    .replaceAll(/[\p{N}\p{P}\p{S}]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return (lengthOf(title) < 3 && !DENSE.test(title)) || PLACEHOLDERS.has(bare)
}

/** The least length of a description in characters. */
export const leastDescription = (language: string | null, text: string): number =>
  DENSE_LANGUAGES.has((language ?? '').split('-')[0] ?? '') || DENSE.test(text) ? 20 : 40

export const lengthOf = (text: string): number => Array.from(text.trim()).length

/** Normalised like short answers: two options that look alike to a learner are equal. */
export const normalised = (text: string): string =>
  normalized(normalized(text, 'NFKC').toLowerCase(), 'NFKC').replaceAll(/\s+/gu, ' ').trim()
