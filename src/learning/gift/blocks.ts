import { protectEscapes } from './text.ts'

/** The text of one question with escapes still protected, and the line of the file where it begins. */
export type Block = { line: number; text: string; is_unclosed: boolean }

/**
 * Splits a file into questions. Blank lines outside braces separate them; `//` lines and categories belong to none.
 * An unclosed brace ends at the next blank line, so that it costs one question and not all.
 */
export function blocksOf(gift: string): Block[] {
  const lines = protectEscapes(gift.replace(/^\uFEFF/, ''))
    .split(/\r\n?|\n/)
    .map(readLine)
  const blocks: Block[] = []
  let start = 0
  while (start < lines.length) {
    const end = endOf(lines, start)
    const until = end ?? blankAfter(lines, start)
    const kept = lines.slice(start, until).filter(({ is_aside }) => !is_aside)
    const first = kept.find(({ is_blank }) => !is_blank)
    const text = kept
      .map((line) => line.text)
      .join('\n')
      .trim()
    if (first) blocks.push({ line: first.number, text, is_unclosed: end === undefined })
    start = until + 1
  }
  return blocks
}

/** `depth` is how many braces the line opens more than it closes. */
type Line = { number: number; text: string; is_blank: boolean; is_aside: boolean; depth: number }

function readLine(text: string, at: number): Line {
  const is_aside = /^\s*(?:\/\/|\$CATEGORY:)/.test(text)
  const depth = is_aside ? 0 : text.split('{').length - text.split('}').length
  return { number: at + 1, text, is_blank: text.trim() === '', is_aside, depth }
}

/** Longer than any question. The limit also keeps a file full of open braces from being scanned over and over. */
const MAX_LINES = 1_000

/** The index of the blank line that ends the block, or the number of lines; undefined if a brace is still open. */
function endOf(lines: readonly Line[], start: number): number | undefined {
  let depth = 0
  for (const [at, line] of lines.slice(start, start + MAX_LINES).entries()) {
    if (line.is_blank && depth === 0) return start + at
    depth = Math.max(0, depth + line.depth)
  }
  return depth === 0 && start + MAX_LINES >= lines.length ? lines.length : undefined
}

function blankAfter(lines: readonly Line[], start: number): number {
  for (let at = start; at < lines.length; at++) if (lines[at]?.is_blank) return at
  return lines.length
}
