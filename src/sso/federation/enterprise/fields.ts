import { type Static, Type } from 'typebox'
import { ApiError, unprocessable } from '#foundation/errors.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { readSamlMetadata } from './saml-in-worker.ts'

const Word = Type.String({ minLength: 1, maxLength: 200 })
const Url = Type.String({ minLength: 1, maxLength: 2_048 })
const Name = Type.String({ minLength: 1, maxLength: 100 })

/** The names under which the provider sends each field; the usual names by default. */
const AttributeMapping = Type.Partial(
  Type.Object({
    email: Word,
    email_verified: Word,
    display_name: Word,
    given_name: Word,
    family_name: Word,
    locale: Word,
  }),
)
/** The first rule whose value the attribute contains gives the role; otherwise the site's default role applies. */
const RoleMapping = Type.Array(
  Type.Object({
    value: Type.String({ minLength: 1, maxLength: 1_000 }),
    role: Type.String({ minLength: 1, maxLength: 64 }),
  }),
  { maxItems: 50 },
)

const Source = {
  issuer: Type.Optional(Url),
  client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  client_secret: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 1_000 }))),
  metadata_url: Type.Optional(Url),
  metadata_xml: Type.Optional(Type.String({ minLength: 1, maxLength: 500_000 })),
}
/** The signature that a SAML response must carry. A signature on the response covers its assertion. */
const RequiredSignature = OneOf(['either', 'assertion', 'response', 'both'])

const Mapping = {
  attribute_mapping: Type.Optional(AttributeMapping),
  role_attribute: Type.Optional(Nullable(Word)),
  role_mapping: Type.Optional(RoleMapping),
  required_signature: Type.Optional(RequiredSignature),
}

export type ConnectionBody = Static<typeof ConnectionBody>
export const ConnectionBody = Type.Object({
  type: OneOf(['oidc', 'saml']),
  name: Name,
  ...Source,
  ...Mapping,
})

export type ConnectionChange = Static<typeof ConnectionChange>
/** Absent fields stay. The type of a connection cannot change. */
export const ConnectionChange = Type.Object({
  name: Type.Optional(Name),
  status: Type.Optional(OneOf(['active', 'disabled'])),
  ...Source,
  ...Mapping,
  version: Type.Optional(Type.Integer({ minimum: 1 })),
})

export type Domain = Static<typeof Domain>
/** Verified by a TXT record, or by an operator's word. */
export const Domain = Type.Object({
  domain: Type.String(),
  txt_name: Type.String(),
  txt_value: Type.String(),
  verified_at: Nullable(Time),
  verified_by: Nullable(OneOf(['dns', 'operator'])),
})

export type EncryptionKey = Static<typeof EncryptionKey>
/**
 * The key that a SAML provider encrypts assertions with. The key without `ends_at` is in our metadata; the others still
 * decrypt.
 */
export const EncryptionKey = Type.Object({
  key_id: Uuid,
  certificate: Type.String(),
  created_at: Time,
  ends_at: Nullable(Time),
})

export type Connection = Static<typeof Connection>
/** Never contains the secret. The provider is configured with its addresses. */
export const Connection = Type.Object({
  connection_id: Uuid,
  site_id: Uuid,
  type: OneOf(['oidc', 'saml']),
  name: Type.String(),
  status: OneOf(['active', 'disabled']),
  issuer: Nullable(Type.String()),
  client_id: Nullable(Type.String()),
  has_client_secret: Type.Boolean(),
  metadata_url: Nullable(Type.String()),
  has_metadata_xml: Type.Boolean(),
  attribute_mapping: AttributeMapping,
  role_attribute: Nullable(Type.String()),
  role_mapping: RoleMapping,
  domains: Type.Array(Domain),
  start_url: Type.String(),
  redirect_uri: Type.Optional(Type.String()),
  backchannel_logout_uri: Type.Optional(Type.String()),
  sp_entity_id: Type.Optional(Type.String()),
  acs_url: Type.Optional(Type.String()),
  slo_url: Type.Optional(Type.String()),
  required_signature: Type.Optional(RequiredSignature),
  encryption_keys: Type.Optional(Type.Array(EncryptionKey)),
  version: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})

export const DomainBody = Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) })
/** `is_override`: an operator vouches for the domain, where no public name server can be asked. */
export const VerifyBody = Type.Object({ is_override: Type.Boolean({ default: false }) })

type Given = {
  type: 'oidc' | 'saml'
  environment: 'sandbox' | 'production'
  issuer?: string | null | undefined
  client_id?: string | null | undefined
  metadata_url?: string | null | undefined
  metadata_xml?: string | null | undefined
  required_signature?: string | undefined
}

/** The fault of the metadata in a request; undefined if it is valid or absent. */
export async function metadataFault(metadata_xml: string | null | undefined): Promise<ApiError | undefined> {
  if (metadata_xml === undefined || metadata_xml === null) return undefined
  try {
    await readSamlMetadata(metadata_xml)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    const reason = (error as Error).message.slice(0, 200)
    return unprocessable('metadata_xml', 'invalid_metadata', `cannot be used: ${reason}`)
  }
}

/**
 * 422 unless the fields make a connection of this type. `fault` comes from `metadataFault`, because reading metadata
 * takes time and this check runs under a lock. Addresses are vetted elsewhere.
 */
export function checkSource(given: Given, fault: ApiError | undefined): void {
  const { type, issuer, client_id, metadata_url, metadata_xml, required_signature = 'either' } = given
  const isGiven = (value: string | null | undefined) => value !== undefined && value !== null
  const require = (isFine: boolean, field: string, code: string, message: string) => {
    if (!isFine) throw unprocessable(field, code, message)
  }
  const forbid = (isThere: boolean, field: string, message: string) =>
    require(!isThere, field, 'not_allowed', message)
  if (type === 'oidc') {
    const [needed, ofSaml] = ['is required for a connection of type oidc', 'is for connections of type saml']
    require(isGiven(issuer), 'issuer', 'required', needed)
    require(isGiven(client_id), 'client_id', 'required', needed)
    forbid(isGiven(metadata_url), 'metadata_url', ofSaml)
    forbid(isGiven(metadata_xml), 'metadata_xml', ofSaml)
    forbid(required_signature !== 'either', 'required_signature', ofSaml)
    return
  }
  const ofOidc = 'is for connections of type oidc'
  forbid(isGiven(issuer), 'issuer', `${ofOidc}; of saml it stands in the metadata`)
  forbid(isGiven(client_id), 'client_id', ofOidc)
  const isOne = isGiven(metadata_url) !== isGiven(metadata_xml)
  const oneOfTwo = 'or metadata_xml is required for a connection of type saml, one of the two'
  require(isOne, 'metadata_url', 'required', oneOfTwo)
  if (fault) throw fault
}
