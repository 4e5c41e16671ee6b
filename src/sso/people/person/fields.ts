import { domainToASCII } from 'node:url'
import { Type } from 'typebox'
import { ApiError, type FieldError } from '#foundation/errors.ts'

const NAME_LENGTH = 200

/** The profile as a request may carry it: the shape here, the meaning in `profileFaults`. */
export const ProfileBody = {
  display_name: Type.Optional(Type.String({ maxLength: NAME_LENGTH })),
  given_name: Type.Optional(Type.String({ maxLength: NAME_LENGTH })),
  family_name: Type.Optional(Type.String({ maxLength: NAME_LENGTH })),
  username: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  time_zone: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
}

export const EXTERNAL_ID = Type.String({ minLength: 1, maxLength: 128 })

export type Profile = {
  email?: string | undefined
  username?: string | undefined
  phone?: string | undefined
  locale?: string | undefined
  time_zone?: string | undefined
  avatar_url?: string | undefined
  metadata?: Record<string, unknown> | undefined
}

const METADATA_BYTES = 16_384
const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const USERNAME = /^[A-Za-z0-9._-]{3,64}$/
const E164 = /^\+[1-9][0-9]{6,14}$/
/** BCP 47 with a language of two or three letters, so that "english" is not one. */
const LOCALE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/

/** Every field that does not mean what its name says. */
export function profileFaults({
  email,
  username,
  phone,
  locale,
  time_zone,
  avatar_url,
  metadata,
}: Profile): FieldError[] {
  const faults: FieldError[] = []
  const expect = (isFine: boolean, field: string, code: string, message: string) => {
    if (!isFine) faults.push({ field, code, message })
  }
  if (email !== undefined)
    expect(isEmail(email), 'email', 'invalid_email', 'must be an address such as name@example.org')
  if (username !== undefined)
    expect(USERNAME.test(username), 'username', 'invalid_username', 'must be 3 to 64 of A-Z a-z 0-9 . _ -')
  if (phone !== undefined)
    expect(E164.test(phone), 'phone', 'invalid_phone', 'must be a number such as +4930123456')
  if (locale !== undefined)
    expect(isLocale(locale), 'locale', 'invalid_locale', 'must be a language tag such as pt-BR')
  if (time_zone !== undefined)
    expect(isTimeZone(time_zone), 'time_zone', 'invalid_time_zone', 'must be a zone such as Europe/Berlin')
  if (avatar_url !== undefined)
    expect(
      isAvatar(avatar_url),
      'avatar_url',
      'invalid_url',
      'must be an https address of at most 2048 characters',
    )
  if (metadata !== undefined)
    expect(
      Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_BYTES,
      'metadata',
      'too_long',
      'must be at most 16 KiB',
    )
  return faults
}

const TEXTS = ['email', 'username', 'phone', 'locale', 'time_zone', 'avatar_url'] as const

/** As above, of a body that may have any shape: what is no text is the schema's to refuse. */
export function profileFaultsIn(body: unknown): FieldError[] {
  const given = (body ?? {}) as Record<string, unknown>
  const texts = TEXTS.filter((name) => typeof given[name] === 'string').map((name) => [name, given[name]])
  const { metadata } = given
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
  return profileFaults({
    ...(Object.fromEntries(texts) as Profile),
    ...(isObject && { metadata: metadata as Record<string, unknown> }),
  })
}

/** 422 that names every fault. Returns nothing when there is none. */
export function refuseFaults(faults: FieldError[]): void {
  if (faults.length === 0) return
  const detail = faults.map(({ field, message }) => `${field}: ${message}`).join('; ')
  throw new ApiError(422, faults[0]?.code ?? 'validation', detail, { errors: faults })
}

/** dot-atom@domain, at most 254; the domain has two labels or more and may be written in any script. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || text.length > 254 || local.length > 64 || !DOT_ATOM.test(local)) return false
  return isHostName(domain) && !isReleased(text)
}

/** What accounts have whose address was claimed by its owner (sign-in/passwords/claim.ts). Nobody chooses one. */
const RELEASED = 'unclaimed.invalid'
export const releasedAddress = (user_id: string) => `${user_id}@${RELEASED}`
export const isReleased = (email: string) =>
  domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase() === RELEASED

/** Two labels of letters, digits and hyphens or more, the last not a number. */
export function isHostName(text: string): boolean {
  // The WHATWG host parser also takes "%41", "０.１" and "[::1]"; what it changes beyond case and script is refused.
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(text)) return false
  const labels = domainToASCII(text).split('.')
  const isNumber = /^[0-9]+$/.test(labels.at(-1) ?? '')
  return (
    labels.length >= 2 &&
    labels.join('.').length <= 253 &&
    !isNumber &&
    labels.every((one) => LABEL.test(one))
  )
}

/** It is shown in other people's browsers: no scheme but https, no user info, no spaces that a parser drops silently. */
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
