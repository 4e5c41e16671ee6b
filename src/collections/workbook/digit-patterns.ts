/**
 * Formats that show a number as a name and not as a quantity: `000-0000`, `"INV-"0000`, `(###) ###-####`. What they show
 * is what people know the number by.
 */
export type DigitPattern = { sections: Section[] }
/** `most`: the largest number that the section shows. A token is the placeholder 0 or #, or a text. */
type Section = { most?: number; tokens: Token[] }
type Token = { digit: '0' | '#' } | { text: string }

/** The most characters of a code that spreadsheet programs take. */
const MAX_CODE = 255
const TOKEN = /"([^"]*)"|\\(.)|\[([^\]]*)\]|[_*](.)|(.)/gs

/** Undefined for a code that shows a quantity: with decimals, groups of thousands, a unit or a fraction. */
export function patternOf(code: string): DigitPattern | undefined {
  if (code.length > MAX_CODE) return undefined
  const sections: Section[] = [{ tokens: [] }]
  for (const [, quoted, escaped, bracket, aside, plain] of code.matchAll(TOKEN)) {
    const section = sections.at(-1)!
    if (bracket !== undefined) {
      const [, most] = /^<=(\d{1,15})$/.exec(bracket) ?? []
      if (most !== undefined) section.most = Number(most)
      else if (!/^[A-Za-z]+\d*$/.test(bracket)) return undefined
    } else if (plain === ';') sections.push({ tokens: [] })
    else if (plain === '0' || plain === '#') section.tokens.push({ digit: plain })
    else if (plain !== undefined && !'-() '.includes(plain)) return undefined
    else if (aside === undefined) section.tokens.push({ text: quoted ?? escaped ?? plain ?? '' })
  }
  return isPattern(sections[0]!) ? { sections } : undefined
}

/** Zeros that are always shown, or `#` with hyphens or brackets between; blanks between `#` group thousands. */
function isPattern({ tokens }: Section): boolean {
  const isDigit = (token: Token) => 'digit' in token
  const inner = tokens.slice(tokens.findIndex(isDigit), tokens.findLastIndex(isDigit) + 1)
  const digits = inner.filter(isDigit)
  const between = inner.map((token) => ('text' in token ? token.text : '')).join('')
  return digits.length > 1 && (digits.every(({ digit }) => digit === '0') || /[-)]/.test(between))
}

/** What a number of this format shows. */
export function shownAs({ sections }: DigitPattern, number: number): string {
  const digits = String(Math.abs(number))
  const [first, second] = sections
  const isSecond = first?.most === undefined ? number < 0 : number > first.most
  const section = isSecond ? (second ?? first) : first
  if (!section || !/^\d+$/.test(digits) || !section.tokens.some((token) => 'digit' in token))
    return String(number)
  let rest = digits
  let shown = ''
  const leftmost = section.tokens.findIndex((token) => 'digit' in token)
  for (const [place, token] of [...section.tokens.entries()].toReversed()) {
    if ('text' in token) {
      shown = token.text + shown
      continue
    }
    const taken = place === leftmost ? rest : rest.slice(-1)
    rest = rest.slice(0, rest.length - taken.length)
    shown = (taken === '' && token.digit === '0' ? '0' : taken) + shown
  }
  return number < 0 && section === first ? `-${shown}` : shown
}
