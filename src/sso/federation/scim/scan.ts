import { isCleanText } from '#foundation/text.ts'
import { refused } from './errors.ts'

export type Token = { kind: 'word' | 'text' | 'mark'; text: string }

/** Longer than any filter or path that a directory sends. */
const MAX_LENGTH = 2_000
const WORD = /[\w:.$+-]+/y
const SPACE = /\s+/y

/** The words, quoted texts and brackets of a filter or path. 400 invalidFilter for anything else. */
export function scan(text: string): Token[] {
  if (text.length > MAX_LENGTH)
    throw refused('invalid_filter', `A filter or path has at most ${MAX_LENGTH} characters`)
  const tokens: Token[] = []
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at)
    if ('()[]'.includes(char)) {
      tokens.push({ kind: 'mark', text: char })
      at++
    } else if (char === '"') {
      const end = endOfText(text, at)
      tokens.push({ kind: 'text', text: parsed(text.slice(at, end)) })
      at = end
    } else {
      const space = lengthOf(SPACE, text, at)
      const word = space > 0 ? 0 : lengthOf(WORD, text, at)
      if (space + word === 0) throw refused('invalid_filter', `The filter has an unexpected ${char}`)
      if (word > 0) tokens.push({ kind: 'word', text: text.slice(at, at + word) })
      at += space + word
    }
  }
  return tokens
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** The place behind the closing quote. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at++
    else if (char === '"') return at + 1
  }
  throw refused('invalid_filter', 'The filter lacks a closing quote')
}

/** A text is written as in JSON. What it escapes has not been looked at before, and no database keeps it all. */
function parsed(quoted: string): string {
  try {
    const text = String(JSON.parse(quoted))
    if (isCleanText(text)) return text
  } catch {
    throw refused('invalid_filter', 'The filter has a text that is not written as in JSON')
  }
  throw refused('invalid_filter', 'The filter has a text with a character that is not allowed')
}
