import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { type Attribute, type ResourceType, TYPES } from './schema.ts'

/** What a client is told about this service (RFC 7644, section 4). */

export const LIST_URN = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const MAX_RESULTS = 200
export const MAX_OPERATIONS = 100
export const MAX_PAYLOAD = 1_048_576

/** Documents of fixed content, so their schema is open. */
export const Document = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

export const listOf = (all: readonly object[]) => ({
  schemas: [LIST_URN],
  totalResults: all.length,
  startIndex: 1,
  itemsPerPage: all.length,
  Resources: all,
})

const CONFIG_URN = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'

export const serviceProviderConfig = (base: string) => ({
  schemas: [CONFIG_URN],
  patch: { supported: true },
  bulk: { supported: true, maxOperations: MAX_OPERATIONS, maxPayloadSize: MAX_PAYLOAD },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token of the connection, made by an ADMIN of its site',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

export const resourceTypes = (base: string) => Object.values(TYPES).map((type) => resourceTypeOf(base, type))

export const resourceType = (base: string, id: string) =>
  resourceTypeOf(
    base,
    find(({ name }) => name === id),
  )

const resourceTypeOf = (base: string, { name, endpoint, description, urn }: ResourceType) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint: `/${endpoint}`,
  description,
  schema: urn,
  schemaExtensions: [],
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
})

export const schemas = (base: string) => Object.values(TYPES).map((type) => schemaOf(base, type))

export const schema = (base: string, id: string) =>
  schemaOf(
    base,
    find(({ urn }) => urn.toLowerCase() === id.toLowerCase()),
  )

const schemaOf = (base: string, { urn, name, description, own }: ResourceType) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id: urn,
  name,
  description,
  attributes: own.map(described),
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${urn}` },
})

/** With every characteristic that RFC 7643 (section 7) names, because clients do not all know the defaults. */
function described(attribute: Attribute): object {
  const { name, type, description, multiValued = false, required = false, caseExact = false } = attribute
  const { mutability = 'readWrite', returned = 'default', uniqueness = 'none', subAttributes } = attribute
  const { canonicalValues, referenceTypes } = attribute
  return {
    name,
    type,
    multiValued,
    description,
    required,
    caseExact,
    mutability,
    returned,
    uniqueness,
    ...(canonicalValues && { canonicalValues }),
    ...(referenceTypes && { referenceTypes }),
    ...(subAttributes && { subAttributes: subAttributes.map(described) }),
  }
}

function find(isWanted: (type: ResourceType) => boolean): ResourceType {
  const found = Object.values(TYPES).find(isWanted)
  if (!found) throw notFound()
  return found
}
