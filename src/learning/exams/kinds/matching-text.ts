import { normalized as composed, withoutAccents } from '#foundation/text.ts'

type TextRules = { case_sensitive: boolean; ignore_accents: boolean }

/** Stands for `*` while the text around it is normalised. It is a Unicode noncharacter, so no text uses it. */
const ANY_RUN = '\uFDD0'

/**
 * Compares an answer with an accepted text after NFKC, with white space trimmed and collapsed; `rules` decide about
 * case and accents. `*` matches any run of characters, `\*` a star. No fuzzy matching, because antonyms look alike;
 * no regular expressions, because some never end. The time is linear in the length of the answer.
 */
export function matchesText(accepted: string, answer: string, rules: TextRules): boolean {
  const pattern = accepted
    .replaceAll(ANY_RUN, '')
    .replaceAll(/\\\*|\*/g, (star) => (star === '*' ? ANY_RUN : '*'))
  return matchesRuns(normalised(pattern, rules).split(ANY_RUN), normalised(answer, rules))
}

function normalised(text: string, { case_sensitive, ignore_accents }: TextRules): string {
  const plain = ignore_accents ? withoutAccents(text) : composed(text, 'NFKC')
  const cased = case_sensitive ? plain : composed(plain.toLowerCase(), 'NFKC')
  return cased.replaceAll(/\s+/gu, ' ').trim()
}

/** Finds the literals in order, with anything between them. The earliest match leaves the most text for the rest. */
function matchesRuns(literals: string[], text: string): boolean {
  const [first = '', ...others] = literals
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const literal of others) {
    const at = text.indexOf(literal, from)
    if (at < 0) return false
    from = at + literal.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}
