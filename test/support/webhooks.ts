import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createLogoutTokens, startWebhooks, type Webhooks } from '#sso'
import { atEnd } from './endings.ts'
import { eventually } from './eventually.ts'
import { aSite, type Person, type TestSite } from './people.ts'
import { answers, type Behaviour, type Received, type Receiver, startReceiver } from './receiver.ts'
import type { World } from './world.ts'

const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 })
/** The key that signs logout tokens in tests: its id and public half. */
export const logoutKey = { kid: 'logout-test', publicKey: pair.publicKey }
const signLogout = createLogoutTokens(
  { signer: () => ({ kid: logoutKey.kid, privateKey: pair.privateKey }) },
  { issuer: (environment) => (environment === 'sandbox' ? 'https://sso.test/sandbox' : 'https://sso.test') },
)

type Options = Parameters<typeof startWebhooks>[1]

/** Starts the webhook engine on the database of a world, as main.ts does. It stops when the process ends. */
export async function startEngine(lyceum: World, options: Options = {}): Promise<Webhooks> {
  const { parts, db } = lyceum
  const metrics = { ...parts.metrics, gauges: () => {}, counters: () => ({ inc: () => {} }) }
  const engine = await startWebhooks({ ...parts, database: db, metrics, signLogout }, options)
  atEnd(() => engine.stop())
  return engine
}

export type Partner = {
  site: TestSite
  owner: Person
  receiver: Receiver
  webhook_id: string
  secret: string
  /** The bodies received, parsed as JSON, in order of arrival. */
  bodies: () => Told[]
}
export type Told = {
  event_type: string
  timestamp: string
  event_id: string
  api_version: string
  data: Record<string, unknown>
  metadata: Record<string, unknown>
}

/** A sandbox site with one confirmed endpoint, whose receiver runs on this machine. The first ping is not counted. */
export async function aPartner(
  lyceum: World,
  {
    behave = answers(204),
    site: given,
    ...body
  }: { behave?: Behaviour; site?: TestSite & { owner: Person }; events?: string[]; all_sites?: boolean } = {},
): Promise<Partner> {
  const { owner, ...site } = given ?? (await aSite({ environment: 'sandbox', lyceum }))
  const first: { pings?: ReadonlySet<string> } = {}
  const receiver = await startReceiver(behave, {
    isIgnored(request) {
      const { event_type, event_id } = toldIn(request)
      return event_type === 'ping' && (first.pings?.has(event_id) ?? true)
    },
  })
  atEnd(() => receiver.close())
  const made = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/webhooks',
    headers: owner.headers,
    payload: { webhook_url: receiver.url, site_code: site.site_code, ...body },
  })
  assert.equal(made.statusCode, 201, made.body)
  const { webhook_id, webhook_secret: secret } = made.json()
  first.pings = await confirmEndpoints(lyceum, site)
  return { site, owner, receiver, webhook_id, secret, bodies: () => receiver.requests.map(toldIn) }
}

/**
 * Confirms the endpoints of a site without a ping, whether or not receivers answer or an engine runs. The first pings
 * disappear from the log and the queue. Returns their event ids, because one may still arrive.
 */
export async function confirmEndpoints(
  { db }: World,
  { site_id }: { site_id: string },
): Promise<ReadonlySet<string>> {
  const isUnderWay = async () => {
    const rows = await db.pool`
      select from sso.webhook_deliveries
       where site_id = ${site_id} and event_type = 'ping' and lease_until > clock_timestamp()`
    return rows.length > 0
  }
  // The answer to a ping in flight could count for a later ping.
  await eventually(async () => !(await isUnderWay()))
  return db.transaction(async (tx) => {
    const pings = await tx<{ event_id: string }[]>`
      delete from sso.webhook_events where site_id = ${site_id} and event_type = 'ping' returning event_id`
    await tx`
      update sso.webhook_endpoints
         set confirmed_at = coalesce(confirmed_at, created_at), consecutive_failures = 0, failing_since = null,
             last_error = null
       where site_id = ${site_id}`
    return new Set(pings.map(({ event_id }) => event_id))
  })
}

/** The part of the OpenAPI description that describes events. */
export type Described = {
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: object }> } } }>
}
const ajv = new Ajv2020({ strict: false, removeAdditional: 'all', validateFormats: false })

/** Fails unless a received body is exactly what the OpenAPI description says of its event. */
export function assertDescribed({ webhooks }: Described, body: Told) {
  const schema = webhooks[body.event_type]?.post.requestBody.content['application/json']?.schema
  assert.ok(schema, `${body.event_type} is not described`)
  const copy = structuredClone(body)
  assert.ok(ajv.validate(schema, copy), `${body.event_type}: ${JSON.stringify(ajv.errors)}`)
  assert.deepEqual(copy, body, 'no member is told that is not described')
}

/** Waits until what was recorded is told and nothing for these partners is under way or due: no more will come. */
export const untilQuiet = ({ db }: World, ...partners: Pick<Partner, 'webhook_id'>[]) =>
  eventually(
    () => db.pool`
      select 'fan-out' as left from foundation.jobs where kind = 'webhook.fan_out' and state = 'pending'
      union all
      select state from sso.webhook_deliveries
       where webhook_id = any(${partners.map(({ webhook_id }) => webhook_id)}::uuid[]) and state = 'pending'
         and (lease_until is not null or next_attempt_at <= clock_timestamp())`,
    (left) => left.length === 0,
  )

export const toldIn = ({ body }: Received) => JSON.parse(body.toString()) as Told

/** X-SSO-Signature as the API document defines it, computed independently of the product. */
export const signatureOf = (secret: string, body: Buffer) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
