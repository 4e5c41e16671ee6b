import type { Database } from '#foundation/database/database.ts'
import { ApiError, forbidden, notFound } from '#foundation/errors.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { OidcProvider } from './oidc.ts'
import type { Mapping } from './usual-names.ts'
import type { RequiredSignature } from './saml-shape.ts'
import { readSamlMetadata } from './saml-in-worker.ts'
import type { SamlMetadata } from './saml-metadata.ts'
import { planRequired } from './access.ts'
import type { Line } from './provider-calls.ts'

/** A connection with its site, as sign-ins need it. */
export type Provider = {
  connection_id: string
  site_id: string
  site_code: string
  environment: 'sandbox' | 'production'
  type: 'oidc' | 'saml'
  status: 'active' | 'disabled'
  plan: string
  issuer: string | null
  client_id: string | null
  client_secret_enc: Buffer | null
  metadata_url: string | null
  metadata_xml: string | null
  attribute_mapping: Mapping
  role_attribute: string | null
  role_mapping: { value: string; role: string }[]
  required_signature: RequiredSignature
}

/**
 * A connection that people can sign in with. 404 if there is none of this type, 403 if it is disabled or lacks the
 * plan.
 */
export async function requireProvider(
  database: Database,
  connection_id: string,
  type?: Provider['type'],
): Promise<Provider> {
  const provider = await findProvider(database, connection_id, type)
  if (!provider) throw notFound()
  if (provider.plan === 'starter') throw planRequired()
  if (provider.status === 'disabled')
    throw forbidden('connection_disabled', 'This connection is switched off')
  return provider
}

/** A connection in any state, since a logout must end sessions in any state. Undefined if there is none of this type. */
export async function findProvider(
  { fast }: Database,
  connection_id: string,
  type?: Provider['type'],
): Promise<Provider | undefined> {
  const [provider] = await fast<Provider[]>`
    select c.connection_id, c.site_id, i.site_code, i.environment, c.type, c.status, i.plan, c.issuer, c.client_id,
           c.client_secret_enc, c.metadata_url, c.metadata_xml, c.attribute_mapping, c.role_attribute, c.role_mapping,
           c.required_signature
      from sso.connections c join sso.sites i using (site_id)
     where c.connection_id = ${connection_id} and i.deleted_at is null`
  return provider === undefined || (type !== undefined && provider.type !== type) ? undefined : provider
}

export function oidcOf(keys: MasterKeys, provider: Provider): OidcProvider {
  const { environment, issuer, client_id, client_secret_enc, connection_id } = provider
  return {
    environment,
    issuer: issuer ?? '',
    client_id: client_id ?? '',
    client_secret: client_secret_enc && keys.open(client_secret_enc, connection_id).toString('utf8'),
  }
}

/** The SAML metadata; if it has an address, read through the cache of the line. */
export async function samlOf(line: Line, { metadata_url, metadata_xml }: Provider): Promise<SamlMetadata> {
  if (metadata_url === null) return readSamlMetadata(metadata_xml ?? '')
  const { status, body } = await line.document(metadata_url, { isUsable: isMetadata })
  if (status !== 200) throw new ApiError(401, 'sso_failed', `The metadata address answers with ${status}`)
  return readSamlMetadata(body)
}

const isMetadata = (text: string): Promise<boolean> =>
  readSamlMetadata(text).then(
    () => true,
    () => false,
  )
