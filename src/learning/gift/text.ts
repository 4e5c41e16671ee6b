/**
 * While GIFT is parsed, a Unicode noncharacter stands for each escaped character. Noncharacters in the file itself
 * are dropped first.
 */
const ESCAPED = '~=#{}:\\'
const FIRST = 0xfdd0
const NEW_LINE = String.fromCharCode(FIRST + ESCAPED.length)
const STAND_INS = /[\ufdd0-\ufdef]/g

/** Replaces each escaped character by its stand-in. Other backslashes stay as they are. */
export const protectEscapes = (gift: string) =>
  gift
    .replaceAll(STAND_INS, '')
    .replaceAll(/\\([~=#{}:\\n])/g, (_, character: string) =>
      character === 'n' ? NEW_LINE : String.fromCharCode(FIRST + ESCAPED.indexOf(character)),
    )

/** Replaces the stand-ins by their characters. */
export const restoreEscapes = (text: string) =>
  text.replaceAll(STAND_INS, (standIn) =>
    standIn === NEW_LINE ? '\n' : ESCAPED.charAt(standIn.charCodeAt(0) - FIRST),
  )

export const escapeGift = (text: string) =>
  text.replaceAll(/[~=#{}:\\]/g, (character) => `\\${character}`).replaceAll(/\r\n?|\n/g, '\\n')

export const FORMATS = ['html', 'moodle', 'plain', 'markdown'] as const
export type Format = (typeof FORMATS)[number]

/**
 * Splits off a format such as `[html]` at the beginning of a text. Without one, the text has the format of the
 * question.
 */
export function splitFormat(text: string, inherited: Format): { format: Format; rest: string } {
  const [all, name] = /^\s*\[(html|moodle|plain|markdown)\]/.exec(text) ?? []
  const format = FORMATS.find((known) => known === name)
  return all !== undefined && format
    ? { format, rest: text.slice(all.length) }
    : { format: inherited, rest: text }
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** Drops HTML comments, which no format but plain text shows. One that never ends stays. */
export const withoutComments = (text: string) =>
  text
    .split('<!--')
    .map((part, at) => {
      const end = at === 0 ? -1 : part.indexOf('-->')
      return at > 0 && end < 0 ? `<!--${part}` : part.slice(end < 0 ? 0 : end + 3)
    })
    .join('')

/** Converts HTML to plain text. Lyceum shows questions as text, so that no file brings markup into a page. */
export const textOfHtml = (html: string) =>
  html
    .replaceAll(/\s+/g, (space) => (space.includes('\n') ? ' ' : space))
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^<>]*>/gi, '\n')
    .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (entity, decimal, hex, name) =>
      characterOf(entity, decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16), name),
    )
    .replaceAll(/\s+/g, (space) => (space.includes('\n') ? '\n' : space))
    .trim()

function characterOf(entity: string, code: number, name: string | undefined): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : entity
}
