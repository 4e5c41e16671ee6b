import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#testing/eventually.ts'
import { adminHeaders, newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

const WITHIN_MS = 3_000
const dataDir = newDataDir()
let product: Product
let headers: Record<string, string> = {}
let frozen: number[] = []

before(async () => {
  product = await startProduct(dataDir)
  headers = await adminHeaders(product)
})
after(async () => {
  thaw()
  await product.end()
  removeDataDir(dataDir)
})

/** The process ids of the embedded server and its children. */
function serverProcesses(): number[] {
  const postmaster = Number(
    readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0],
  )
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]) === postmaster
    } catch {
      return false
    }
  })
  return [postmaster, ...children.map(Number)]
}

function freeze() {
  frozen = serverProcesses()
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
}

function thaw() {
  for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT')
}

const [EARLY_MS, ROUND_MS] = [10, 100]

/** What a process that does nothing takes to start at the same moment, ten times. */
async function timeOfAStart(): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < 10; n++) await once(spawn(process.execPath, ['-e', '']), 'exit')
  return performance.now() - began
}

type Answer = { url: string; status: number; began: number; ms: number }

async function read(url: string): Promise<Answer> {
  const began = performance.now()
  const reply = await fetch(url, { headers, signal: AbortSignal.timeout(70_000) })
  await reply.arrayBuffer()
  return { url, status: reply.status, began, ms: performance.now() - began }
}

describe('a database server that hangs', () => {
  test('blocks no read for more than three seconds', async () => {
    const urls = [
      `${product.sso}/api/v1/sessions`,
      `${product.sso}/api/v1/sites`,
      `${product.learning}/api/channels`,
      `${product.learning}/api/channels?search=algebra`,
      `${product.collections}/api/collections`,
      `${product.collections}/api/collections?q=x`,
    ]
    for (const url of urls) assert.equal((await read(url)).status, 200, url)
    const answers: Promise<Answer>[] = []
    /** How late (ms) a plain timer is at the same moments on this machine. */
    let late = 0
    const ask = () => answers.push(...urls.map(read))
    for (let round = 0; round < 5; round++) {
      ask()
      await sleep(EARLY_MS)
    }
    freeze()
    const stopped = performance.now()
    // Requests arrive before the freeze, before it is detected, and after that.
    for (let round = 0; round < 40; round++) {
      ask()
      const asked = performance.now()
      await sleep(ROUND_MS)
      late = Math.max(late, performance.now() - asked - ROUND_MS)
    }
    const all = await Promise.all(answers)
    const slow = all.filter(({ ms }) => ms > WITHIN_MS + 5 * late)
    assert.deepEqual(slow, [])
    for (const { url, status, began } of all)
      assert.ok(status === 503 || (status === 200 && began < stopped + 50 + late), `${url}: ${status}`)
    for (const url of urls) assert.ok(all.some((answer) => answer.url === url && answer.status === 503))
  })

  test('is used again within five seconds of its return', async () => {
    thaw()
    const back = performance.now()
    await eventually(
      () => read(`${product.collections}/api/collections`),
      ({ status }) => status === 200,
    )
    const used = performance.now() - back
    const start = await timeOfAStart()
    assert.ok(used < Math.max(5_000, 2 * start), `${used} ms, a start takes ${start} ms`)
    assert.doesNotMatch(product.log(), /uncaught|unhandled/)
  })
})
