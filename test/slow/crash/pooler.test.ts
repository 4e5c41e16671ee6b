import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#foundation/database/database.ts'
import { migrate } from '#foundation/database/migrations.ts'
import { eventually } from '#testing/eventually.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { testsWith } from '#testing/programs.ts'
import { startPair } from '#testing/standby.ts'
import { preparePgBouncer } from '../../../scripts/cluster-database.ts'

const { after, before, describe, test } = testsWith('pgbouncer', 'the connection pooler')

describe('the program behind PgBouncer in transaction mode', () => {
  let dataDir: string
  let root: string
  const MASTER_KEY = `k1:${randomBytes(32).toString('base64')}`
  let pair: Awaited<ReturnType<typeof startPair>>
  let pooler: Awaited<ReturnType<typeof preparePgBouncer>>
  let product: Product | undefined
  let url = ''
  before(async () => {
    dataDir = newDataDir()
    root = mkdtempSync(join(tmpdir(), 'lyceum-pooler-'))
    chmodSync(root, 0o755)
    pair = await startPair()
    pooler = await preparePgBouncer(root, pair.first.port)
    pooler.part.start()
    url = `postgres://lyceum:lyceum@127.0.0.1:${pooler.port}/lyceum`
    product = await startProduct(dataDir, { DATABASE_URL: url, DATABASE_PREPARE: 'off', MASTER_KEY })
  })
  after(async () => {
    await product?.end()
    await pooler.part.end('SIGTERM')
    await pair.close()
    rmSync(root, { recursive: true, force: true })
    removeDataDir(dataDir)
  })

  test('migrates, writes and lists', async () => {
    const { learning } = product as Product
    const headers = await adminHeaders(product as Product)
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        // A machine that is busy refuses some at first.
        eventually(
          () => call(`${learning}/api/channels`, { headers, body: { title: `Pooled ${n}` } }),
          ({ status }) => status !== 503,
        ),
      ),
    )
    assert.deepEqual([...new Set(made.map(({ status }) => status))], [201])
    const { body } = await call(`${learning}/api/channels?per_page=100`, { headers })
    assert.equal(new Set(body.items?.map((item) => (item as { title: string }).title)).size, 30)
  })

  test('keeps the bounds of each lane', async () => {
    const db = openDatabase({ url, prepare: false })
    await assert.rejects(async () => await db.fast`create table public.forbidden (id int)`, { code: '25006' })
    await Promise.all([
      assert.rejects(async () => await db.fast`select pg_sleep(60)`, { code: '57014' }),
      assert.rejects(db.lists('somebody', db.pool`select pg_sleep(60)`), { code: '57014' }),
    ])
    await db.close()
  })

  test('never binds the values of one statement to another', async () => {
    const db = openDatabase({ url, prepare: false })
    const id = '01a2068b-e107-7000-92be-94673d0b2d8a'
    const reads = Array.from({ length: 400 }, async (_, n) => {
      if (n % 3 === 0) return (await db.fast<{ n: number }[]>`select 1 as n`)[0]?.n === 1
      if (n % 3 === 1) return (await db.fast<{ n: number }[]>`select ${n}::int as n`)[0]?.n === n
      const [row] = await db.fast<{ id: string; bytes: Buffer }[]>`
        select ${id}::uuid as id, ${Buffer.from([n % 256])}::bytea as bytes`
      return row?.id === id && row.bytes[0] === n % 256
    })
    assert.ok((await Promise.all(reads)).every(Boolean))
    await db.close()
  })

  test('bounds each wait of a migration for a lock, without a transaction too', async () => {
    const folder = join(root, 'migrations')
    mkdirSync(folder)
    const seen = `select current_setting('lock_timeout') as lock`
    writeFileSync(join(folder, '0001_a.sql'), `-- no-transaction\ncreate table public.outside as ${seen}`)
    assert.equal((await migrate(`${url}_migrate`, [{ name: 'extra', folder }])).length, 1)
    const db = openDatabase({ url, prepare: false })
    const [row] = await db.pool`select * from public.outside`
    assert.equal(row?.['lock'], '300ms')
    await db.close()
  })

  test('answers 503 with Retry-After while the database is lost', async () => {
    const { learning } = product as Product
    const headers = await adminHeaders(product as Product)
    pair.first.kill()
    for (let n = 0; n < 2; n++) {
      const { status, headers: sent } = await call(`${learning}/api/channels`, {
        headers,
        body: { title: 'Lost' },
      })
      assert.equal(status, 503)
      assert.ok(Number(sent.get('retry-after')) > 0)
    }
  })
})
