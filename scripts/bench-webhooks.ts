import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { Pool } from 'undici'
import { loadConfig } from '#foundation/settings/config.ts'
import { type Database, openDatabase } from '#foundation/database/database.ts'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import { newId } from '#foundation/ids.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import { adminHeaders, call, startProduct } from '#testing/product.ts'
import type { Send } from '../src/sso/events/webhooks/deliver.ts'
import { cpuTimes, postmasterOf, type Target } from './bench-load.ts'
import { startWebhooks } from '../src/sso/events/webhooks/engine.ts'
import { recordFacts } from '../src/sso/events/facts/facts.ts'
import { fanOutHandler } from '../src/sso/events/webhooks/fan-out.ts'
import { paymentCompleted } from '../src/sso/events/facts/telling.ts'

/**
 * B5: deliveries per second, compared with undici posting bodies of the same size to the same receiver with the same
 * concurrency. `node_modules/.bin/node scripts/bench-webhooks.ts --events 20000`. The clock starts after facts are
 * fanned out and covers claim, signatures, send and fenced finish, with a flush of every finish.
 */
const EVENTS = Number(/--events (\d+)/.exec(process.argv.slice(2).join(' '))?.[1] ?? 16_000)
const ROUNDS = 3
const SITES = 2
const ENDPOINTS = 8
const RATIO = 0.3
/** CPU in µs per delivery. */
const NODE_US = 120
const POSTGRES_US = 60
const AT_ONCE = SITES * ENDPOINTS * 8

/** The receiver runs in its own process, like that of a partner. */
function receive() {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume()
    response.writeHead(204).end()
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () =>
    process.send?.((server.address() as AddressInfo).port),
  )
}

async function measure() {
  const receiver = fork(import.meta.filename)
  const port = await new Promise<number>((resolve) =>
    receiver.once('message', (message) => resolve(Number(message))),
  )
  const dataDir = mkdtempSync(join(tmpdir(), 'lyceum-bench-'))
  const product = await startProduct(dataDir, {}, { keepsLog: false })
  const sites: Site[] = []
  for (let n = 0; n < SITES; n++) sites.push(await aSite(product, `http://127.0.0.1:${port}/${n}`))
  await product.end()
  const log = pino({ level: 'error' })
  const embedded = await startEmbeddedPostgres({ dataDir, log, onLost: () => process.exit(1) })
  const database = openDatabase({ url: embedded.url() })
  const parts = {
    config: loadConfig({ DATA_DIR: dataDir, SSO_WEBHOOK_RATE: '0' }),
    database,
    keys: loadMasterKeys(undefined, dataDir),
    log,
    ownPorts: () => [],
    signLogout: async () => '',
  }
  try {
    const target = { pid: process.pid, postmaster: postmasterOf(dataDir) }
    const rounds: { ratio: number; node: number; postgres: number }[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const before = await posts(port)
      const ours = await deliveries(parts, sites, target)
      const after = await posts(port)
      const ratio = ours.rate / ((before + after) / 2)
      const name = round === 0 ? 'warm-up' : `round ${round}`
      console.log(
        `${name}: ${ours.rate.toFixed(0)} deliveries/s, ${ours.node.toFixed(0)} + ${ours.postgres.toFixed(0)} µs of CPU each in Node and PostgreSQL; undici ${before.toFixed(0)} and ${after.toFixed(0)} posts/s; ratio ${ratio.toFixed(2)}`,
      )
      if (round > 0) rounds.push({ ratio, node: ours.node, postgres: ours.postgres })
    }
    const median = (name: 'ratio' | 'node' | 'postgres') =>
      rounds.map((one) => one[name]).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0
    const isMissed = [
      say(`webhook delivery, ${AT_ONCE} at once: ratio`, median('ratio'), RATIO, median('ratio') < RATIO),
      say('µs of Node per delivery', median('node'), NODE_US, median('node') > NODE_US),
      say('µs of PostgreSQL per delivery', median('postgres'), POSTGRES_US, median('postgres') > POSTGRES_US),
    ].some(Boolean)
    if (isMissed) process.exitCode = 1
  } finally {
    receiver.kill()
    await database.close()
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function say(what: string, value: number, bar: number, isMissed: boolean): boolean {
  const missed = bar < 1 ? '  BELOW' : '  ABOVE'
  console.log(`${what} ${value.toFixed(bar < 1 ? 2 : 0)}, bar ${bar}${isMissed ? missed : ''}`)
  return isMissed
}

type Site = { site_id: string; site_code: string; environment: 'sandbox' }

async function aSite(product: Awaited<ReturnType<typeof startProduct>>, url: string): Promise<Site> {
  const { sso } = product
  const headers = await adminHeaders(product)
  const made = (await call(`${sso}/api/v1/sites`, { headers, body: { name: 'Measured' } })).body
  const site_code = String(made['site_code'])
  for (let n = 0; n < ENDPOINTS; n++) {
    const body = { webhook_url: `${url}/${n}`, site_code }
    const reply = await call(`${sso}/api/v1/webhooks`, { headers, body })
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
  }
  // Each endpoint must answer a ping first.
  const isPending = async () => {
    const { items = [] } = (await call(`${sso}/api/v1/webhooks?site_code=${site_code}`, { headers })).body
    return (items as { status: string }[]).some(({ status }) => status === 'pending')
  }
  while (await isPending()) await wait(20)
  return { site_id: String(made['site_id']), site_code, environment: 'sandbox' }
}

type Parts = Omit<Parameters<typeof startWebhooks>[0], 'metrics'>

async function deliveries(parts: Parts, sites: Site[], target: Target) {
  const { database: db, log } = parts
  const facts = EVENTS / (SITES * ENDPOINTS)
  for (const site of sites)
    for (let n = 0; n < facts; n += 250)
      await db.transaction((tx) =>
        recordFacts(
          tx,
          Array.from({ length: Math.min(250, facts - n) }, () => paid(site)),
        ),
      )
  const fanOut = startRunner({ db, log, handlers: { 'webhook.fan_out': fanOutHandler(async () => '') } })
  while (await isLeft(db, 'webhook.fan_out')) await wait(20)
  await fanOut.stop()
  await db.pool`vacuum analyze`
  await db.pool`checkpoint`.catch(() => {})

  const before = cpuTimes(target)
  const began = performance.now()
  let begun = 0
  const counted = (send: Send): Send => {
    return (request) => {
      begun++
      return send(request)
    }
  }
  const engine = await startWebhooks({ ...parts, metrics: createMetrics() }, { wrap: counted })
  // The table is asked only at the end: each question walks what earlier rounds have left behind.
  while (begun < EVENTS) await wait(20)
  while ((await db.pool`select from sso.webhook_deliveries where state = 'pending' limit 1`).length > 0)
    await wait(20)
  const seconds = (performance.now() - began) / 1_000
  const after = cpuTimes(target)
  await engine.stop()
  const each = (name: 'ours' | 'postgres') => (after[name] - before[name]) / EVENTS
  return { rate: EVENTS / seconds, node: each('ours'), postgres: each('postgres') }
}

const paid = (site: Site) =>
  paymentCompleted(site, {
    order_id: newId(),
    plan: 'business',
    amount: 49_900,
    currency: 'USD',
    fulfilled_at: '2026-01-01T00:00:00.000Z',
  })

const isLeft = async ({ pool }: Database, kind: string) =>
  (await pool`select from foundation.jobs where kind = ${kind} and state = 'pending' limit 1`).length > 0

/** Posts bodies of the same size with as many headers, to as many paths over as many connections. */
async function posts(port: number) {
  const seconds = 2
  const body = Buffer.alloc(520, 'x')
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Lyceum-Webhooks',
    'x-sso-event-id': newId(),
    'x-sso-signature': `sha256=${'0'.repeat(64)}`,
    'webhook-id': newId(),
    'webhook-timestamp': '1800000000',
    'webhook-signature': `v1,${'0'.repeat(44)}`,
    'accept-encoding': 'identity',
  }
  const pools = Array.from(
    { length: SITES * ENDPOINTS },
    () => new Pool(`http://127.0.0.1:${port}`, { connections: 8, pipelining: 1 }),
  )
  let sent = 0
  const end = performance.now() + seconds * 1_000
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, n) => {
      const pool = pools[n % pools.length]
      while (pool && performance.now() < end) {
        const reply = await pool.request({ path: '/0/0', method: 'POST', body, headers })
        await reply.body.dump()
        sent++
      }
    }),
  )
  await Promise.all(pools.map((pool) => pool.close()))
  return sent / seconds
}

if (process.send) receive()
else await measure()
