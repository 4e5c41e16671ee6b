import { domainToASCII } from 'node:url'
import { Type } from 'typebox'
import { ApiError, type FieldError } from '#foundation/errors.ts'
import { fieldOf, PROFILE_FIELDS, type ProfileField, RegisteredTexts } from '../../core/profile.ts'

/** The profile in a request: this schema checks the shape, `profileFaults` the values. */
export const ProfileBody = {
  ...RegisteredTexts,
  metadata: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
}

export const EXTERNAL_ID = Type.String({ minLength: 1, maxLength: 128 })

type Judged = Partial<Record<ProfileField | 'email', string | null | undefined>> & {
  metadata?: Record<string, unknown> | undefined
}

const METADATA_BYTES = 16_384
const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Lists every field with an invalid value; null and undefined are skipped. */
export function profileFaults({ email, metadata, ...texts }: Judged): FieldError[] {
  const faults: FieldError[] = []
  if (typeof email === 'string' && !isEmail(email))
    faults.push({
      field: 'email',
      code: 'invalid_email',
      message: 'must be an address such as name@example.org',
    })
  for (const field of PROFILE_FIELDS) {
    const [text, { rule }] = [texts[field], fieldOf(field)]
    if (rule && typeof text === 'string' && !rule.isFine(text))
      faults.push({ field, code: rule.code, message: rule.message })
  }
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES)
    faults.push({ field: 'metadata', code: 'too_long', message: 'must be at most 16 KiB' })
  return faults
}

/** The same for an unvalidated body; values of the wrong type are left to the schema. */
export function profileFaultsIn(body: unknown): FieldError[] {
  const { metadata, ...given } = (body ?? {}) as Judged
  const isObject = typeof metadata === 'object' && !Array.isArray(metadata)
  return profileFaults(isObject ? { ...given, metadata } : given)
}

/** 422 that lists every fault; does nothing if there are none. */
export function refuseFaults(faults: FieldError[]): void {
  if (faults.length === 0) return
  const detail = faults.map(({ field, message }) => `${field}: ${message}`).join('; ')
  throw new ApiError(422, faults[0]?.code ?? 'validation', detail, { errors: faults })
}

/** dot-atom@domain, at most 254 characters; the domain has at least two labels and may use any script. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || text.length > 254 || local.length > 64 || !DOT_ATOM.test(local)) return false
  return isHostName(domain) && !isReleased(text)
}

/**
 * Domain of the address that an account gets when its own address was claimed by its owner
 * (sign-in/passwords/claim.ts). Nobody may choose such an address.
 */
const RELEASED = 'unclaimed.invalid'
export const releasedAddress = (user_id: string) => `${user_id}@${RELEASED}`
export const isReleased = (email: string) =>
  domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase() === RELEASED

/** At least two labels of letters, digits and hyphens; the last is not a number. */
export function isHostName(text: string): boolean {
  // The WHATWG host parser also accepts "%41", "０.１" and "[::1]"; anything it would change beyond case and script is
  // refused.
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
