import { fold } from '#foundation/text.ts'
import { cutAt } from '#foundation/web/client/cut.ts'

/** A piece of text; the pieces that hold what was searched for are marked. */
export type Piece = { text: string; is_hit: boolean }

/** The words of a query, folded as the database folds them. The last one may be unfinished. */
export type Asked = { words: readonly string[]; isNear: boolean }

/** Chinese and Japanese characters are words of their own, as in foundation.words(). */
const WORD =
  /[\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|(?:(?![\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])[\p{L}\p{N}\p{M}])+/gu

export const wordsOf = (text: string): string[] =>
  Array.from(text.matchAll(WORD), ([word]) => fold(word)).filter((word) => word !== '')

/** Which of the words is meant by this word of a text: its place in the query, or -1. */
export function placeIn({ words, isNear }: Asked, word: string): number {
  const folded = fold(word)
  const last = words.at(-1) ?? ''
  const place = words.indexOf(folded)
  if (place >= 0) return place
  if (Buffer.byteLength(last) > 2 && folded.startsWith(last)) return words.length - 1
  return isNear ? words.findIndex((one) => isOneApart(one, folded)) : -1
}

/** As learning.rests() in SQL. */
const restsOf = (word: string): string[] => {
  const letters = Array.from(word)
  if (letters.length < 4 || letters.length > 24 || /^\d+$/.test(word)) return []
  return letters.map((_, at) => letters.toSpliced(at, 1).join(''))
}

function isOneApart(asked: string, word: string): boolean {
  // Cheaper than the rests, and true of all such words: one end of both is the same.
  if (Math.abs(asked.length - word.length) > 2) return false
  if (asked[0] !== word[0] && asked.at(-1) !== word.at(-1)) return false
  const [mine, theirs] = [restsOf(asked), restsOf(word)]
  return theirs.includes(asked) || mine.includes(word) || mine.some((rest) => theirs.includes(rest))
}

type Found = { start: number; end: number }

function* hitsIn(text: string, asked: Asked): Generator<Found & { place: number }> {
  for (const found of text.matchAll(WORD)) {
    const place = placeIn(asked, found[0])
    if (place >= 0) yield { start: found.index, end: found.index + found[0].length, place }
  }
}

/** How many of the words stand in this text. */
export const countIn = (text: string, asked: Asked): number =>
  new Set(Array.from(hitsIn(text, asked), ({ place }) => place)).size

/** The whole text in pieces. */
export const marked = (text: string, asked: Asked): Piece[] => cut(text, [...hitsIn(text, asked)])

const LENGTH = 180
const BEFORE = 50

/** Some 180 characters around the first hit, from the beginning when there is none. Line breaks become spaces. */
export function excerptOf(text: string, asked: Asked): Piece[] {
  const hits = [...hitsIn(text, asked)]
  const first = hits[0]?.start ?? 0
  const start = first <= BEFORE * 2 ? 0 : wordEnd(text, first - BEFORE)
  const end = text.length <= start + LENGTH ? text.length : wordEnd(text, start + LENGTH)
  const within = hits
    .filter((hit) => hit.start >= start && hit.end <= end)
    .map((hit) => ({ start: hit.start - start, end: hit.end - start }))
  const pieces = cut(text.slice(start, end), within)
  if (start > 0) pieces.unshift({ text: '… ', is_hit: false })
  if (end < text.length) pieces.push({ text: ' …', is_hit: false })
  return pieces
    .map(({ text: piece, is_hit }) => ({ text: piece.replaceAll(/\s+/g, ' '), is_hit }))
    .filter(({ text: piece }) => piece !== '')
}

/** The next white space from here, within twenty characters, or the beginning of the character that is here. */
function wordEnd(text: string, from: number): number {
  const gap = text.slice(from, from + 20).search(/\s/)
  return gap >= 0 ? from + gap : cutAt(text, from).length
}

function cut(text: string, hits: readonly Found[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const { start, end } of hits) {
    const last = pieces.at(-1)
    if (start > at) pieces.push({ text: text.slice(at, start), is_hit: false })
    // Words of one character stand side by side.
    if (start === at && last?.is_hit) last.text += text.slice(start, end)
    else pieces.push({ text: text.slice(start, end), is_hit: true })
    at = end
  }
  if (at < text.length) pieces.push({ text: text.slice(at), is_hit: false })
  return pieces
}
