const MARKS =
  // oxlint-disable-next-line no-misleading-character-class -- every range of marks is meant one by one
  /[\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u0610-\u061A\u064B-\u065F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g

type Form = 'NFC' | 'NFD' | 'NFKC' | 'NFKD'

/** Longer than any letter with its marks in readable text. */
const PIECE = 128

/**
 * `text.normalize` in linear time. The engine sorts the marks behind a letter one by one, so 100,000 of them take
 * minutes. The text is split into pieces at the start of a letter, or inside a run of marks too long for any letter.
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

/** Characters that never combine with what precedes them: Latin, CJK ideographs, precomposed Hangul syllables. */
const isApart = (code: number) =>
  code < 0x300 || (code >= 0x3400 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4)

/** Folds case and accents for comparison; must match foundation.fold() in SQL. */
export const fold = (text: string) =>
  normalized(normalized(text, 'NFKD').toLowerCase().replace(MARKS, ''), 'NFKC')

/** Removes accents and keeps case. */
export const withoutAccents = (text: string) =>
  normalized(normalized(text, 'NFKD').replace(MARKS, ''), 'NFKC')

/** E-mail addresses are stored as typed and compared after NFC and lower-casing (docs/choices-sso.md). */
export const foldEmail = (email: string) => normalized(email, 'NFC').toLowerCase()

// oxlint-disable-next-line no-control-regex -- finding them is its purpose
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/

/** True without control characters (TAB, LF and CR are allowed) and without lone surrogates. */
export const isCleanText = (text: string) => text.isWellFormed() && !CONTROL.test(text)

/**
 * Calls `visit` for every string and member name of a JSON value. Returns the dotted path of the first for which it is
 * true.
 */
export function findString(value: unknown, visit: (text: string) => boolean): string | undefined {
  const path = pathOf(value, visit)
  return path?.startsWith('.') ? path.slice(1) : path
}

/** Builds the path on the way back: a body may hold half a million values, and at most one is reported. */
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
