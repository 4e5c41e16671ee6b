import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Handlers } from './xml.ts'

const DATA = [
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
]
const KEY = ['http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p']
const DATA_AT = 'Response/EncryptedAssertion/EncryptedData'
/** The key is inside the encrypted data, or beside it with a reference. */
const KEY_AT = [`${DATA_AT}/KeyInfo/EncryptedKey`, 'Response/EncryptedAssertion/EncryptedKey']
/** The allowed places of each element; each place may occur once. */
const PLACES: Record<string, string[]> = {
  EncryptedData: [DATA_AT],
  EncryptedKey: KEY_AT,
  EncryptionMethod: [DATA_AT, ...KEY_AT].map((place) => `${place}/EncryptionMethod`),
  CipherValue: [DATA_AT, ...KEY_AT].map((place) => `${place}/CipherData/CipherValue`),
  RetrievalMethod: [`${DATA_AT}/KeyInfo/RetrievalMethod`],
  EncryptedID: [],
  EncryptedAttribute: [],
  CipherReference: [],
}
/** A refusal leaves this long after the request came (ms), so that timing does not reveal how far decryption got. */
const REFUSAL_MS = 300

/**
 * Checks the elements of an encrypted assertion: one ciphertext and one key, in known places and with known algorithms.
 * The library takes the first it finds anywhere, also decrypts RSA 1.5, and puts the key reference into an XPath.
 */
export function encryptionShape(refuse: (what: string) => void): NonNullable<Handlers['open']> {
  const seen = new Set<string>()
  return ({ local, attributes }, path) => {
    const places = Object.hasOwn(PLACES, local) ? PLACES[local] : undefined
    if (!places) return
    const place = path.join('/')
    if (!places.includes(place) || seen.has(place)) refuse(`holds ${local} where none belongs`)
    if (local === 'EncryptedKey' && KEY_AT.some((other) => seen.has(other))) refuse('holds two keys')
    seen.add(place)
    if (local === 'RetrievalMethod' && !/^#[\w.-]{1,256}$/.test(attributes['URI']?.value ?? ''))
      refuse('points at a key elsewhere')
    const algorithms = path.at(-2) === 'EncryptedKey' ? KEY : DATA
    if (local === 'EncryptionMethod' && !algorithms.includes(attributes['Algorithm']?.value ?? ''))
      refuse('is encrypted with an algorithm that is not read')
  }
}

/**
 * The decrypted assertion of a response that passed the shape check, and the key that opened it. Throws if no key does.
 */
export async function decryptAssertion(
  response: string,
  keys: readonly string[],
): Promise<{ assertion: string; key: string }> {
  const { default: xmlenc } = await import('xml-encryption')
  const decryptXml = promisify(xmlenc.decrypt)
  let reason: unknown
  for (const key of keys)
    try {
      const assertion = await decryptXml(response, { key, disallowDecryptionWithInsecureAlgorithm: true })
      return { assertion, key }
    } catch (error) {
      reason = error
    }
  throw new Error('the assertion is encrypted for none of our keys', { cause: reason })
}

/**
 * Delays errors to a fixed time. Otherwise a sender of altered ciphertexts could measure what is wrong (padding
 * oracle).
 */
export async function refuseInTime<T>(work: () => Promise<T>): Promise<T> {
  const refusal = delay(REFUSAL_MS)
  try {
    return await work()
  } catch (error) {
    await refusal
    throw error
  }
}
