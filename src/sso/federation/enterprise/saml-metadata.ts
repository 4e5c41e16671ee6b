import { X509Certificate } from 'node:crypto'
import { scanXml } from './xml.ts'

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const MAX_CERTIFICATES = 10
/** Characters of base64. A certificate with a key of 16,384 bits has about 6,000. */
const MAX_CERTIFICATE = 32_768

/** The part of a SAML identity provider's metadata that we use. */
export type SamlMetadata = {
  entity_id: string
  /** The address for sign-in requests by redirect. */
  sign_in_url: string
  /** The address for responses to logout requests; null if the provider takes none by redirect. */
  logout_url: string | null
  /** The signing certificates (PEM). */
  certificates: string[]
}

/** Reads the metadata of one identity provider (SAML 2.0 Metadata). Throws if it is invalid. */
export function readSamlMetadata(text: string): SamlMetadata {
  const entities: string[] = []
  const services: Record<string, string | undefined> = {}
  const certificates: string[] = []
  let isProvider = false
  let signs = false
  scanXml(text, {
    open({ uri, local, attributes }) {
      if (uri !== METADATA) return
      const valueOf = (name: string) => attributes[name]?.value
      if (local === 'EntityDescriptor') entities.push(valueOf('entityID') ?? '')
      if (local === 'IDPSSODescriptor') isProvider = true
      if (local === 'KeyDescriptor') signs = isProvider && valueOf('use') !== 'encryption'
      if (isProvider && valueOf('Binding') === REDIRECT)
        services[local] ??=
          (local === 'SingleLogoutService' ? valueOf('ResponseLocation') : undefined) ?? valueOf('Location')
    },
    close({ uri, local }, content) {
      if (uri === METADATA && local === 'IDPSSODescriptor') isProvider = false
      if (uri === METADATA && local === 'KeyDescriptor') signs = false
      if (local === 'X509Certificate' && signs) certificates.push(certificateOf(content))
    },
  })
  const [entity_id = ''] = entities
  const { SingleSignOnService: sign_in_url, SingleLogoutService: logout_url = null } = services
  if (entities.length !== 1 || entity_id === '') throw new Error('the metadata describes not one entity')
  if (sign_in_url === undefined) throw new Error('the provider takes no sign-in requests by redirect')
  if (certificates.length === 0 || certificates.length > MAX_CERTIFICATES)
    throw new Error('the provider names no certificate that signs, or very many')
  for (const address of [sign_in_url, logout_url])
    if (address !== null && !/^https?:\/\//i.test(address)) throw new Error('an address in it is none')
  return { entity_id, sign_in_url, logout_url, certificates: [...new Set(certificates)] }
}

function certificateOf(base64: string): string {
  if (base64.length > MAX_CERTIFICATE) throw new Error('a certificate is too long')
  return new X509Certificate(Buffer.from(base64, 'base64')).toString()
}
