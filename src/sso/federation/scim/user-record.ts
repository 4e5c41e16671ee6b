import { fold } from '#foundation/text.ts'
import { type Profile } from '../../core/profile.ts'
import { isEmail, profileFaults } from '../../people/person/fields.ts'
import { refused } from './errors.ts'
import { TYPES } from './schema.ts'
import { type Resource, resourceIn } from './values.ts'

/** A person as the directory describes them. */
export type UserRecord = {
  userName: string
  externalId: string | null
  /** Undefined: the directory does not say. */
  active: boolean | undefined
  /** The address of the account. */
  email: string
  /** The other attributes, as they are stored and shown. */
  resource: Resource
}

/** The person in a body, or in a resource after a PATCH. 400 invalidValue without a name or an address. */
export function userIn(body: Resource): UserRecord {
  const { userName, externalId = null, active, emails, ...rest } = resourceIn(TYPES.User, body)
  if (typeof userName !== 'string' || userName.trim() === '')
    throw refused('invalid_value', 'userName: is required')
  const kept = keptEmail(emails as Email[] | undefined)
  const email = kept?.value ?? userName
  if (!isEmail(email))
    throw refused('invalid_value', 'emails: an address is required, unless userName is one')
  const resource = { ...rest, ...(kept && { emails: [kept] }) }
  return {
    userName,
    externalId: externalId as string | null,
    active: active as boolean | undefined,
    email,
    resource,
  }
}

type Email = { value?: string; type?: string; primary?: boolean }

/** The product writes to one address, so only one is kept: the primary one, or that of work, or the first. */
function keptEmail(emails: Email[] = []): (Email & { value: string }) | undefined {
  const usable = emails.filter((one): one is Email & { value: string } => (one.value ?? '') !== '')
  return (
    usable.find(({ primary }) => primary === true) ??
    usable.find(({ type }) => type?.toLowerCase() === 'work') ??
    usable[0]
  )
}

/** What the directory says about the fields of the profile; it cannot set those that are absent here. */
export type DirectoryProfile = Partial<
  Pick<Profile, 'display_name' | 'given_name' | 'family_name' | 'locale' | 'time_zone'>
>

const NAME_LENGTH = 200

/** Values that a profile cannot hold are left out, except that names are cut. */
export function profileOf({ resource }: Pick<UserRecord, 'resource'>): DirectoryProfile {
  const { name = {}, displayName, preferredLanguage, locale, timezone } = resource as Known
  const whole = [name.givenName, name.familyName].filter(Boolean).join(' ')
  const named = {
    display_name: nameIn(displayName ?? name.formatted ?? whole),
    given_name: nameIn(name.givenName),
    family_name: nameIn(name.familyName),
  }
  const others = { locale: (preferredLanguage ?? locale)?.replace('_', '-'), time_zone: timezone }
  const profile: DirectoryProfile = {}
  for (const [field, value] of Object.entries({ ...named, ...others }) as [keyof DirectoryProfile, string][])
    if (value && profileFaults({ [field]: value }).length === 0) profile[field] = value
  return profile
}

type Known = {
  name?: { formatted?: string; givenName?: string; familyName?: string }
  displayName?: string
  preferredLanguage?: string
  locale?: string
  timezone?: string
}

const nameIn = (text: string | undefined) =>
  Array.from(text?.trim() ?? '')
    .slice(0, NAME_LENGTH)
    .join('')

/** Names of groups are compared without case and accents, as people type them into a mapping. */
export const foldName = (text: string) => fold(text.trim())
