import { encryptionShape } from './saml-encryption.ts'
import { type Handlers, scanXml } from './xml.ts'

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const MESSAGE_BYTES = 131_072
/**
 * Anybody may post a message, and node-saml builds its tree before it checks the signature. A response has about 50
 * elements plus one for each group of the person.
 */
const MAX_ELEMENTS = { Response: 600, LogoutRequest: 100 }

/** The signature that a response must carry. A signature on the response covers its assertion. */
export type RequiredSignature = 'either' | 'assertion' | 'response' | 'both'

/** The parts of a response that are signed. Every signature that is present is checked. */
export type Signed = { response: boolean; assertion: boolean }

/** The request that a response claims to answer; not verified yet. */
export function requestOf(SAMLResponse: string): string {
  let request_id = ''
  const open: Handlers['open'] = ({ attributes }, path) => {
    if (path.length === 1) request_id = attributes['InResponseTo']?.value ?? ''
  }
  scanXml(decode(SAMLResponse), { open }, MAX_ELEMENTS.Response)
  return request_id
}

/** The XML of a message. Throws for anything else. */
export function decode(base64: string): string {
  if (base64.length > MESSAGE_BYTES || /[^A-Za-z0-9+/=\s]/.test(base64))
    throw new Error('not a message of SAML')
  const packed = base64.replaceAll(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) throw new Error('not a message of SAML')
  return Buffer.from(packed, 'base64').toString('utf8')
}

const ROOTS = { Response: PROTOCOL, LogoutRequest: PROTOCOL, Assertion: ASSERTION }

type Shape = {
  root: Record<string, string | undefined>
  /** The paths of the signatures. */
  signatures: string[]
  isEncrypted: boolean
}

/**
 * Accepts one message, or one decrypted assertion, with no part twice. Together with the places that `requireSigned`
 * allows, this excludes signature wrapping (XSW). It runs before anything builds a tree.
 */
export function requireShape(xml: string, name: keyof typeof ROOTS): Shape {
  const shape: Shape = { root: {}, signatures: [], isEncrypted: false }
  const ids = new Set<string>()
  let assertions = 0
  let status: string | undefined
  const refuse = (what: string) => {
    throw new Error(`the message ${what}`)
  }
  const judgeEncryption = encryptionShape(refuse)
  const open: Handlers['open'] = (tag, path) => {
    const { uri, local, attributes } = tag
    const valueOf = (attribute: string) => attributes[attribute]?.value
    if (path.length === 1) {
      if (uri !== ROOTS[name] || local !== name) refuse(`is no ${name}`)
      shape.root = Object.fromEntries(Object.entries(attributes).map(([key, { value }]) => [key, value]))
    } else if (local === 'Response' || local === 'LogoutRequest') refuse('holds another message')
    if (local === 'Assertion' || local === 'EncryptedAssertion') {
      const depth = name === 'Assertion' ? 1 : 2
      if (uri !== ASSERTION || path.length !== depth || ++assertions > 1)
        refuse('holds an assertion where none belongs')
      if (local === 'EncryptedAssertion') shape.isEncrypted = true
    }
    judgeEncryption(tag, path)
    if (local === 'Signature') shape.signatures.push(path.join('/'))
    if (local === 'StatusCode' && path.length === 3) status ??= valueOf('Value')
    if (
      (local === 'SignatureMethod' || local === 'DigestMethod') &&
      // RSA-OAEP in an EncryptedKey is no signature, so the weakness of SHA-1 does not matter there.
      path.at(-2) !== 'EncryptionMethod' &&
      /sha1$|md5$/i.test(valueOf('Algorithm') ?? '')
    )
      refuse('is signed with SHA-1')
    for (const id of ['ID', 'Id', 'id', 'xml:id'].flatMap((attribute) => valueOf(attribute) ?? [])) {
      if (ids.has(id) || !/^[\w.-]{1,256}$/.test(id)) refuse('uses an id twice, or an odd one')
      ids.add(id)
    }
  }
  scanXml(xml, { open }, MAX_ELEMENTS[name === 'LogoutRequest' ? name : 'Response'])
  // The provider's own status code goes to the log.
  if (name === 'Response' && status !== SUCCESS) refuse(`says ${status?.slice(0, 200)}`)
  return shape
}

/**
 * Checks the places of a response's signatures. An assertion is covered by its own signature or by that of the
 * response.
 */
export function requireSigned(found: readonly string[], required: RequiredSignature): Signed {
  const [response, assertion] = ['Response/Signature', 'Response/Assertion/Signature'].map((place) =>
    found.includes(place),
  ) as [boolean, boolean]
  const isEnough = {
    either: response || assertion,
    assertion,
    response,
    both: response && assertion,
  }[required]
  if (!isEnough || found.length !== Number(response) + Number(assertion))
    throw new Error('the message is not signed as it must be')
  return { response, assertion }
}
