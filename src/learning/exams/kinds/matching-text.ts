import { normalized as composed, withoutAccents } from '#foundation/text.ts'

type TextRules = { case_sensitive: boolean; ignore_accents: boolean }

/** Stands for `*` while the text around it is normalised; Unicode promises that no text means anything by it. */
const ANY_RUN = '\uFDD0'

/**
 * Whether a short answer is this accepted text: after NFKC, with white space trimmed and joined, case and accents by
 * the rules of the question. `*` in the accepted text is any run of characters, `\*` a star. No likeness, because
 * antonyms are alike; no expressions, because some take for ever. The time is linear in the answer.
 */
export function matchesText(accepted: string, answer: string, rules: TextRules): boolean {
  const pattern = accepted
    .replaceAll(ANY_RUN, '')
    .replaceAll(/\\\*|\*/g, (star) => (star === '*' ? ANY_RUN : '*'))
  return matchesRuns(normalised(pattern, rules).split(ANY_RUN), normalised(answer, rules))
}

/** The text as it is compared. */
function normalised(text: string, { case_sensitive, ignore_accents }: TextRules): string {
  const plain = ignore_accents ? withoutAccents(text) : composed(text, 'NFKC')
  const cased = case_sensitive ? plain : composed(plain.toLowerCase(), 'NFKC')
  return cased.replaceAll(/\s+/gu, ' ').trim()
}

/** The literals in their order, with anything between them. The earliest place of each leaves the most for the rest. */
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
