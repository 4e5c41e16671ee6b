import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { makeCertificate } from '#testing/certificate.ts'
import { exchange, listeningWorld } from '#testing/enterprise.ts'
import { ATTACKS, encryptedAssertion, EVIL, samlSchools, type School, split } from '#testing/saml-school.ts'

const lyceum = await listeningWorld()
const { sso, db, address } = lyceum
const { aSchool, onTheWay, answerTo, post } = samlSchools(lyceum)

type Key = { key_id: string; certificate: string; created_at: string; ends_at: string | null }
const pathOf = (school: School) => `/api/v1/sites/${school.site.site_id}/connections/${school.id}`

async function keysOf(school: School): Promise<Key[]> {
  const reply = await sso.inject({ url: pathOf(school), headers: school.site.owner.headers })
  return reply.json().encryption_keys
}
const currentOf = async (school: School) => (await keysOf(school))[0]?.certificate ?? ''

const renew = (school: School, payload: object = {}, headers = school.site.owner.headers) =>
  sso.inject({ method: 'POST', url: `${pathOf(school)}/encryption-keys`, headers, payload })

const metadataOf = async (school: School) => (await fetch(school.connection.sp_entity_id)).text()
const bodyOf = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '')

/** A good response whose assertion is encrypted; `change` has its way with the response before that. */
async function encryptedAnswer(
  school: School,
  options: Omit<Parameters<typeof encryptedAssertion>[1], 'certificate'> & { certificate?: string } = {},
  change: (xml: string) => string = (xml) => xml,
) {
  const { walker, request_id } = await onTheWay(school)
  const { head, assertion, tail } = split(change(await answerTo(school, request_id, { signResponse: false })))
  const certificate = options.certificate ?? (await currentOf(school))
  return { walker, xml: head + (await encryptedAssertion(assertion, { ...options, certificate })) + tail }
}

async function statusOf(school: School, ...more: [Parameters<typeof encryptedAnswer>[1]?]) {
  return (await post(school, (await encryptedAnswer(school, ...more)).xml)).statusCode
}

describe('an encrypted SAML assertion', () => {
  for (const data of [
    'http://www.w3.org/2009/xmlenc11#aes128-gcm',
    'http://www.w3.org/2009/xmlenc11#aes256-gcm',
    'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
    'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
  ] as const)
    test(`signs in when encrypted with ${data.split('#')[1]}`, async () => {
      const school = await aSchool()
      const { walker, xml } = await encryptedAnswer(school, { data })
      assert.ok(!xml.includes(school.person.email))
      const { body } = await post(school, xml)
      const ticket = /finish\?ticket=[\w-]+/.exec(body)?.[0] ?? body
      const { url } = await walker.walk(`${address}/sso/saml/${school.id}/${ticket}`)
      assert.equal((await exchange(lyceum, school.site, url)).body.user.email, school.person.email)
    })

  test('is read from a provider that encrypts by default', async () => {
    const accepted: Record<string, string[]> = {
      either: ['both', 'assertion', 'response'],
      both: ['both'],
    }
    const signed: Record<string, Record<string, unknown>> = {
      both: {},
      assertion: { signResponse: false },
      response: { signAssertion: false },
      none: { signResponse: false, signAssertion: false },
    }
    for (const [required_signature, fine] of Object.entries(accepted)) {
      const school = await aSchool({ required_signature })
      const encryptionCert = await currentOf(school)
      const encryptionPublicKey = new X509Certificate(encryptionCert).publicKey.export({
        type: 'spki',
        format: 'pem',
      })
      for (const [what, more] of Object.entries(signed)) {
        const { request_id } = await onTheWay(school)
        const xml = await answerTo(school, request_id, { ...more, encryptionCert, encryptionPublicKey })
        assert.ok(xml.includes('EncryptedAssertion'))
        const { statusCode } = await post(school, xml)
        assert.equal(statusCode, fine.includes(what) ? 200 : 401, `${required_signature}: ${what}`)
      }
    }
  })

  const refused = async (school: School, xml: string) => {
    const from = performance.now()
    const reply = await post(school, xml)
    assert.deepEqual([reply.statusCode, reply.json().code], [401, 'sso_failed'])
    assert.equal((await db.pool`select from sso.identities where subject = ${EVIL}`).length, 0)
    return performance.now() - from
  }

  const shared = aSchool()
  /** Those that happen within what is encrypted. */
  const inside = ATTACKS.filter(([what]) => /in the name|changed name|XSW [3-8]/.test(what))
  assert.equal(inside.length, 8)
  for (const [what, change] of inside)
    test(`is refused with ${what}`, async () => {
      const school = await shared
      await refused(school, (await encryptedAnswer(school, {}, change)).xml)
    })

  test('is refused with a document type or too many elements', async () => {
    const school = await shared
    for (const change of [
      (xml: string) =>
        xml
          .replace('<saml:Assertion', '<saml:Assertion xmlns:b="b"')
          .replace('</saml:Assertion>', `${'<b:a/>'.repeat(700)}</saml:Assertion>`),
      (xml: string) => xml.replace('</saml:Assertion>', '<!DOCTYPE r [<!ENTITY e "x">]></saml:Assertion>'),
    ])
      await refused(school, (await encryptedAnswer(school, {}, change)).xml)
  })

  test('is refused with RSA 1.5, triple DES or a foreign key', async () => {
    const school = await shared
    const { cert: certificate } = makeCertificate(['other.example.org'], 'rsa')
    for (const options of [
      { key: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' },
      { data: 'http://www.w3.org/2001/04/xmlenc#tripledes-cbc' },
      { certificate },
      { certificate: await currentOf(await aSchool()) },
    ] as const)
      await refused(school, (await encryptedAnswer(school, options)).xml)
  })

  test('is refused beside another, elsewhere, or with two ciphertexts', async () => {
    const school = await shared
    const decoy = (name: string) =>
      `<samlp:Extensions xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:${name}>AAAA</e:${name}></samlp:Extensions>`
    for (const change of [
      (xml: string) => xml.replace(/<saml:EncryptedAssertion[\s\S]*<\/saml:EncryptedAssertion>/, '$&$&'),
      (xml: string) =>
        xml.replace(
          /<saml:EncryptedAssertion[\s\S]*<\/saml:EncryptedAssertion>/,
          '<samlp:Extensions xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">$&</samlp:Extensions>',
        ),
      (xml: string) => xml.replace('<samlp:Status>', `${decoy('CipherValue')}$&`),
      (xml: string) => xml.replace('<samlp:Status>', `${decoy('EncryptedData')}$&`),
      (xml: string) => xml.replace(/<e:CipherData>[\s\S]*?<\/e:CipherData>/, '$&$&'),
      (xml: string) =>
        xml.replace(/<e:EncryptedKey[\s\S]*?<\/e:EncryptedKey>/, `<RetrievalMethod URI="#a' or '1'='1"/>`),
    ]) {
      const { xml } = await encryptedAnswer(school)
      assert.notEqual(change(xml), xml)
      await refused(school, change(xml))
    }
  })

  test('spends its request and is refused only after the held time', async () => {
    const school = await shared
    const last = (xml: string) => xml.lastIndexOf('</e:CipherValue>')
    const flip = (xml: string, at: number) =>
      xml.slice(0, at) + (xml[at] === 'A' ? 'B' : 'A') + xml.slice(at + 1)
    const data = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'
    for (const change of [
      (xml: string) => flip(xml, last(xml) - 10), // the padding
      (xml: string) => flip(xml, xml.lastIndexOf('<e:CipherValue>') + 60), // the text
      (xml: string) => flip(xml, xml.indexOf('<e:CipherValue>') + 60), // the key
    ]) {
      const { xml } = await encryptedAnswer(school, { data })
      const ms = await refused(school, change(xml))
      assert.ok(ms >= 295, `${ms} ms`)
      assert.equal((await post(school, xml)).statusCode, 401)
    }
  })
})

describe('the key of a connection', () => {
  test('appears in the metadata as its own certificate', async () => {
    const school = await aSchool()
    const [key, ...others] = await keysOf(school)
    assert.deepEqual([others.length, key?.ends_at], [0, null])
    const certificate = new X509Certificate(key?.certificate ?? '')
    assert.ok(certificate.verify(certificate.publicKey))
    assert.deepEqual(
      [certificate.subject, certificate.publicKey.asymmetricKeyDetails?.modulusLength],
      [`CN=Lyceum ${school.id}`, 2_048],
    )
    const years = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 31_557_600_000
    assert.ok(years > 9.9 && years < 10.1, String(years))
    const metadata = await metadataOf(school)
    assert.match(metadata, /<KeyDescriptor use="encryption">/)
    assert.ok(metadata.replace(/\s/g, '').includes(bodyOf(key?.certificate ?? 'none')))
    assert.notEqual((await keysOf(await aSchool()))[0]?.certificate, key?.certificate)
  })

  test('is stored encrypted', async () => {
    const school = await aSchool()
    const [row] = await db.pool<{ private_enc: Buffer }[]>`
      select private_enc from sso.connection_keys where connection_id = ${school.id}`
    assert.ok(row)
    // An RSA key names its algorithm in the open (1.2.840.113549.1.1.1).
    assert.ok(!row.private_enc.toString('hex').includes('2a864886f70d010101'))
  })

  test('decrypts beside its successor until its end', async () => {
    const school = await aSchool()
    const certificate = await currentOf(school)
    const reply = await renew(school, { overlap_days: 10 })
    assert.equal(reply.statusCode, 201, reply.body)
    const [next, former] = await keysOf(school)
    assert.deepEqual([next?.key_id, former?.certificate], [reply.json().key_id, certificate])
    assert.ok(Date.parse(former?.ends_at ?? '') > Date.now() + 9 * 86_400_000)
    const metadata = (await metadataOf(school)).replace(/\s/g, '')
    assert.deepEqual(
      [metadata.includes(bodyOf(next?.certificate ?? 'none')), metadata.includes(bodyOf(certificate))],
      [true, false],
    )
    assert.deepEqual([await statusOf(school), await statusOf(school, { certificate })], [200, 200])
    await db.pool`
      update sso.connection_keys set ends_at = clock_timestamp() where connection_id = ${school.id} and ends_at is not null`
    assert.deepEqual([await statusOf(school), await statusOf(school, { certificate })], [200, 401])
    assert.equal((await keysOf(school)).length, 1)
  })

  test('ends at once, with earlier ones, when renewed without overlap', async () => {
    const school = await aSchool()
    const first = await currentOf(school)
    await renew(school)
    const second = await currentOf(school)
    assert.equal((await renew(school, { overlap_days: 0 })).statusCode, 201)
    for (const certificate of [first, second]) assert.equal(await statusOf(school, { certificate }), 401)
    assert.equal(await statusOf(school), 200)
    const rows = await db.pool`select from sso.connection_keys where connection_id = ${school.id}`
    assert.equal(rows.length, 1)
  })

  test('is one of three at most; concurrent renewals leave one current', async () => {
    const school = await aSchool()
    const replies = await Promise.all(Array.from({ length: 10 }, () => renew(school)))
    const statuses = replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [201, 201, ...Array.from({ length: 8 }, () => 409)])
    assert.equal(replies.find(({ statusCode }) => statusCode === 409)?.json().code, 'encryption_key_limit')
    const keys = await keysOf(school)
    assert.deepEqual([keys.length, keys.filter(({ ends_at }) => ends_at === null).length], [3, 1])
  })

  test('is renewed by the ADMIN of the site only', async () => {
    const [school, other] = [await aSchool(), await aSchool()]
    assert.equal((await renew(school, {}, other.site.owner.headers)).statusCode, 404)
    assert.equal((await renew(school, {}, {} as typeof other.site.owner.headers)).statusCode, 401)
    assert.equal((await renew(school, { overlap_days: -1 })).statusCode, 422)
    assert.equal((await keysOf(school)).length, 1)
    await renew(school)
    const [noted] = await db.pool<{ details: object }[]>`
      select details from sso.audit_log where site_id = ${school.site.site_id} and action = 'connection.key_renewed'`
    assert.ok(noted && !JSON.stringify(noted).includes('CERTIFICATE'))
  })
})
