import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { testDatabase } from '#testing/database.ts'
import { dumpDatabase } from './dump.ts'
import { writeParts } from './parts.ts'

const folder = mkdtempSync(join(tmpdir(), 'lyceum-dump-'))
after(() => rmSync(folder, { recursive: true }))

test('reads large tables one after another', async () => {
  const { url, db } = await testDatabase()
  await db.pool`create schema large`
  for (let number = 0; number < 30; number++)
    await db.pool`
      create table ${db.pool(`large.t${number}`)} as
      select repeat('x', 200) as text, n from generate_series(1, ${1_000 + number * 37}::int) n`
  const file = await open(join(folder, 'large'), 'wx', 0o600)
  const to = await writeParts(file, 'correct horse battery staple')
  const { rows, tables } = await dumpDatabase({ url, schemas: ['large', 'foundation'], version: '0', to })
  await file.close()
  assert.ok(tables.length >= 30)
  assert.ok(rows >= 46_095)
})
