import { generateKeyPairSync, sign } from 'node:crypto'

/**
 * A self-signed certificate for these names, valid for one day (RFC 5280). TLS tests need one, and Node
 * cannot create one. `cert` is also the certificate authority.
 */
export function makeCertificate(names: string[], type: 'ec' | 'rsa' = 'ec'): { key: string; cert: string } {
  const { publicKey, privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const [ecdsaWithSha256, rsaWithSha256] = ['2a8648ce3d040302', '2a864886f70d01010b'].map(oid)
  const algorithm = sequence(
    ...(type === 'ec' ? [ecdsaWithSha256] : [rsaWithSha256, tag(0x05, Buffer.of())]).filter(
      (part) => part !== undefined,
    ),
  )
  const name = sequence(set(sequence(oid('550403'), tag(0x0c, Buffer.from('Lyceum test')))))
  const time = (ms: number) =>
    tag(0x18, Buffer.from(`${new Date(Date.now() + ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`))
  const alternative = sequence(...names.map((each) => tag(0x82, Buffer.from(each))))
  const extensions = [
    sequence(oid('551d11'), tag(0x04, alternative)),
    sequence(oid('551d13'), tag(0x01, Buffer.of(0xff)), tag(0x04, sequence(tag(0x01, Buffer.of(0xff))))),
  ]
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.of(2))),
    tag(0x02, Buffer.of(1)),
    algorithm,
    name,
    sequence(time(-3_600_000), time(86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(...extensions)),
  )
  const signature = tag(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, privateKey)]))
  const der = sequence(body, algorithm, signature)
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

const sequence = (...parts: Buffer[]) => tag(0x30, Buffer.concat(parts))
const set = (...parts: Buffer[]) => tag(0x31, Buffer.concat(parts))
const oid = (hex: string) => tag(0x06, Buffer.from(hex, 'hex'))

function tag(number: number, content: Buffer): Buffer {
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([number, ...length]), content])
}
