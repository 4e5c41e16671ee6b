import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { migrate, readMigrations } from '#foundation/database/migrations.ts'
import { SNAPSHOT } from '#foundation/database/snapshot.ts'
import { describeSchemas, parseBodiesAgain } from '#testing/catalog.ts'
import { emptyDatabase } from '#testing/database.ts'
import { writeSnapshot } from '#testing/schema-snapshot.ts'
import { MIGRATIONS } from '../src/cli/database.ts'

/**
 * `node_modules/.bin/node test/schema.test.ts --write` writes what the migrations make of an empty database to
 * src/…/migrations/snapshot/schema.sql, which runs in their place (docs/decisions/schema-snapshot.md).
 */
const isWriting = process.argv.includes('--write')
const MADE_BY = 'node_modules/.bin/node test/schema.test.ts --write'
const NAMES = MIGRATIONS.map(({ name }) => name)

/** Comparing thousands of lines at once would tell nothing. */
const missing = (some: string[], others: string[]) => {
  const known = new Set(others)
  return some.filter((line) => !known.has(line))
}

describe('the snapshot of the schema', async () => {
  const { db, url } = await emptyDatabase()
  await migrate(url, MIGRATIONS, { isByFiles: true })

  for (const { name, folder } of MIGRATIONS)
    test(`of ${name} is what its migrations make`, async () => {
      const file = join(folder, SNAPSHOT)
      const text = await writeSnapshot(db.pool, name, readMigrations([{ name, folder }]))
      if (isWriting) {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
      }
      assert.equal(readFileSync(file, 'utf8'), text, `${file} is stale: run ${MADE_BY}`)
    })

  test('makes a database that differs in nothing from one that the migrations made', async () => {
    const other = await emptyDatabase()
    const ran = await migrate(other.url, MIGRATIONS)
    await parseBodiesAgain(db.pool, NAMES)
    const tell = (sql: typeof db.pool) => describeSchemas(sql, NAMES, 'foundation.migrations')
    const [byFiles, bySnapshot] = [await tell(db.pool), await tell(other.db.pool)]
    assert.ok(byFiles.length > 2_000)
    assert.deepEqual(
      { lacks: missing(byFiles, bySnapshot), adds: missing(bySnapshot, byFiles) },
      { lacks: [], adds: [] },
    )
    const record = (sql: typeof db.pool) =>
      sql`select source, number, name, sha256 from foundation.migrations order by source, number`
    assert.deepEqual([...(await record(other.db.pool))], [...(await record(db.pool))])
    assert.equal(ran.length, readMigrations(MIGRATIONS).length)
  })
})
