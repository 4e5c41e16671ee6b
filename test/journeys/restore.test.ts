import assert from 'node:assert/strict'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { openDatabase } from '#foundation/database/database.ts'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import { runCommand } from '#testing/command.ts'
import { adminHeaders, call, newDataDir, removeDataDir, startProduct } from '#testing/product.ts'

const folder = newDataDir()
chmodSync(folder, 0o755)
after(() => removeDataDir(folder))
const [first, second] = [join(folder, 'first'), join(folder, 'second')]
const file = join(folder, 'one.backup')
const run = (command: string, DATA_DIR: string) =>
  runCommand([command, file], {
    DATA_DIR,
    BACKUP_PASSPHRASE: 'correct horse battery staple',
    PATH: process.env['PATH'] ?? '',
  })

/** The rows of each table of the three services, those apart that a start and a stop write themselves. */
async function rowsOf(dataDir: string): Promise<Record<string, string>> {
  const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) })
  const db = openDatabase({ url: server.url() })
  try {
    const tables = await db.pool<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname in ('sso', 'learning', 'collections') order by name`
    const rows: Record<string, string> = {}
    for (const { name } of tables) {
      const [row] = await db.pool<{ text: string | null }[]>`
        select string_agg(md5(one::text), '' order by md5(one::text)) as text from ${db.pool(name)} as one`
      rows[name] = row?.text ?? ''
    }
    return rows
  } finally {
    await db.close()
    await server.stop()
  }
}

test('a backup and its restore keep every row of the three services', async () => {
  mkdirSync(first, { mode: 0o755 })
  const product = await startProduct(first)
  const learning = await adminHeaders(product)
  const collections = await adminHeaders(product, 'collections')
  const channel = { title: 'Notes on the Analytical Engine', episodes: [{ title: 'Note G' }] }
  const made = [
    await call(`${product.learning}/api/channels`, { headers: learning, body: channel }),
    await call(`${product.collections}/api/collections`, { headers: collections, body: { name: 'Engines' } }),
  ]
  assert.deepEqual(
    made.map(({ status }) => status),
    [201, 201],
  )
  assert.equal(await product.end(), 0)
  const before = await rowsOf(first)
  assert.ok(before['learning.channels'] && before['collections.collections'] && before['sso.users'])

  const backup = await run('backup', first)
  assert.equal(backup.code, 0, backup.stderr)
  assert.equal((await run('verify', first)).code, 0)
  mkdirSync(second, { mode: 0o755 })
  const restore = await run('restore', second)
  assert.equal(restore.code, 0, restore.stderr)
  assert.deepEqual(await rowsOf(second), before)
})
