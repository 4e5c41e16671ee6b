/** An accepted number: a value with a tolerance, or a range that includes its bounds. Decimals are numbers or text. */
export type NumberKey =
  | { value: Decimal; tolerance: Decimal; tolerance_type: 'absolute' | 'relative' }
  | { min: Decimal; max: Decimal }
export type Decimal = number | string

/** An exact decimal: units / 10^places. */
type Exact = { units: bigint; places: number }

/** A larger exponent is not a measurement but an attempt to exhaust the memory. */
const MAX_EXPONENT = 30
const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Whether a key may hold the decimal: digits, a point, an exponent up to ±30. */
export const isDecimal = (value: Decimal): boolean => readExact(String(value)) !== undefined

/** -1, 0 or 1 as `a` is less than, equal to or greater than `b`. Throws if isDecimal() is false for one of them. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(requireExact(a), requireExact(b))
  return left < right ? -1 : Number(left > right)
}

/**
 * Compares exactly, bounds included; a JSON number by its shortest text. Text may have U+2212 as minus, spaces that
 * group digits by three, and the unit at the end. A comma that can be a decimal comma or a group separator is tried
 * as both. An answer that is not a number never matches.
 */
export const matchesNumber = (key: NumberKey, answer: unknown, unit: string | null): boolean =>
  readingsOf(answer, unit).some((reading) => isWithin(key, reading))

/** Converts a relative tolerance, a fraction of the value, to the distance that it allows. */
export function absoluteTolerance(value: Decimal, tolerance: Decimal): string {
  const { units, places } = times(absolute(requireExact(value)), requireExact(tolerance))
  const digits = units.toString().padStart(places + 1, '0')
  const part = withoutEndZeros(digits.slice(digits.length - places))
  const whole = digits.slice(0, digits.length - places)
  return part === '' ? whole : `${whole}.${part}`
}

function withoutEndZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

function isWithin(key: NumberKey, x: Exact): boolean {
  if ('min' in key) return compare(requireExact(key.min), x) <= 0 && compare(x, requireExact(key.max)) <= 0
  const value = requireExact(key.value)
  const tolerance = requireExact(key.tolerance)
  const allowed = key.tolerance_type === 'relative' ? times(absolute(value), tolerance) : tolerance
  const [given, wanted] = aligned(x, value)
  const distance = absolute({ units: given - wanted, places: Math.max(x.places, value.places) })
  return compare(distance, allowed) <= 0
}

function readingsOf(answer: unknown, unit: string | null): Exact[] {
  if (typeof answer !== 'number' && typeof answer !== 'string') return []
  if (typeof answer === 'string' && answer.length > MAX_ANSWER) return []
  const texts = typeof answer === 'number' ? [String(answer)] : writtenIn(answer, unit)
  return texts.map(readExact).filter((reading) => reading !== undefined)
}

/** Longer than any number that people write. Parsing may cost more than linear time. */
const MAX_ANSWER = 1_000
const MANTISSA = /^([+-]?)([\d., ]*)((?:[eE][+-]?\d+)?)$/
const GROUPED_BY_SPACE = /^\d{1,3}(?: \d{3})+(?=[.,]|$)/
const GROUPED_BY_COMMA = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/

/** The decimals that a learner's text may mean, several if a comma is ambiguous. The caller drops invalid ones. */
function writtenIn(answer: string, unit: string | null): string[] {
  const text = answer
    .normalize('NFC')
    .replaceAll(/[\u00A0\u2009\u202F]/g, ' ')
    .replaceAll('\u2212', '-')
    .trim()
  const [, sign, digits = '', exponent] = MANTISSA.exec(withoutUnit(text, unit)) ?? []
  const joined = GROUPED_BY_SPACE.test(digits) ? digits.replaceAll(' ', '') : digits
  const plain = [joined]
  if (/^\d*,\d*$/.test(joined)) plain.push(joined.replace(',', '.'))
  if (GROUPED_BY_COMMA.test(digits)) plain.push(digits.replaceAll(',', ''))
  return plain.map((decimal) => `${sign}${decimal}${exponent}`)
}

function withoutUnit(text: string, unit: string | null): string {
  const suffix = unit?.normalize('NFC').trim()
  return suffix && text.endsWith(suffix) ? text.slice(0, -suffix.length).trimEnd() : text
}

function readExact(text: string): Exact | undefined {
  const [, sign, whole = '', part = '', exponent = '0'] = PLAIN.exec(text) ?? []
  if (sign === undefined || whole + part === '' || Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined
  const units = BigInt(whole + part) * (sign === '-' ? -1n : 1n)
  const places = part.length - Number(exponent)
  return places >= 0 ? { units, places } : { units: units * 10n ** BigInt(-places), places: 0 }
}

function requireExact(value: Decimal): Exact {
  const exact = readExact(String(value))
  if (!exact) throw new Error('an answer key holds a text that is no decimal')
  return exact
}

const absolute = ({ units, places }: Exact): Exact => ({ units: units < 0n ? -units : units, places })
const times = (a: Exact, b: Exact): Exact => ({ units: a.units * b.units, places: a.places + b.places })

function compare(a: Exact, b: Exact): number {
  const [left, right] = aligned(a, b)
  return left < right ? -1 : Number(left > right)
}

/** Scales both to the larger number of decimal places. */
const aligned = (a: Exact, b: Exact): [bigint, bigint] => {
  const places = Math.max(a.places, b.places)
  return [a.units * 10n ** BigInt(places - a.places), b.units * 10n ** BigInt(places - b.places)]
}
