/** An accepted number: near a value, or between two bounds, which belong to it. Decimals as numbers or as text. */
export type NumberKey =
  | { value: Decimal; tolerance: Decimal; tolerance_type: 'absolute' | 'relative' }
  | { min: Decimal; max: Decimal }
export type Decimal = number | string

/** A decimal without rounding: units / 10^places. */
type Exact = { units: bigint; places: number }

/** Beyond this an exponent is no measurement but an attempt to fill the memory. */
const MAX_EXPONENT = 30
const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Whether the text or number is a decimal that a key may hold: digits, a point, an exponent up to ±30. */
export const isDecimal = (value: Decimal): boolean => readExact(String(value)) !== undefined

/** -1, 0 or 1 as `a` is less than, equal to or greater than `b`. Both are decimals, as isDecimal() says. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(requireExact(a), requireExact(b))
  return left < right ? -1 : Number(left > right)
}

/**
 * Whether an answer is that number, exactly and with bounds included. A number is judged on its shortest text. In text
 * a minus sign may be U+2212, spaces may group digits by three, and the unit may follow. A comma may be a decimal comma
 * or group digits by three: where both can be meant, either may match. What is no number matches nothing.
 */
export const matchesNumber = (key: NumberKey, answer: unknown, unit: string | null): boolean =>
  readingsOf(answer, unit).some((reading) => isWithin(key, reading))

/** A tolerance that is a fraction of the value, as the distance it allows. */
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

/** More than any number somebody writes; what follows may cost more than the length of the text. */
const MAX_ANSWER = 1_000
const MANTISSA = /^([+-]?)([\d., ]*)((?:[eE][+-]?\d+)?)$/
const GROUPED_BY_SPACE = /^\d{1,3}(?: \d{3})+(?=[.,]|$)/
const GROUPED_BY_COMMA = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/

/** The plain decimals that a learner's text can mean: none, one, or two where a comma leaves it open. */
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

/** Both in units of the finer one. */
const aligned = (a: Exact, b: Exact): [bigint, bigint] => {
  const places = Math.max(a.places, b.places)
  return [a.units * 10n ** BigInt(places - a.places), b.units * 10n ** BigInt(places - b.places)]
}
