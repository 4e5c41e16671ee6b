import assert from 'node:assert/strict'
import { createSign } from 'node:crypto'
import { describe, test } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { newId } from '#foundation/ids.ts'
import { makeCertificate } from '#testing/certificate.ts'
import { aWalker, exchange, HOME, listeningWorld, unique } from '#testing/enterprise.ts'
import { startSamlIdp } from '#testing/saml-idp.ts'
import { ATTACKS, EVIL, samlSchools, type School, split } from '#testing/saml-school.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await listeningWorld()
const { sso, db, address } = lyceum

const { aSchool, onTheWay, answerTo, post } = samlSchools(lyceum)
const encode = (xml: string) => Buffer.from(xml).toString('base64')
const ticketIn = (body: string) => /finish\?ticket=[\w-]+/.exec(body)?.[0] ?? 'no ticket'

describe('a sign-in at a SAML provider', () => {
  test('creates the account, then finds it again, with a code', async () => {
    const school = await aSchool()
    const { url } = await aWalker().walk(school.start)
    assert.ok(url.href.startsWith(`${HOME}?code=code_`), url.href)
    const first = await exchange(lyceum, school.site, url)
    assert.equal(first.status, 200, JSON.stringify(first.body))
    const { user } = first.body
    assert.deepEqual(
      [user.email, user.display_name, user.given_name, user.registration_source, user.email_verified],
      [school.person.email, 'Sam L.', 'Sam', 'sso_jit', false],
    )
    const again = await exchange(lyceum, school.site, (await aWalker().walk(school.start)).url)
    assert.equal(again.body.user.user_id, user.user_id)
  })

  test('reads XML metadata, maps groups to a role, publishes ours', async () => {
    const idp = await startSamlIdp()
    const metadata_xml = await (await fetch(idp.metadata_url)).text()
    const school = await aSchool({
      idp,
      metadata_url: undefined,
      metadata_xml: metadata_xml.replace(/<\?xml[^>]*\?>/, ''),
      role_attribute: 'http://schemas.passportjs.com/groups',
      role_mapping: [{ value: 'staff', role: 'ADMIN' }],
    })
    const { walker, request_id } = await onTheWay(school)
    const xml = await idp.answer(
      { request_id, acs_url: school.connection.acs_url, audience: school.connection.sp_entity_id },
      { ...school.person, groups: ['pupils', 'staff'] },
    )
    const { body } = await post(school, xml)
    const { url } = await walker.walk(`${address}/sso/saml/${school.id}/${ticketIn(body)}`)
    assert.equal((await exchange(lyceum, school.site, url)).body.user.roles[0].role, 'ADMIN')
    const own = await (await fetch(school.connection.sp_entity_id)).text()
    for (const part of [
      school.connection.acs_url,
      `entityID="${school.connection.sp_entity_id}"`,
      'WantAssertionsSigned="true"',
    ])
      assert.ok(own.includes(part), part)
  })

  test('tells the ADMIN through which connection, and why one failed; the visitor no cause', async () => {
    const school = await aSchool()
    await aWalker().walk(school.start)
    const { request_id } = await onTheWay(school)
    const misled = { ...school, connection: { ...school.connection, acs_url: `${address}/old` } }
    const refused = await post(school, await answerTo(misled, request_id))
    assert.equal(refused.statusCode, 401)
    assert.ok(!refused.body.includes('meant for another address'))
    const reply = await sso.inject({
      url: `/api/v1/audit?site_code=${school.site.site_code}`,
      headers: { ...school.site.owner.headers, host: new URL(address).host },
    })
    const lines = (reply.json().items as { action: string; details: Record<string, unknown> }[])
      .filter(({ action }) => action.startsWith('login.'))
      .map(({ action, details: { connection_id, reason, cause } }) => [action, connection_id, reason, cause])
    assert.deepEqual(lines, [
      ['login.failed', school.id, 'sso_failed', 'the message is meant for another address'],
      ['login.succeeded', school.id, undefined, undefined],
    ])
  })

  test('ends only in its own browser, once', async () => {
    const school = await aSchool()
    const { walker, request_id } = await onTheWay(school)
    const { body } = await post(school, await answerTo(school, request_id))
    const finish = `${address}/sso/saml/${school.id}/${ticketIn(body)}`
    for (const thief of [aWalker(), (await onTheWay(school)).walker])
      assert.equal((await thief.walk(finish)).status, 401)
    assert.ok((await walker.walk(finish)).url.href.startsWith(HOME))
    assert.equal((await walker.walk(finish)).status, 401)
  })

  test('accepts one of fifty identical responses', async () => {
    const school = await aSchool()
    const { request_id } = await onTheWay(school)
    const xml = await answerTo(school, request_id)
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(school, xml)))
    const statuses = replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 401)])
  })

  test('answers 502 without metadata, and uses it for a day', async () => {
    const school = await aSchool()
    await aWalker().walk(school.start)
    await db.pool`update sso.connection_documents set fetched_at = fetched_at - interval '23 hours' where connection_id = ${school.id}`
    await school.idp.close()
    const { request_id, walker } = await onTheWay(school)
    const { body } = await post(school, await answerTo(school, request_id))
    assert.ok(
      (await walker.walk(`${address}/sso/saml/${school.id}/${ticketIn(body)}`)).url.href.startsWith(HOME),
    )
    await db.pool`update sso.connection_documents set fetched_at = fetched_at - interval '2 hours' where connection_id = ${school.id}`
    const reply = await fetch(school.start)
    const answer = (await reply.json()) as Record<string, string>
    assert.deepEqual(
      [reply.status, answer['code'], answer['request_id']],
      [502, 'idp_unreachable', reply.headers.get('x-request-id')],
    )
  })
})

describe('a SAML response', () => {
  const refused = async (school: School, xml: string, why = '') => {
    const reply = await post(school, xml)
    assert.deepEqual([reply.statusCode, reply.json().code], [401, 'sso_failed'], why)
    assert.ok(!reply.body.includes('ticket'))
  }

  test('is refused unsolicited (IdP-initiated), replayed or across connections', async () => {
    const [school, other] = [await aSchool(), await aSchool()]
    await refused(school, await answerTo(school, '_0123456789'))
    const { request_id } = await onTheWay(school)
    const xml = await answerTo(school, request_id)
    await refused(other, xml)
    await refused(school, xml.replace(/ InResponseTo="[^"]*"/g, ''))
    assert.equal((await post(school, xml)).statusCode, 200)
    await refused(school, xml)
  })

  test('accepts two hundred groups', async () => {
    const school = await aSchool()
    const { request_id } = await onTheWay(school)
    const groups = Array.from(
      { length: 200 },
      (_, index) => `CN=group-${index},OU=Groups,DC=school,DC=example`,
    )
    const person = { ...school.person, groups }
    const xml = await answerTo(school, request_id, {}, person)
    assert.ok(xml.includes('group-199'))
    const reply = await post(school, xml)
    assert.equal(reply.statusCode, 200, reply.body)
  })

  test('is refused when its assertion was used before', async () => {
    const school = await aSchool()
    const { request_id } = await onTheWay(school)
    const xml = await answerTo(school, request_id)
    const assertion_id = /<saml:Assertion[^>]* ID="([^"]+)"/.exec(xml)?.[1]
    assert.ok(assertion_id)
    await db.pool`
      insert into sso.connection_messages (connection_id, message_id, expires_at)
      select ${school.id}, translate(rtrim(encode(sha256(${`assertion ${school.idp.entity_id} ${assertion_id}`}::text::bytea), 'base64'), '='), '+/', '-_'),
             clock_timestamp() + interval '1 hour'`
    await refused(school, xml)
  })

  const settings: [string, (school: School) => Record<string, unknown>][] = [
    ['has no signature at all', () => ({ signResponse: false, signAssertion: false })],
    [
      'is signed by somebody else',
      () => {
        const { key, cert } = makeCertificate(['evil.example.org'], 'rsa')
        return { key, cert }
      },
    ],
    ['is signed with SHA-1', () => ({ signatureAlgorithm: 'rsa-sha1', digestAlgorithm: 'sha1' })],
    ['is for another audience', () => ({ audience: 'https://other.example.org/metadata' })],
    ['is for another recipient', () => ({ recipient: 'https://other.example.org/acs' })],
    ['is sent to another destination', () => ({ destination: 'https://other.example.org/acs' })],
    ['is of another issuer', () => ({ issuer: 'urn:other:idp' })],
    ['has expired', () => ({ lifetimeInSeconds: -120 })],
    [
      'names somebody for this once only',
      () => ({ nameIdentifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
    ],
    ['says that it failed', () => ({ samlStatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Responder' })],
  ]
  for (const [what, more] of settings)
    test(`is refused when it ${what}`, async () => {
      const school = await aSchool()
      const { request_id } = await onTheWay(school)
      await refused(school, await answerTo(school, request_id, more(school)))
    })

  test('is refused when old although a fresh sign-in was required', async () => {
    const school = await aSchool()
    const { headers } = school.site.owner
    const client = { redirect_uris: [`${HOME}/cb`] }
    await sso.inject({
      method: 'PUT',
      url: `/api/v1/sites/${school.site.site_id}/openid-client`,
      headers,
      payload: client,
    })
    const query = new URLSearchParams({
      client_id: school.site.site_code,
      redirect_uri: `${HOME}/cb`,
      response_type: 'code',
      scope: 'openid',
      prompt: 'login',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const asked = await sso.inject({ url: `/openid/authorize?${query.toString()}` })
    const openid = new URL(String(asked.headers.location), address).searchParams.get('openid') ?? ''
    const start = `${school.start}?${new URLSearchParams({ openid }).toString()}`
    const [one, two] = [await onTheWay({ ...school, start }), await onTheWay({ ...school, start })]
    assert.match(one.xml, /ForceAuthn="true"/)
    assert.equal((await post(school, await answerTo(school, one.request_id))).statusCode, 200)
    await db.pool`update sso.sign_in_attempts set created_at = created_at + interval '10 minutes' where connection_id = ${school.id}`
    await refused(school, await answerTo(school, two.request_id))
  })

  test('allows 60 s of clock skew and no more', async () => {
    for (const [lifetimeInSeconds, status] of [
      [-30, 200],
      [-90, 401],
    ] as const) {
      const school = await aSchool()
      const { request_id } = await onTheWay(school)
      const xml = await answerTo(school, request_id, { lifetimeInSeconds })
      assert.equal((await post(school, xml)).statusCode, status, String(lifetimeInSeconds))
    }
  })

  /** What of a response is signed, as the setting `required_signature` has it. */
  const MODES: [string, Record<string, unknown>][] = [
    ['both signatures', {}],
    ['a signed assertion alone', { signResponse: false }],
    ['a signed response alone', { signAssertion: false }],
  ]
  for (const [mode, more] of MODES) {
    const shared = aSchool()
    for (const [what, change] of ATTACKS)
      test(`is refused with ${mode} and ${what}`, async () => {
        const school = await shared
        const { request_id } = await onTheWay(school)
        const good = await answerTo(school, request_id, more)
        const bad = change(good)
        assert.notEqual(bad, good)
        await refused(school, bad)
        const evil = await db.pool`select from sso.identities where subject = ${EVIL}`
        assert.equal(evil.length, 0)
      })
  }

  test('needs a signature over the assertion, or the required ones', async () => {
    const accepted: Record<string, string[]> = {
      either: ['both', 'assertion', 'response'],
      assertion: ['both', 'assertion'],
      response: ['both', 'response'],
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
      for (const [what, more] of Object.entries(signed)) {
        const { request_id } = await onTheWay(school)
        const reply = await post(school, await answerTo(school, request_id, more))
        assert.equal(reply.statusCode, fine.includes(what) ? 200 : 401, `${required_signature}: ${what}`)
      }
    }
  })

  test('signs in the person of a signed assertion', async () => {
    const school = await aSchool()
    for (const more of [{ signResponse: false }, { signAssertion: false }]) {
      const { walker, request_id } = await onTheWay(school)
      const { body } = await post(school, await answerTo(school, request_id, more))
      const { url } = await walker.walk(`${address}/sso/saml/${school.id}/${ticketIn(body)}`)
      assert.equal((await exchange(lyceum, school.site, url)).body.user.email, school.person.email)
    }
  })

  test('is refused with a signed assertion for another request', async () => {
    const school = await aSchool()
    const [mine, theirs] = [await onTheWay(school), await onTheWay(school)]
    const stolen = split(await answerTo(school, theirs.request_id, { signResponse: false })).assertion
    const { head, tail } = split(await answerTo(school, mine.request_id, { signResponse: false }))
    await refused(school, head + stolen + tail)
  })

  test('is refused when one of two signatures is wrong', async () => {
    const school = await aSchool()
    const change = (xml: string, which: number) => {
      let seen = 0
      return xml.replace(/<SignatureValue>./g, (value) => (seen++ === which ? `${value}A` : value))
    }
    for (const which of [0, 1]) {
      const { request_id } = await onTheWay(school)
      await refused(school, change(await answerTo(school, request_id), which), String(which))
    }
  })
})

test('SAML messages count by address before they are parsed', async () => {
  const limited = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '1000' } })
  const tell = (name: 'acs' | 'slo', field: string) =>
    limited.sso.inject({
      method: 'POST',
      url: `/sso/saml/${newId()}/${name}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${field}=x`,
    })
  const tellAcs = () => tell('acs', 'SAMLResponse')
  const tellSlo = () => tell('slo', 'SAMLRequest')
  for (let call = 0; call < 150; call++)
    assert.deepEqual([(await tellAcs()).statusCode, (await tellSlo()).statusCode], [404, 404])
  for (const refused of [await tellAcs(), await tellSlo()]) {
    assert.deepEqual([refused.statusCode, refused.json().code], [429, 'rate_limited'])
    assert.ok(Number(refused.headers['retry-after']) >= 1)
  }
})

describe('a logout request of a SAML provider', () => {
  const tell = (school: School, xml: string) =>
    sso.inject({
      method: 'POST',
      url: new URL(school.connection.slo_url).pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded', host: new URL(address).host },
      payload: new URLSearchParams({ SAMLRequest: encode(xml), RelayState: 'r1' }).toString(),
    })

  const DS = 'http://www.w3.org/2000/09/xmldsig#'
  const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#'
  /** Signed by hand: the text is its own canonical form. */
  async function requestOf(
    school: School,
    { key = school.idp.key, at = Date.now(), issuer = school.idp.entity_id } = {},
  ) {
    const { createHash } = await import('node:crypto')
    const ID = `_${unique()}`
    const open = `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" Destination="${school.connection.slo_url}" ID="${ID}" IssueInstant="${new Date(at).toISOString()}" Version="2.0">`
    const from = `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${issuer}</saml:Issuer>`
    const rest = `<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${school.person.id}</saml:NameID></samlp:LogoutRequest>`
    const digest = createHash('sha256')
      .update(open + from + rest)
      .digest('base64')
    const info = (xmlns: string) =>
      `<SignedInfo${xmlns}><CanonicalizationMethod Algorithm="${C14N}"></CanonicalizationMethod><SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></SignatureMethod><Reference URI="#${ID}"><Transforms><Transform Algorithm="${DS}enveloped-signature"></Transform><Transform Algorithm="${C14N}"></Transform></Transforms><DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></DigestMethod><DigestValue>${digest}</DigestValue></Reference></SignedInfo>`
    const value = createSign('sha256')
      .update(info(` xmlns="${DS}"`))
      .sign(key, 'base64')
    return `${open}${from}<Signature xmlns="${DS}">${info('')}<SignatureValue>${value}</SignatureValue></Signature>${rest}`
  }

  async function entered(school: School) {
    const { url } = await aWalker().walk(school.start)
    const { body } = await exchange(lyceum, school.site, url)
    const headers = { authorization: `Bearer ${body.access_token}` }
    return async () => (await sso.inject({ url: '/api/v1/sessions', headers })).statusCode
  }

  test('ends the sessions of its identity and is answered, once', async () => {
    const school = await aSchool()
    const status = await entered(school)
    assert.equal(await status(), 200)
    const xml = await requestOf(school)
    const reply = await tell(school, xml)
    assert.equal(reply.statusCode, 303, reply.body)
    const back = new URL(String(reply.headers.location))
    assert.deepEqual(
      [back.origin + back.pathname, back.searchParams.get('RelayState')],
      [`${school.idp.origin}/slo`, 'r1'],
    )
    const answer = inflateRawSync(
      Buffer.from(back.searchParams.get('SAMLResponse') ?? '', 'base64'),
    ).toString()
    assert.match(answer, /LogoutResponse[\s\S]*status:Success/)
    assert.equal(await status(), 401)
    const later = await entered(school)
    await tell(school, xml)
    assert.equal(await later(), 200)
  })

  test('ends nothing when unsigned, forged, old or for others', async () => {
    const school = await aSchool()
    const status = await entered(school)
    const good = await requestOf(school)
    const bad = [
      good.replace(/<Signature[\s\S]*<\/Signature>/, ''),
      await requestOf(school, { key: makeCertificate(['evil.example.org'], 'rsa').key }),
      await requestOf(school, { at: Date.now() - 3_600_000 }),
      await requestOf(school, { issuer: 'urn:other:idp' }),
      good.replace(school.person.id, 'other'),
      good.replace(/Destination="[^"]+"/, 'Destination="https://other.example.org/slo"'),
      'x',
    ]
    for (const xml of bad) assert.equal((await tell(school, xml)).statusCode, 400, xml)
    assert.equal(await status(), 200)
  })
})
