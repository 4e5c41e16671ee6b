const MARKS =
  // oxlint-disable-next-line no-misleading-character-class -- every range of marks is meant one by one
  /[\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u0610-\u061A\u064B-\u065F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g

type Form = 'NFC' | 'NFD' | 'NFKC' | 'NFKD'

/** Longer than what belongs to one letter in any text that somebody reads. */
const PIECE = 128

/**
 * `text.normalize` in linear time. The engine sorts the marks behind a letter one by one, so that 100,000 of them take
 * it minutes: the text is normalised in pieces that end where a letter begins, or inside marks that no letter has.
 */
export function normalized(text: string, form: Form): string {
  if (text.length <= PIECE) return text.normalize(form)
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at)
    pieces.push(text.slice(at, end).normalize(form))
    at = end
  }
  return pieces.join('')
}

function pieceEnd(text: string, start: number): number {
  const most = start + PIECE
  if (most >= text.length) return text.length
  for (let end = most; end > start; end--) if (isApart(text.charCodeAt(end))) return end
  const isPair = text.charCodeAt(most - 1) >> 10 === 0x36
  return isPair ? most - 1 : most
}

/** Letters that nothing before them joins with: Latin, Chinese and Japanese signs, whole syllables of Korean. */
const isApart = (code: number) =>
  code < 0x300 || (code >= 0x3400 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4)

/** Case and accents folded: the one rule for comparing text, the same as foundation.fold() in SQL. */
export const fold = (text: string) =>
  normalized(normalized(text, 'NFKD').toLowerCase().replace(MARKS, ''), 'NFKC')

/** Accents removed, case kept; folding is this and lower case. */
export const withoutAccents = (text: string) =>
  normalized(normalized(text, 'NFKD').replace(MARKS, ''), 'NFKC')

/** E-mail addresses are stored as typed and compared after NFC and lower-casing (docs/choices-sso.md). */
export const foldEmail = (email: string) => normalized(email, 'NFC').toLowerCase()

// oxlint-disable-next-line no-control-regex -- finding them is its purpose
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/

/** No control character but TAB, LF and CR, and no half of a surrogate pair. */
export const isCleanText = (text: string) => text.isWellFormed() && !CONTROL.test(text)

/** Every string inside a JSON value, with its dotted path; stops at the first for which `visit` answers true. */
export function findString(value: unknown, visit: (text: string) => boolean): string | undefined {
  const path = pathOf(value, visit)
  return path?.startsWith('.') ? path.slice(1) : path
}

/** The path is put together on the way back: a body may hold half a million values, and one of them is named at most. */
function pathOf(value: unknown, visit: (text: string) => boolean): string | undefined {
  if (typeof value === 'string') return visit(value) ? '' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const inner = pathOf(value[at], visit)
      if (inner !== undefined) return `[${at}]${inner}`
    }
    return undefined
  }
  const members = value as Record<string, unknown>
  for (const key in members) {
    const inner = visit(key) ? '' : pathOf(members[key], visit)
    if (inner !== undefined) return `.${key}${inner}`
  }
  return undefined
}
