import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'

/** `LYCEUM_KILLS=50 npm test -- test/slow/crash/product` for the long run. */
const KILLS = Number(process.env['LYCEUM_KILLS'] ?? 6)

describe('the program killed with SIGKILL while channels are created', () => {
  const dataDir = newDataDir()
  let product: Product | undefined
  after(async () => {
    await product?.end('SIGTERM')
    removeDataDir(dataDir)
  })

  test(`keeps every channel answered with 201 through ${KILLS} kills`, async () => {
    const confirmed: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      product = await startProduct(dataDir)
      const headers = await adminHeaders(product)
      const writers = Array.from({ length: 8 }, () =>
        createUntilItDies(product as Product, headers, confirmed),
      )
      // Waits for a number of channels, not for a time: a busy machine creates none in the first milliseconds.
      const enough = confirmed.length + 2 + ((7 * kill) % 20)
      await eventually(() => confirmed.length >= enough)
      assert.equal(await product.end('SIGKILL'), 'SIGKILL')
      await Promise.all(writers)
    }
    product = await startProduct(dataDir)
    const headers = await adminHeaders(product)
    assert.ok(confirmed.length > KILLS, `only ${confirmed.length} channels were made`)
    for (const id of confirmed) {
      const { status, body } = await call(`${product.learning}/api/channels/${id}`, { headers })
      assert.equal(status, 200, `channel ${id} is lost`)
      assert.equal((body['episodes'] as unknown[]).length, 3)
    }
    const { body } = await call(`${product.learning}/api/channels?per_page=1`, { headers })
    const counted = await countAll(product, headers)
    assert.equal(body['total'], counted, 'the counters and the rows disagree')
  })

  test('exits with code 0 on SIGTERM and leaves no server, though connections wait unused', async () => {
    for (const address of [product?.sso, product?.learning, product?.collections])
      await once(connect(Number(new URL(address ?? '').port), '127.0.0.1'), 'connect')
    // One that waited for them would be ended by its own patience, with code 1.
    assert.equal(await product?.end('SIGTERM'), 0)
    product = undefined
    assert.ok(!existsSync(join(dataDir, 'postgres/data/postmaster.pid')))
  })
})

describe('a start after a kill', () => {
  const dataDir = newDataDir()
  let product: Product | undefined
  after(async () => {
    await product?.end('SIGTERM')
    removeDataDir(dataDir)
  })

  test('reuses compiled code within three seconds of processor time', async () => {
    const NODE_COMPILE_CACHE = join(dataDir, 'compiled')
    const used: number[] = []
    for (let start = 0; start < 3; start++) {
      product = await startProduct(dataDir, { NODE_COMPILE_CACHE })
      used.push(secondsOfCpu(product.pid))
      const files = readdirSync(NODE_COMPILE_CACHE, { recursive: true })
      assert.ok(files.length > 300, `${files.length} files`)
      assert.equal(await product.end('SIGKILL'), 'SIGKILL')
    }
    product = undefined
    const [first = 0, ...again] = used
    assert.ok(
      again.every((seconds) => seconds < 3 && seconds < first),
      `${used.join(', ')} s`,
    )
  })
})

/** CPU time, because wall time depends on the other load of the machine. */
function secondsOfCpu(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [utime, stime] = fields.split(' ').slice(11, 13).map(Number)
  return ((utime ?? 0) + (stime ?? 0)) / 100
}

async function createUntilItDies(
  { learning }: Product,
  headers: Record<string, string>,
  confirmed: string[],
) {
  const episodes = [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]
  try {
    for (;;) {
      const { status, body } = await call(`${learning}/api/channels`, {
        headers,
        body: { title: 'Crash', episodes },
      })
      if (status !== 201) return
      confirmed.push(String(body['id']))
    }
  } catch {
    // The kill cut the connection, so this channel was never confirmed.
  }
}

async function countAll({ learning }: Product, headers: Record<string, string>): Promise<number> {
  let count = 0
  for (let page = 1; ; page++) {
    const { body } = await call(`${learning}/api/channels?per_page=100&page=${page}`, { headers })
    const found = body.items?.length ?? 0
    if (found === 0) return count
    count += found
  }
}
