import type { SAML } from '@node-saml/node-saml'
import { type Proof, toAttributes } from './proof.ts'
import { decryptAssertion } from './saml-encryption.ts'
import type { SamlMetadata } from './saml-metadata.ts'
import { decode, type RequiredSignature, requireShape, requireSigned, type Signed } from './saml-shape.ts'

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
const SKEW_MS = 60_000
/** Maximum age of a logout request (ms). */
const LOGOUT_MS = 300_000
export type SamlAddresses = { sp_entity_id: string; acs_url: string; slo_url: string }

/** A request that we sent, and when (ISO 8601). */
export type Sent = { created_at: string }
/** Spends the request with this id; only one call gets it. */
export type Spend = (request_id: string) => Promise<Sent | undefined>

type Options = {
  force_authn?: boolean
  /** The request of ours that the response answers. */
  answers?: Sent & { request_id: string }
  life_ms?: number
  onSent?: (request_id: string) => void
  signed?: Signed
  /** The key (PEM) that decrypts the assertion. */
  decryption_key?: string | undefined
}
/**
 * node-saml with every check enabled. Its request cache holds only the request of ours that was spent. Loaded at first
 * use: it is a tenth of all files that a start would read.
 */
async function open(
  { entity_id, sign_in_url, logout_url, certificates }: SamlMetadata,
  { sp_entity_id, acs_url, slo_url }: SamlAddresses,
  options: Options = {},
): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml')
  const { force_authn = false, answers, life_ms = 0, onSent, decryption_key } = options
  const { signed = { response: true, assertion: true } } = options
  return new SAML({
    entryPoint: sign_in_url,
    logoutUrl: logout_url ?? sign_in_url,
    callbackUrl: acs_url,
    logoutCallbackUrl: slo_url,
    issuer: sp_entity_id,
    audience: sp_entity_id,
    idpIssuer: entity_id,
    idpCert: certificates,
    wantAssertionsSigned: signed.assertion,
    wantAuthnResponseSigned: signed.response,
    ...(decryption_key !== undefined && { decryptionPvk: decryption_key }),
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: life_ms,
    acceptedClockSkewMs: SKEW_MS,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    forceAuthn: force_authn,
    cacheProvider: {
      saveAsync: async (request_id, value) => {
        onSent?.(request_id)
        return { value, createdAt: Date.parse(value) }
      },
      getAsync: async (request_id) => (answers?.request_id === request_id ? answers.created_at : null),
      removeAsync: async () => null,
    },
  })
}

/** The address to sign in at the provider, and the id of the request. */
export async function beginSaml(
  provider: SamlMetadata,
  addresses: SamlAddresses,
  asked: { force_authn: boolean },
): Promise<{ location: string; request_id: string }> {
  let request_id = ''
  const saml = await open(provider, addresses, { ...asked, onSent: (id) => (request_id = id) })
  const location = await saml.getAuthorizeUrlAsync('', undefined, {})
  return { location, request_id }
}

export type SamlProof = Proof & {
  assertion_id: string
  /** When the person last authenticated at the provider (ms). */
  authenticated_at: number
}

export type Asked = {
  spend: Spend
  life_ms: number
  required_signature: RequiredSignature
  /** Our decryption keys (PEM), newest first; called only for an encrypted assertion. */
  decryptionKeys: () => Promise<string[]>
}

/**
 * Verifies a response (SAML 2.0 Profiles, 4.1.4) and returns its proof; throws if it is invalid. node-saml checks
 * signatures, InResponseTo, audience and times on the signed bytes; the code here checks shape, Destination, Recipient,
 * issuer and status.
 */
export async function finishSaml(
  provider: SamlMetadata,
  addresses: SamlAddresses,
  SAMLResponse: string,
  { spend, life_ms, required_signature, decryptionKeys }: Asked,
): Promise<SamlProof> {
  const xml = decode(SAMLResponse)
  const { root, signatures, isEncrypted } = requireShape(xml, 'Response')
  if (root['Destination'] !== addresses.acs_url) throw new Error('the message is meant for another address')
  const request_id = root['InResponseTo'] ?? ''
  const plain = isEncrypted ? undefined : requireSigned(signatures, required_signature)
  // Allows one try per request of ours, before decryption or tree building: both are expensive, and strangers can cause
  // them.
  const sent = await spend(request_id)
  if (!sent) throw new Error('the response answers no request of ours')
  const asked = { answers: { ...sent, request_id }, life_ms }
  if (plain) return judge(provider, addresses, SAMLResponse, { ...asked, signed: plain })
  const { assertion, key: decryption_key } = await decryptAssertion(xml, await decryptionKeys())
  const inner = requireShape(assertion, 'Assertion').signatures.map((path) => `Response/${path}`)
  const signed = requireSigned([...signatures, ...inner], required_signature)
  return judge(provider, addresses, SAMLResponse, { ...asked, signed, decryption_key })
}

type Judged = Options & { answers: { request_id: string } & Sent; signed: Signed }

/** Checks the rest of a response that passed the shape check. */
async function judge(
  provider: SamlMetadata,
  addresses: SamlAddresses,
  SAMLResponse: string,
  options: Judged,
): Promise<SamlProof> {
  const saml = await open(provider, addresses, options)
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse })
  if (!profile) throw new Error('the response holds no assertion')
  const { issuer, nameID: subject, nameIDFormat, sessionIndex = null, attributes } = profile
  const assertion = profile.getAssertion?.()['Assertion'] as Parsed | undefined
  if (!assertion) throw new Error('the response holds no assertion')
  if (issuer !== provider.entity_id) throw new Error('the assertion is of another issuer')
  if (typeof subject !== 'string' || subject === '') throw new Error('the assertion names nobody')
  if (nameIDFormat === TRANSIENT) throw new Error('a transient name says nothing about who it is')
  const [statement] = childrenOf(assertion, 'AuthnStatement')
  if (!statement) throw new Error('the assertion tells of no sign-in')
  requireBearer(assertion, addresses.acs_url, options.answers.request_id)
  return {
    issuer,
    subject,
    attributes: toAttributes((attributes ?? {}) as Record<string, unknown>),
    idp_session: sessionIndex,
    assertion_id: String(attributesOf(assertion)['ID'] ?? ''),
    authenticated_at: Date.parse(attributesOf(statement)['AuthnInstant'] ?? ''),
  }
}

export type SamlLogout = {
  issuer: string
  subject: string
  idp_session: string | null
  message_id: string
  /** The id of the request, which our response names. */
  request_id: string
}

/** Verifies a signed logout request (SAML 2.0 Profiles, 4.4). Throws if it is invalid. */
export async function readLogoutRequest(
  provider: SamlMetadata,
  addresses: SamlAddresses,
  SAMLRequest: string,
): Promise<SamlLogout> {
  const xml = decode(SAMLRequest)
  const { root, signatures } = requireShape(xml, 'LogoutRequest')
  const { Destination, IssueInstant = '' } = root
  if (Destination !== addresses.slo_url) throw new Error('the message is meant for another address')
  if (signatures.join() !== 'LogoutRequest/Signature')
    throw new Error('the message is not signed as it must be')
  if (!(Math.abs(Date.now() - Date.parse(IssueInstant)) < LOGOUT_MS))
    throw new Error('the request is too old')
  const saml = await open(provider, addresses)
  const { profile } = await saml.validatePostRequestAsync({ SAMLRequest })
  const { issuer, nameID: subject, sessionIndex: idp_session = null, ID = '' } = profile
  return { issuer, subject, idp_session, message_id: `logout ${ID}`, request_id: ID }
}

/** The address that takes our response to a logout request; null if the provider wants none. */
export async function logoutAnswer(
  provider: SamlMetadata,
  addresses: SamlAddresses,
  { issuer, subject, request_id }: SamlLogout,
  RelayState: string,
): Promise<string | null> {
  if (provider.logout_url === null) return null
  const request = { issuer, nameID: subject, nameIDFormat: '', ID: request_id }
  const saml = await open(provider, addresses)
  return saml.getLogoutResponseUrlAsync(request, RelayState, {}, true)
}

/** Our own metadata for the provider's configuration, with the certificate of the decryption key. */
export async function ownMetadata(
  addresses: SamlAddresses,
  { required_signature, certificate }: { required_signature: RequiredSignature; certificate: string | null },
): Promise<string> {
  const nobody = { entity_id: '', sign_in_url: addresses.acs_url, logout_url: null, certificates: ['none'] }
  const signed = { response: true, assertion: required_signature !== 'response' }
  // node-saml includes the certificate only if it has a key. It does not read the key here.
  const decryption_key = certificate ?? undefined
  const saml = await open(nobody, addresses, { signed, decryption_key })
  return saml.generateServiceProviderMetadata(certificate)
}

type Parsed = { [name: string]: unknown }
const childrenOf = (element: Parsed, name: string) => (element[name] ?? []) as Parsed[]
const attributesOf = (element: Parsed) => (element['$'] ?? {}) as Record<string, string | undefined>

/**
 * Profiles, 4.1.4.3: every confirmation must be for us and for this request, and must expire; node-saml checked the
 * times. The attributes of the response cannot replace this, since it may be unsigned.
 */
function requireBearer(assertion: Parsed, acs_url: string, request_id: string): void {
  const confirmations = childrenOf(assertion, 'Subject').flatMap((subject) =>
    childrenOf(subject, 'SubjectConfirmation'),
  )
  const isMeant = confirmations.every(
    (one) =>
      attributesOf(one)['Method'] === BEARER &&
      childrenOf(one, 'SubjectConfirmationData').some((data) => {
        const { Recipient, NotOnOrAfter, InResponseTo } = attributesOf(data)
        return Recipient === acs_url && NotOnOrAfter !== undefined && InResponseTo === request_id
      }),
  )
  if (confirmations.length === 0 || !isMeant) throw new Error('the assertion is not meant for us')
}
