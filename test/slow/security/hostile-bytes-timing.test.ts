import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { inflateRawSync } from 'node:zlib'
import { eventually } from '#testing/eventually.ts'
import { makeCertificate } from '#testing/certificate.ts'
import { testDatabase } from '#testing/database.ts'
import * as hostile from '#testing/hostile-bytes.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { type Pulse, takePulse } from '#testing/pulse.ts'

/** The longest response time (ms) while a stranger's bytes are parsed: one request must not block the others. */
const LONGEST_MS = 200
/** A busy machine delays one response. A blocking parser delays every one, and the watchdog logs it. */
const TRIES = 3

const { db, url } = await testDatabase()
const dataDir = newDataDir()
const certificate = makeCertificate(['idp.example.org'], 'rsa').cert
let product: Product
let pulse: Pulse
let admin: Record<string, string>
let collectionsAdmin: Record<string, string>
let connection: { connection_id: string; acs_url: string; slo_url: string }
let site_id: string

before(async () => {
  product = await startProduct(dataDir, {
    DATABASE_URL: url,
    MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
  })
  admin = await adminHeaders(product)
  collectionsAdmin = await adminHeaders(product, 'collections')
  const site = await call(`${product.sso}/api/v1/sites`, {
    headers: admin,
    body: { name: 'School', environment: 'sandbox', callback_url: 'http://127.0.0.1:39999/partner' },
  })
  assert.equal(site.status, 201, JSON.stringify(site.body))
  site_id = String(site.body['site_id'])
  await db.pool`update sso.sites set plan = 'business' where site_id = ${site_id}`
  const made = await call(`${product.sso}/api/v1/sites/${site_id}/connections`, {
    headers: admin,
    body: { name: 'School', type: 'saml', metadata_xml: metadataOf() },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  connection = made.body as typeof connection & typeof made.body
  pulse = takePulse(product)
  // The first requests of a process are slow, because their code is compiled.
  await settle()
})
after(async () => {
  await pulse?.stop()
  await product?.end()
  removeDataDir(dataDir)
})

type Reply = { status: number; text: string }

/** Retries until the services respond in time during `send`; notes a failure in `slow`. Fails on any other status. */
async function assertNobodyWaits(name: string, statuses: number[], send: () => Promise<Reply>) {
  const seen: number[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    const from = product.log().length
    await pulse.longest()
    const { status, text } = await send()
    const longest = Math.max(...(await pulse.longest()))
    assert.ok(statuses.includes(status), `${name}: ${status} ${text.slice(0, 300)}`)
    const blocks = await blocksSince(from)
    if (blocks.length === 0 && (longest <= LONGEST_MS || longest <= LONGEST_MS * (await pulse.slowness())))
      return
    seen.push(Math.round(longest))
    if (tries === TRIES - 1)
      slow.push(`${name}: answers took ${seen.join(', ')} ms ${JSON.stringify(blocks)}`)
    await settle()
  }
}

/** What blocked the services in this test. The test reports all of it at its end. */
let slow: string[] = []
beforeEach(() => (slow = []))
const assertNoneSlow = () => assert.deepEqual(slow, [])

type Block = { cpu_ms: number; ms: number; routes: string[] }

/** Blocks the watchdog logged since `from`, except those with little CPU time: that thread waited for a processor. */
async function blocksSince(from: number): Promise<Block[]> {
  return product
    .log()
    .slice(from)
    .split('\n')
    .filter((line) => line.includes('the event loop was blocked'))
    .map((line) => JSON.parse(line) as Block)
    .filter(({ cpu_ms }) => cpu_ms > LONGEST_MS)
}

/** Waits until the services respond quickly again, for at most 40 rounds. */
async function settle() {
  for (let rounds = 0; rounds < 40; rounds++) {
    await pulse.longest()
    await wait(250)
    if (Math.max(...(await pulse.longest())) < LONGEST_MS / 2) return
  }
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Buffer }

/** Replaces `fetch`, which rejects replies whose headers repeat a long URL. */
function send(address: string, { method = 'POST', headers = {}, body }: Sent = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers,
      agent: false,
      maxHeaderSize: 262_144,
      signal: AbortSignal.timeout(100_000),
    }
    const outgoing = request(address, options, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part: string) => (text += part))
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }))
      reply.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const postForm = (address: string, fields: Record<string, string>) =>
  send(address, { headers: FORM, body: new URLSearchParams(fields).toString() })

const metadataOf = () =>
  `<m:EntityDescriptor xmlns:m="urn:oasis:names:tc:SAML:2.0:metadata" entityID="urn:example:idp"><m:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><m:KeyDescriptor use="signing"><d:KeyInfo xmlns:d="http://www.w3.org/2000/09/xmldsig#"><d:X509Data><d:X509Certificate>${certificate.replaceAll(/-----[^-]+-----|\n/g, '')}</d:X509Certificate></d:X509Data></d:KeyInfo></m:KeyDescriptor><m:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.org/saml"/></m:IDPSSODescriptor></m:EntityDescriptor>`

/** The id of a pending SAML request. Anybody can start one. */
async function requestUnderWay(): Promise<string> {
  const reply = await fetch(`${product.sso}/sso/${connection.connection_id}/start`, { redirect: 'manual' })
  const SAMLRequest = new URL(reply.headers.get('location') ?? '').searchParams.get('SAMLRequest') ?? ''
  const xml = inflateRawSync(Buffer.from(SAMLRequest, 'base64')).toString()
  return / ID="([^"]+)"/.exec(xml)?.[1] ?? ''
}

/** Uploads a file and waits until its processing has ended. */
async function upload(
  to: { address: string; headers: Record<string, string>; jobs: string },
  bytes: Buffer | string,
  fields: Record<string, string>,
): Promise<Reply> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([Uint8Array.from(Buffer.from(bytes))]), 'file')
  const body = new Response(form)
  const headers = { ...to.headers, 'content-type': body.headers.get('content-type') ?? '' }
  const reply = await send(to.address, { headers, body: Buffer.from(await body.arrayBuffer()) })
  if (reply.status !== 202) return reply
  const { job_id } = JSON.parse(reply.text) as { job_id: string }
  await eventually(
    () => call(`${to.jobs}/${job_id}`, { headers: to.headers }),
    ({ status, body }) => status === 200 && body['finished_at'] !== null,
  )
  return reply
}

const ANY_BELOW_500 = [200, 302, 303, 400, 401, 403, 404, 405, 406, 413, 414, 415, 421, 422, 431]

describe('all three services answer within 200 ms while a stranger sends', { timeout: 600_000 }, () => {
  test('messages of SAML', async () => {
    const request_id = await requestUnderWay()
    for (const [name, SAMLResponse] of hostile.samlMessages({ request_id, acs_url: connection.acs_url })) {
      await assertNobodyWaits(`sign-in: ${name}`, [401], () => postForm(connection.acs_url, { SAMLResponse }))
      await assertNobodyWaits(`sign-out: ${name}`, [400], () =>
        postForm(connection.slo_url, { SAMLRequest: SAMLResponse }),
      )
    }
    assertNoneSlow()
  })

  test('descriptions of an identity provider', async () => {
    for (const [name, metadata_xml] of hostile.samlMetadata())
      await assertNobodyWaits(`metadata: ${name}`, [422], () =>
        send(`${product.sso}/api/v1/sites/${site_id}/connections`, {
          headers: { ...admin, 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'x', type: 'saml', metadata_xml }),
        }),
      )
    assertNoneSlow()
  })

  test('workbooks', async () => {
    const to = {
      address: `${product.collections}/api/bulk/upload`,
      jobs: `${product.collections}/api/bulk/jobs`,
      headers: collectionsAdmin,
    }
    for (const [name, bytes] of hostile.workbooks())
      await assertNobodyWaits(`workbook: ${name}`, [202, 422], () => upload(to, bytes, { dry_run: 'true' }))
    assertNoneSlow()
  })

  test('files of people', async () => {
    const to = {
      address: `${product.sso}/api/v1/bulk/register`,
      jobs: `${product.sso}/api/v1/bulk/jobs`,
      headers: admin,
    }
    for (const [name, csv] of hostile.csvFiles()) {
      const bytes = Buffer.from(csv)
      await assertNobodyWaits(`CSV: ${name}`, [202, 422], () => upload(to, bytes, { dry_run: 'true' }))
    }
    assertNoneSlow()
  })

  test('JSON', async () => {
    const routes = [
      [
        `${product.sso}/api/v1/auth/login`,
        { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' },
      ],
      [
        `${product.sso}/api/v1/auth/register`,
        { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' },
      ],
      [`${product.sso}/api/v1/sites`, admin],
      [`${product.learning}/api/channels`, admin],
      [`${product.collections}/api/collections`, collectionsAdmin],
    ] as const
    for (const [name, body] of hostile.jsonBodies())
      for (const [address, headers] of routes)
        await assertNobodyWaits(`${address}: ${name}`, [201, 400, 401, 422], () =>
          send(address, { headers: { ...headers, 'content-type': 'application/json' }, body }),
        )
    assertNoneSlow()
  })

  test('forms', async () => {
    for (const [name, body] of hostile.forms())
      for (const address of [connection.acs_url, `${product.sso}/openid/token`])
        await assertNobodyWaits(`${address}: ${name}`, [400, 401, 422], () =>
          send(address, { headers: FORM, body }),
        )
    assertNoneSlow()
  })

  test('headers and addresses', async () => {
    const addresses = [
      `${product.sso}/api/v1/users/me`,
      `${product.learning}/`,
      `${product.learning}/api/channels`,
      `${product.collections}/api/collections`,
    ]
    for (const address of addresses) {
      for (const [name, headers] of hostile.headers())
        await assertNobodyWaits(`${address}: ${name}`, ANY_BELOW_500, () =>
          send(address, {
            headers: { ...(address.startsWith(product.collections) ? collectionsAdmin : admin), ...headers },
            ...('content-type' in headers ? { body: '{}' } : { method: 'GET' }),
          }),
        )
      for (const [name, query] of hostile.queries())
        await assertNobodyWaits(`${address}: ${name}`, ANY_BELOW_500, () =>
          send(`${address}?${query}`, {
            method: 'GET',
            headers: address.startsWith(product.collections) ? collectionsAdmin : admin,
          }),
        )
    }
    assertNoneSlow()
  })
})
