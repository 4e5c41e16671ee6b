import { Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { Nullable } from '#foundation/http/schemas.ts'

type Rule = { code: string; message: string; isFine: (text: string) => boolean }
type Field = {
  /** In characters. */
  max_length?: number
  rule?: Rule
  /** The standard claim of the scope `profile` (OpenID Connect Core, 5.1). */
  claim?: string
  /** False: not accepted at registration or in an import. */
  at_registration?: false
}

const NAME_LENGTH = 200
const USERNAME = /^[A-Za-z0-9._-]{3,64}$/
const E164 = /^\+[1-9][0-9]{6,14}$/
/** BCP 47 with a language of two or three letters, so that "english" is not one. */
const LOCALE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/

/**
 * The text fields of a profile, each a nullable column of sso.users. Requests, replies, imports, exports, events,
 * claims and the erasure are derived from this table.
 */
export const PROFILE = {
  display_name: { max_length: NAME_LENGTH, claim: 'name' },
  given_name: { max_length: NAME_LENGTH, claim: 'given_name' },
  family_name: { max_length: NAME_LENGTH, claim: 'family_name' },
  username: {
    claim: 'preferred_username',
    rule: {
      code: 'invalid_username',
      message: 'must be 3 to 64 of A-Z a-z 0-9 . _ -',
      isFine: (text) => USERNAME.test(text),
    },
  },
  phone: {
    rule: {
      code: 'invalid_phone',
      message: 'must be a number such as +4930123456',
      isFine: (text) => E164.test(text),
    },
  },
  avatar_url: {
    claim: 'picture',
    at_registration: false,
    rule: {
      code: 'invalid_url',
      message: 'must be an https address of at most 2048 characters',
      isFine: isAvatar,
    },
  },
  locale: {
    claim: 'locale',
    rule: { code: 'invalid_locale', message: 'must be a language tag such as pt-BR', isFine: isLocale },
  },
  time_zone: {
    claim: 'zoneinfo',
    rule: { code: 'invalid_time_zone', message: 'must be a zone such as Europe/Berlin', isFine: isTimeZone },
  },
} as const satisfies Record<string, Field>

export type ProfileField = keyof typeof PROFILE
export type RegisteredField = {
  [Name in ProfileField]: (typeof PROFILE)[Name] extends { at_registration: false } ? never : Name
}[ProfileField]
export type RuleCode<Name extends ProfileField> = {
  [One in Name]: (typeof PROFILE)[One] extends { rule: { code: infer Code } } ? Code : never
}[Name]
export type Profile = Record<ProfileField, string | null>

export const PROFILE_FIELDS = Object.keys(PROFILE) as ProfileField[]
export const REGISTERED_FIELDS = PROFILE_FIELDS.filter(
  (name): name is RegisteredField => fieldOf(name).at_registration !== false,
)
export function fieldOf(name: ProfileField): Field {
  return PROFILE[name]
}

export const PROFILE_CLAIMS = PROFILE_FIELDS.flatMap((name) => {
  const { claim } = fieldOf(name)
  return claim === undefined ? [] : [{ name, claim }]
})

const textOf = (name: ProfileField) => {
  const { max_length } = fieldOf(name)
  return Type.String(max_length === undefined ? {} : { maxLength: max_length })
}
const each = <Name extends ProfileField, Made>(names: readonly Name[], make: (name: Name) => Made) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Made>

/** The schemas for a registration, a change and a reply. */
export const RegisteredTexts = each(REGISTERED_FIELDS, (name) => Type.Optional(textOf(name)))
export const ChangedTexts = each(PROFILE_FIELDS, (name) => Type.Optional(Nullable(textOf(name))))
export const ShownTexts = each(PROFILE_FIELDS, () => Nullable(Type.String()))

/** Their columns, qualified by the table or record `from`. */
export const profileColumns = (sql: Lane, from?: string, names: readonly ProfileField[] = PROFILE_FIELDS) =>
  sql`${sql(names.map((name) => (from === undefined ? name : `${from}.${name}`)))}`

/** Only the profile fields, null where missing. */
export const profileIn = (texts: Partial<Record<ProfileField, string | null | undefined>>): Profile =>
  each(PROFILE_FIELDS, (name) => texts[name] ?? null)

/**
 * Shown in other people's browsers, so: https only, no user info, no white space that a parser would drop silently.
 */
function isAvatar(text: string): boolean {
  if (text.length > 2_048 || /[\s\\]/.test(text) || !/^https:\/\/[^/?#]/i.test(text) || !URL.canParse(text))
    return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

function isLocale(text: string): boolean {
  if (!LOCALE.test(text) || text.length > 35) return false
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

function isTimeZone(text: string): boolean {
  // "+01:00" is an offset, not a zone.
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
