import { isCleanText } from '#foundation/text.ts'
import { profileFaults } from '../../people/person/fields.ts'
import type { Provider } from './provider.ts'
import { type Mapping, mappedValue, type MAPPED, valuesOf } from './usual-names.ts'

/** What a provider has proven about the person who signs in. */
export type Proof = {
  issuer: string
  subject: string
  attributes: Record<string, string[]>
  /** The provider's name for this sign-in (`sid`, `SessionIndex`), which its logout may contain. */
  idp_session: string | null
}

export type Told = {
  email: string | undefined
  /** True only if the provider marks the address as verified. */
  is_email_verified: boolean
  profile: { display_name?: string; given_name?: string; family_name?: string; locale?: string }
}

/** The person as the provider describes them. Leaves out values that cannot be stored, except the address. */
export function readProof({ attributes }: Pick<Proof, 'attributes'>, mapping: Mapping): Told {
  const valueOf = (field: (typeof MAPPED)[number]) => mappedValue(attributes, mapping, field)
  const profile: Told['profile'] = {}
  for (const field of ['display_name', 'given_name', 'family_name'] as const) {
    const text = valueOf(field)?.trim()
    if (text !== undefined && text !== '' && isCleanText(text))
      profile[field] = Array.from(text).slice(0, 200).join('')
  }
  const locale = valueOf('locale')?.replace('_', '-')
  if (locale !== undefined && profileFaults({ locale }).length === 0) profile.locale = locale
  return { email: valueOf('email')?.trim(), is_email_verified: valueOf('email_verified') === 'true', profile }
}

/** Fits into an index entry, with room for its other columns. */
const MAX_NAME_BYTES = 2_000

/**
 * Whether a provider's names for a person can be stored and told apart: no NUL, no half of a surrogate pair, and short
 * enough for an index. If not, the provider's answer is at fault, not our database.
 */
export const isName = (...names: (string | null)[]): boolean =>
  names.every((name) => name === null || isCleanText(name)) &&
  Buffer.byteLength(names.join('')) <= MAX_NAME_BYTES

const MAX_VALUES = 200
const MAX_LENGTH = 1_000

/** Claims and attributes as lists of short texts; nested values are left out. */
export function toAttributes(claims: Record<string, unknown>): Record<string, string[]> {
  const attributes: Record<string, string[]> = Object.create(null) as Record<string, string[]>
  for (const [name, value] of Object.entries(claims).slice(0, MAX_VALUES))
    attributes[name] = [value]
      .flat()
      .filter((one) => ['string', 'number', 'boolean'].includes(typeof one))
      .map(String)
      .filter((one) => one.length <= MAX_LENGTH)
      .slice(0, MAX_VALUES)
  return attributes
}

/** The role from the provider's groups; null for the site's default role, undefined if the connection maps no roles. */
export function roleOf(
  { role_attribute, role_mapping }: Pick<Provider, 'role_attribute' | 'role_mapping'>,
  { attributes }: Pick<Proof, 'attributes'>,
): string | null | undefined {
  if (role_attribute === null) return undefined
  const values = valuesOf(attributes, role_attribute)
  return role_mapping.find(({ value }) => values.includes(value))?.role ?? null
}
