import { generateKeyPair, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'

const YEARS = 10
const SHA256_WITH_RSA = '2a864886f70d01010b'
const COMMON_NAME = '550403'

const newKeyPair = promisify(generateKeyPair)

/**
 * A 2048-bit RSA key pair with a self-signed certificate (RFC 5280, version 1), the form in which providers take a key.
 * Trust comes from the ADMIN who uploads it, so the certificate makes no other statement.
 */
export async function makeCertificate(name: string): Promise<{ key: Buffer; certificate: string }> {
  const { publicKey, privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  const algorithm = sequence(oid(SHA256_WITH_RSA), tag(0x05))
  const subject = sequence(tag(0x31, sequence(oid(COMMON_NAME), tag(0x0c, Buffer.from(name)))))
  const now = new Date()
  const end = new Date(now)
  end.setUTCFullYear(now.getUTCFullYear() + YEARS)
  // The leading byte is below 0x80 and not zero: a positive integer in its shortest form.
  const serial = tag(0x02, Buffer.of(0x40), randomBytes(15))
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const body = sequence(serial, algorithm, subject, sequence(time(now), time(end)), subject, spki)
  const signature = tag(0x03, Buffer.of(0), sign('sha256', body, privateKey))
  const base64 = sequence(body, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'der' }),
    certificate: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** GeneralizedTime from 2050 on, UTCTime before (RFC 5280, 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, '')
  return date.getUTCFullYear() < 2_050
    ? tag(0x17, Buffer.from(digits.slice(2)))
    : tag(0x18, Buffer.from(digits))
}

const sequence = (...parts: Buffer[]) => tag(0x30, ...parts)
const oid = (hex: string) => tag(0x06, Buffer.from(hex, 'hex'))

/** A DER value: tag, length, content. */
function tag(number: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([number, ...length]), content])
}
