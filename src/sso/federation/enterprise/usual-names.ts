/* How providers name the fields of a person. Server and browser read a mapping by this one rule. */

export const MAPPED = [
  'email',
  'email_verified',
  'display_name',
  'given_name',
  'family_name',
  'locale',
] as const
export type Mapping = Partial<Record<(typeof MAPPED)[number], string>>
export type Attributes = Readonly<Record<string, readonly string[]>>

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
/** The usual names of each field, in order: OpenID Connect, plain SAML, LDAP by OID, Microsoft. */
const USUAL: Record<(typeof MAPPED)[number], readonly string[]> = {
  email: ['email', 'mail', 'urn:oid:0.9.2342.19200300.100.1.3', `${CLAIMS}/emailaddress`],
  email_verified: ['email_verified'],
  display_name: ['name', 'displayName', 'urn:oid:2.16.840.1.113730.3.1.241', `${CLAIMS}/name`],
  given_name: ['given_name', 'givenName', 'urn:oid:2.5.4.42', `${CLAIMS}/givenname`],
  family_name: ['family_name', 'sn', 'urn:oid:2.5.4.4', `${CLAIMS}/surname`],
  locale: ['locale', 'preferredLanguage'],
}

/** The first value of a field, by its mapped name or else by the usual ones. */
export function mappedValue(
  attributes: Attributes,
  mapping: Mapping,
  field: (typeof MAPPED)[number],
): string | undefined {
  const named = mapping[field]
  const names = named === undefined ? USUAL[field] : [named]
  return names.flatMap((name) => valuesOf(attributes, name))[0]
}

export const valuesOf = (attributes: Attributes, name: string): readonly string[] =>
  Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : []
