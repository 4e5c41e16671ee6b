import { ApiError, type FieldError } from '#foundation/errors.ts'
import { normalized } from '#foundation/text.ts'

/** Reports a fault of one value. The caller continues, so that one response names all faults of a request. */
export type Refuse = (code: string, message: string) => void
/** Converts a sent value to the stored one. */
export type Rule<T> = (value: NonNullable<T>, refuse: Refuse) => T
export type Rules<T> = { [Name in keyof T]: Rule<T[Name]> }

export type Faults = { at: (field: string) => Refuse; refuseIfAny: () => void }

/** Collects the faults that a JSON schema cannot express; `refuseIfAny` throws 422 with at most ten of them. */
export function collectFaults(): Faults {
  const errors: FieldError[] = []
  return {
    at: (field) => (code, message) => errors.push({ field, code, message }),
    refuseIfAny() {
      if (errors.length === 0) return
      const named = errors.slice(0, 10)
      const detail = named.map(({ field, message }) => `${field}: ${message}`).join('; ')
      throw new ApiError(422, 'validation', detail, { errors: named })
    },
  }
}

/**
 * The fields of `body` that have a rule, in the form that is stored. An absent field stays absent, null means the
 * default, and other fields are ignored (docs/choices-learning.md). `path` is the prefix in messages, such as
 * `episodes[3].`.
 */
export function cleanFields<T extends object>(
  body: object,
  rules: Rules<T>,
  defaults: Omit<T, 'title' | 'url'>,
  faults: Faults,
  path = '',
): Partial<T> {
  const cleaned: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(rules) as [string, Rule<unknown>][]) {
    const value = (body as Record<string, unknown>)[name]
    if (value === undefined) continue
    cleaned[name] =
      value === null ? (defaults as Record<string, unknown>)[name] : rule(value, faults.at(`${path}${name}`))
  }
  return cleaned as Partial<T>
}

export const asSent = <T>(value: T): T => value

/** Text is stored as NFC and otherwise unchanged. */
export const text = (value: string) => normalized(value, 'NFC')

/** Titles and names are trimmed and must not be empty. */
export function name(value: string, refuse: Refuse): string {
  const trimmed = text(value).trim()
  if (trimmed === '') refuse('blank', 'must not be blank')
  return trimmed
}

/** A list of names without duplicates. */
export const names = (values: string[], refuse: Refuse): string[] => [
  ...new Set(values.map((value) => name(value, refuse))),
]

const ABSOLUTE = /^https?:\/\/[^/\\?#]/i
/** A path of this site. A second slash names another host, and browsers read a backslash as a slash. */
const OWN_PATH = /^\/(?![/\\])/
/** WHATWG URL drops these characters silently, so the parsed address would differ from the text. */
const SPACES = /[\s\p{Cc}]/u

/**
 * A Url (docs/choices-learning.md): absolute http or https without user info, or a path of this site. Stored as sent.
 */
export function link(value: string, refuse: Refuse): string {
  if (!isLink(value)) refuse('url', 'must be an http or https address or a path that begins with one slash')
  return value
}

/** An absolute http or https address without user info. */
export function absoluteLink(value: string, refuse: Refuse): string {
  if (OWN_PATH.test(value) || !isLink(value)) refuse('url', 'must be an http or https address')
  return value
}

function isLink(value: string): boolean {
  if (SPACES.test(value)) return false
  if (OWN_PATH.test(value)) return true
  if (!ABSOLUTE.test(value) || !URL.canParse(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

/** A language tag in canonical form (BCP 47): `eng` is `en`, `en-us` is `en-US`. */
export function language(value: string, refuse: Refuse): string {
  const tag = canonicalLanguage(value)
  if (tag === undefined) refuse('language', 'must be a BCP 47 language tag')
  return tag ?? value
}

export function canonicalLanguage(value: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(value)[0]
  } catch {
    return undefined
  }
}

/** A number with at most `places` decimals. It checks the shortest decimal text, not the binary value. */
export const decimals =
  (places: number) =>
  <T extends number>(value: T, refuse: Refuse): T => {
    const found = /^-?\d+(?:\.(\d+))?$/.exec(String(value))
    if (!found || (found[1] ?? '').length > places) refuse('decimals', `must have at most ${places} decimals`)
    return value
  }
