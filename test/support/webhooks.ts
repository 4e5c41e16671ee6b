import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createLogoutTokens, startWebhooks, type Webhooks } from '#sso'
import { atEnd } from './database.ts'
import { aSite, type Person, type TestSite } from './people.ts'
import { answers, type Behaviour, type Received, type Receiver, startReceiver } from './receiver.ts'
import type { World } from './world.ts'

const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 })
/** The key that signs logout tokens in tests, and its public half. */
export const logoutKey = { kid: 'logout-test', publicKey: pair.publicKey }
const signLogout = createLogoutTokens(
  { signer: () => ({ kid: logoutKey.kid, privateKey: pair.privateKey }) },
  { issuer: (environment) => (environment === 'sandbox' ? 'https://sso.test/sandbox' : 'https://sso.test') },
)

type Options = Parameters<typeof startWebhooks>[1]

/** The engine over the database of a world, as main.ts starts it. Stopped at the end of the process. */
export async function startEngine(lyceum: World, options: Options = {}): Promise<Webhooks> {
  const { parts, db } = lyceum
  const metrics = { ...parts.metrics, gauges: () => {}, counters: () => ({ inc: () => {} }) }
  const engine = await startWebhooks({ ...parts, database: db, metrics, signLogout }, options)
  atEnd.unshift(() => engine.stop())
  return engine
}

export type Partner = {
  site: TestSite
  owner: Person
  receiver: Receiver
  webhook_id: string
  secret: string
  /** What arrived, as JSON, in the order it came. */
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

/** A sandbox site with one endpoint, a receiver on this machine. */
export async function aPartner(
  lyceum: World,
  {
    behave = answers(204),
    site: given,
    ...body
  }: { behave?: Behaviour; site?: TestSite & { owner: Person }; events?: string[]; all_sites?: boolean } = {},
): Promise<Partner> {
  const { owner, ...site } = given ?? (await aSite({ environment: 'sandbox', lyceum }))
  const receiver = await startReceiver(behave)
  atEnd.unshift(() => receiver.close())
  const made = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/webhooks',
    headers: owner.headers,
    payload: { webhook_url: receiver.url, site_code: site.site_code, ...body },
  })
  assert.equal(made.statusCode, 201, made.body)
  const { webhook_id, webhook_secret: secret } = made.json()
  return { site, owner, receiver, webhook_id, secret, bodies: () => receiver.requests.map(toldIn) }
}

export const toldIn = ({ body }: Received) => JSON.parse(body.toString()) as Told

/** X-SSO-Signature as the API document defines it, made here a second time. */
export const signatureOf = (secret: string, body: Buffer) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

export async function eventually(holds: () => boolean | Promise<boolean>, limitMs = 5_000) {
  const until = performance.now() + limitMs
  while (!(await holds())) {
    assert.ok(performance.now() < until, 'it did not become true in time')
    await wait(5)
  }
}
