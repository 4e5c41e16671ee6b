/** The attributes of SCIM that we keep: what discovery tells, what a body may set, and what a filter may name. */

export type Attribute = {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'dateTime' | 'reference'
  description: string
  multiValued?: true
  required?: true
  caseExact?: true
  mutability?: 'readOnly' | 'readWrite' | 'immutable'
  returned?: 'always' | 'default'
  uniqueness?: 'none' | 'server'
  canonicalValues?: readonly string[]
  referenceTypes?: readonly string[]
  subAttributes?: readonly Attribute[]
}

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group'

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
})

/** Every resource has these; RFC 7643 keeps them out of the schemas that discovery shows. */
const COMMON: readonly Attribute[] = [
  text('id', 'Our id', { caseExact: true, mutability: 'readOnly', returned: 'always', uniqueness: 'server' }),
  text('externalId', 'The id at the directory', { caseExact: true }),
  {
    name: 'meta',
    type: 'complex',
    description: 'When it was made and changed',
    mutability: 'readOnly',
    subAttributes: [
      text('resourceType', 'User or Group', { mutability: 'readOnly', caseExact: true }),
      { name: 'created', type: 'dateTime', description: 'When it was made', mutability: 'readOnly' },
      { name: 'lastModified', type: 'dateTime', description: 'When it was changed', mutability: 'readOnly' },
      { name: 'location', type: 'reference', description: 'Its address', mutability: 'readOnly' },
      text('version', 'Its ETag', { mutability: 'readOnly', caseExact: true }),
    ],
  },
]

const USER: readonly Attribute[] = [
  text('userName', 'The name at the directory; unique in the connection', {
    required: true,
    uniqueness: 'server',
  }),
  {
    name: 'name',
    type: 'complex',
    description: 'The parts of the name',
    subAttributes: [
      text('formatted', 'The whole name'),
      text('familyName', 'The family name'),
      text('givenName', 'The given name'),
    ],
  },
  text('displayName', 'The name as others see it'),
  text('preferredLanguage', 'The language of pages and mail, such as de-CH'),
  text('locale', 'Where numbers and dates are written as, such as de-CH'),
  text('timezone', 'A zone such as Europe/Berlin', { caseExact: true }),
  { name: 'active', type: 'boolean', description: 'Whether the person may use the site' },
  {
    name: 'emails',
    type: 'complex',
    multiValued: true,
    description: 'The primary or work address, at a verified domain of the connection; only one is kept',
    subAttributes: [
      text('value', 'The address'),
      text('type', 'Its kind', { canonicalValues: ['work', 'home', 'other'] }),
      { name: 'primary', type: 'boolean', description: 'Whether it is the first choice' },
    ],
  },
  {
    name: 'groups',
    type: 'complex',
    multiValued: true,
    description: 'The groups of the connection that the person is in',
    mutability: 'readOnly',
    subAttributes: [
      text('value', 'The id of the group', { mutability: 'readOnly', caseExact: true }),
      text('display', 'The name of the group', { mutability: 'readOnly' }),
    ],
  },
]

const GROUP: readonly Attribute[] = [
  text('displayName', 'The name, which the role mapping of the connection refers to', {
    required: true,
    uniqueness: 'server',
  }),
  {
    name: 'members',
    type: 'complex',
    multiValued: true,
    description: 'The people in the group',
    subAttributes: [
      text('value', 'The id of the person', { mutability: 'immutable', caseExact: true }),
      text('display', 'The name of the person', { mutability: 'readOnly' }),
    ],
  },
]

/** Standard attributes of people that the product has no use for: accepted, and not kept. */
const UNKEPT_USER =
  'nickName profileUrl title userType password phoneNumbers ims photos addresses entitlements roles x509Certificates'

export type ResourceType = {
  name: 'User' | 'Group'
  urn: string
  endpoint: 'Users' | 'Groups'
  description: string
  own: readonly Attribute[]
  /** Attributes in lower case that a client may send and that are not kept. */
  unkept: ReadonlySet<string>
}

export const TYPES = {
  User: {
    name: 'User',
    urn: USER_URN,
    endpoint: 'Users',
    description: 'People of the connection',
    own: USER,
    unkept: new Set(UNKEPT_USER.toLowerCase().split(' ')),
  },
  Group: {
    name: 'Group',
    urn: GROUP_URN,
    endpoint: 'Groups',
    description: 'Groups of the connection',
    own: GROUP,
    unkept: new Set<string>(),
  },
} as const satisfies Record<string, ResourceType>

/** An attribute by its name in any case; `sub` is a sub-attribute of a complex one. */
export function attributeOf({ own }: ResourceType, name: string): Attribute | undefined {
  return named([...COMMON, ...own], name)
}
export const subAttributeOf = ({ subAttributes = [] }: Attribute, name: string) => named(subAttributes, name)

const named = (attributes: readonly Attribute[], name: string) =>
  attributes.find((one) => one.name.toLowerCase() === name.toLowerCase())
