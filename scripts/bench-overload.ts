import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { createShedding } from '#foundation/http/shedding.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { loadConfig } from '#foundation/settings/config.ts'
import { adminHeaders, type Product, startProduct } from '#testing/product.ts'
import { drive, postmasterOf } from './bench-load.ts'

/**
 * What load shedding costs and how fast it refuses: `node_modules/.bin/node scripts/bench-overload.ts`. CPU of counting a
 * request, against that of the cheapest answer at 32 connections; then, where 1,000 connections are too many, the
 * time of a refusal as the log tells it. Exits 1 where a bar is missed.
 */
const SECONDS = 3
const ROUNDS = 5
const COUNTS = 1_000_000
const REFUSAL_MS = 5
/** Counting, as a part of the CPU of the cheapest answer. */
const MOST = 0.01

process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.compile-cache'
const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
const folders: string[] = []

async function open(env: Record<string, string>, keepsLog = false) {
  const folder = mkdtempSync(join(tmpdir(), 'lyceum-bench-overload-'))
  folders.push(folder)
  const product = await startProduct(folder, env, { keepsLog })
  return { product, target: { pid: product.pid, postmaster: postmasterOf(folder) } }
}
const list = async (product: Product) => ({
  url: `${product.learning}/api/channels`,
  headers: await adminHeaders(product),
})

let isBelow = false
try {
  const idle = await open({})
  await drive(idle.target, SECONDS, { url: `${idle.product.sso}/.well-known/jwks.json` })
  const { cpu: keys } = await drive(idle.target, SECONDS, {
    url: `${idle.product.sso}/.well-known/jwks.json`,
  })
  await idle.product.end()
  const [cost, most] = [countingCost(), MOST * keys.ours]
  isBelow ||= cost > most
  console.log(
    `counting a request: ${cost.toFixed(2)} µs of CPU, at most ${most.toFixed(2)}; an answer with keys ${keys.ours.toFixed(0)} µs`,
  )

  const { product, target } = await open({ SHED_IN_FLIGHT: '100', SHED_DELAY_MS: '1' }, true)
  const options = await list(product)
  const { rate } = await drive(target, 2 * SECONDS, { ...options, connections: 1_000 })
  const times = product
    .log()
    .split('\n')
    .filter((line) => line.includes('"status":503'))
    .map((line) => (JSON.parse(line) as { ms: number }).ms)
    .toSorted((a, b) => a - b)
  const p99 = times[Math.floor(times.length * 0.99)] ?? Infinity
  const served = rate * 2 * SECONDS - times.length
  isBelow ||= p99 >= REFUSAL_MS
  console.log(
    `refusal: median ${median(times)} ms, p99 ${p99} ms of ${REFUSAL_MS}; ${times.length} refused, ${served.toFixed(0)} answered`,
  )
  await product.end()
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
if (isBelow) process.exitCode = 1

/** µs of CPU to count a request as in progress and to end it, of clients that come in turns. */
function countingCost(): number {
  const shedding = createShedding(loadConfig({}), createMetrics())('sso')
  const addresses = Array.from({ length: 1_000 }, (_, n) =>
    n % 2 ? `10.0.${n >> 8}.${n & 255}` : `2001:db8:0:${n.toString(16)}::1`,
  )
  const requests = addresses.map((clientIp) => ({ clientIp, policy: {}, startedAt: 0 }) as FastifyRequest)
  const costs = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    for (let n = 0; n < COUNTS; n++) {
      const request = requests[n % requests.length]
      if (!request) continue
      shedding?.enter(request)
      shedding?.leave(request)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / COUNTS
  })
  return median(costs)
}
