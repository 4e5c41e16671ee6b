import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { adminHeaders, call, type Product, startProduct } from '#testing/product.ts'
import { cpuTimes, drive, postmasterOf } from './bench-load.ts'

/**
 * What an operator waits for and pays for: `node_modules/.bin/node scripts/bench-start.ts --seconds 60`. Wall clock and
 * CPU from the spawn to the ready line, on data that exist; memory of the program when idle, and after so many seconds
 * of load at 32 connections. Exits 1 where a bar is missed.
 */
const SECONDS = Number(/--seconds (\d+)/.exec(process.argv.slice(2).join(' '))?.[1] ?? 60)
const ROUNDS = 5
const IDLE_MS = 10_000

process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.compile-cache'
const dataDir = mkdtempSync(join(tmpdir(), 'lyceum-bench-start-'))
try {
  await (await startProduct(dataDir)).end()
  const starts = []
  for (let round = 0; round < ROUNDS; round++) {
    const product = await startProduct(dataDir, {}, { keepsLog: false })
    const { ours, postgres } = cpuTimes({ pid: product.pid, postmaster: postmasterOf(dataDir) })
    starts.push({ wall: product.startedIn, cpu: (ours + postgres) / 1_000 })
    await product.end()
  }
  const product = await startProduct(dataDir, {}, { keepsLog: false })
  await wait(IDLE_MS)
  const idle = memoryOf(product.pid)
  await load(product)
  const loaded = memoryOf(product.pid)
  await product.end()
  say('start until ready, wall', median(starts.map(({ wall }) => wall)), 1_500, 'ms')
  say('start until ready, CPU with PostgreSQL', median(starts.map(({ cpu }) => cpu)), 1_500, 'ms')
  say('memory, idle', idle, 150, 'MB')
  say(`memory, after ${SECONDS} s of load`, loaded, 250, 'MB')
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function load(product: Product) {
  const headers = await adminHeaders(product)
  const body = { title: 'Measured', description: 'One of many.', episodes: [] }
  const made = await call(`${product.learning}/api/channels`, { headers, body })
  const target = { pid: product.pid, postmaster: undefined }
  const urls = [
    `${product.learning}/api/channels/${String(made.body['id'])}`,
    `${product.learning}/api/channels`,
  ]
  for (const url of urls) await drive(target, SECONDS / urls.length, { url, headers })
}

/** Resident memory in MB. */
function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1_024
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Infinity
}

function say(what: string, value: number, bar: number, unit: string) {
  const isBelow = value > bar
  console.log(
    `${what.padEnd(40)} ${value.toFixed(0).padStart(6)} ${unit}, at most ${bar}${isBelow ? '  BELOW' : ''}`,
  )
  if (isBelow) process.exitCode = 1
}
