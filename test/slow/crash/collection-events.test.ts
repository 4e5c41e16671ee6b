import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers, type Receiver, startReceiver } from '#testing/receiver.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { eventually } from '#testing/eventually.ts'
import { toldIn } from '#testing/webhooks.ts'

const dataDir = newDataDir()
let product: Product | undefined
let receiver: Receiver | undefined
after(async () => {
  await product?.end()
  await receiver?.close()
  removeDataDir(dataDir)
})

type Headers = Record<string, string>
const PERSON = { email: 'curator@example.org', password: 'correct horse battery 7' }

async function made(url: string, headers: Headers, body: object) {
  const reply = await call(url, { headers, body })
  assert.ok(reply.status < 300, `${url}: ${reply.status} ${JSON.stringify(reply.body)}`)
  return reply.body
}

test('events of items are told once each through two kills of the program', async () => {
  product = await startProduct(dataDir)
  receiver = await startReceiver(answers(204))
  const { requests } = receiver
  const admin = await adminHeaders(product, 'console')
  const site = await made(`${product.sso}/api/v1/sites`, admin, { name: 'Museum', environment: 'sandbox' })
  const webhook = { webhook_url: receiver.url, site_code: site['site_code'], events: ['item.created'] }
  await made(`${product.sso}/api/v1/webhooks`, admin, webhook)
  await eventually(() => requests.length === 1)
  const key = { 'x-sso-site-key': String(site['site_key']) }
  await made(`${product.sso}/api/v1/auth/register`, key, PERSON)
  const signedIn = async ({ sso }: Product) => ({
    authorization: `Bearer ${String((await made(`${sso}/api/v1/auth/login`, key, PERSON))['access_token'])}`,
  })
  let headers = await signedIn(product)
  const box = await made(`${product.collections}/api/collections`, headers, { name: 'Box' })
  const items: string[] = []
  const add = async (number: number) => {
    for (let n = 0; n < number; n++) {
      const url = `${product?.collections}/api/collections/${String(box['id'])}/items`
      items.push(String((await made(url, headers, { name: `Vase ${n}` }))['id']))
    }
  }
  // Fewer than 100 in all: more of them at once would be told as numbers.
  for (let kill = 0; kill < 2; kill++) {
    await add(30)
    await product.end('SIGKILL')
    product = await startProduct(dataDir)
    headers = await signedIn(product)
  }
  await add(10)
  const told = () => requests.map(toldIn).filter(({ event_type }) => event_type === 'item.created')
  const ids = () => new Set(told().map(({ data }) => data['item_id']))
  await eventually(() => items.every((id) => ids().has(id)))
  // A delivery may come twice, under the same id; an event may not.
  const events = new Map(told().map(({ event_id, data }) => [event_id, data['item_id']]))
  assert.deepEqual(new Set(events.values()), new Set(items))
  assert.equal(events.size, items.length)
})
