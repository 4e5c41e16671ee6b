import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { testDatabase } from '#testing/database.ts'
import { createLog } from './log.ts'

test('logs a database error without the row it concerns', async () => {
  const { db } = await testDatabase()
  await db.pool`create table public.accounts (id int primary key, email text, hash text check (hash <> 'canary-hash'))`
  await db.pool`create unique index accounts_by_email on public.accounts (email)`
  await db.pool`insert into public.accounts values (1, 'canary@example.org', '')`
  const failures = await Promise.allSettled([
    db.pool`insert into public.accounts values (2, 'canary@example.org', '')`,
    db.pool`insert into public.accounts values (3, 'other', 'canary-hash')`,
  ])
  let text = ''
  const log = createLog(
    'error',
    new Writable({
      write: (line, _, done) => {
        text += String(line)
        done()
      },
    }),
  )
  for (const failure of failures) {
    assert.equal(failure.status, 'rejected')
    log.error({ err: failure.reason })
  }
  assert.match(text, /accounts_by_email/)
  assert.match(text, /accounts_hash_check/)
  assert.doesNotMatch(text, /canary/)
})
