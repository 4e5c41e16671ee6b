import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { startBackfills, tellBackfills } from '#foundation/database/backfills.ts'
import type { Database } from '#foundation/database/database.ts'
import { migrate } from '#foundation/database/migrations.ts'
import { testDatabase } from '#testing/database.ts'
import { untilSomebodyWaits } from '#testing/locks.ts'
import { eventually } from '#testing/eventually.ts'
import { tempFolder } from '#testing/temp-folder.ts'

const ROWS = 10_500
const log = pino({ level: 'silent' })

/** What a migration brings: rows without the new column filled, and the step that fills it. */
const EXPAND = `
  create table public.words (id int primary key, word text not null, filled int not null default 0);
  insert into public.words (id, word) select n, 'word ' || n from generate_series(1, ${ROWS}) as n;
  create function public.fill_words(after text, most int, out last text, out changed bigint) language sql as $$
    with batch as (select id from public.words where id > coalesce(after::int, 0) order by id limit most),
         filled as (update public.words w set filled = w.filled + 1 from batch where w.id = batch.id returning w.id)
    select max(id)::text, count(*) from filled $$;
  insert into foundation.backfills (step, expected) select 'public.fill_words', ${ROWS} where exists (select from public.words)`

function aFolder() {
  const folder = tempFolder('migrations')
  writeFileSync(join(folder, '0001_expand.sql'), EXPAND)
  return folder
}

async function progressOf({ pool }: Database) {
  const [row] = await pool<{ changed: number; is_done: boolean }[]>`
    select changed, finished_at is not null as is_done from foundation.backfills where step = 'public.fill_words'`
  return row ?? assert.fail('no step')
}

/** How often rows were filled: only once, or the step did not go on where it was. */
const timesOf = ({ pool }: Database) =>
  pool<{ filled: number; rows: number }[]>`
    select filled, count(*)::int as rows from public.words group by filled order by filled`.then((rows) => [
    ...rows,
  ])

describe('a backfill', () => {
  test('goes on where a killed process was, and fills each row once when fifty ask', async () => {
    const { db, url } = await testDatabase()
    await migrate(url, [{ name: 'extra', folder: aFolder() }])
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'backfills-worker.ts'), url], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const exit = once(worker, 'exit')
    // The fifth batch waits for this row, and the process dies in the middle of it.
    await db.transaction(async (tx) => {
      await tx`select from public.words where id = 4500 for update`
      await eventually(async () => (await progressOf(db)).changed === 4_000)
      await untilSomebodyWaits(db)
      assert.deepEqual(await tellBackfills(db.pool), [
        'Backfill public.fill_words: 4,000 of about 10,500 rows',
      ])
      worker.kill('SIGKILL')
      await exit
      assert.deepEqual(await timesOf(db), [
        { filled: 0, rows: ROWS - 4_000 },
        { filled: 1, rows: 4_000 },
      ])
    })
    // PostgreSQL ends the statement of the dead process.
    await eventually(
      async () => (await db.pool`select from foundation.backfills for update skip locked`).length === 1,
    )
    await Promise.all(Array.from({ length: 50 }, () => db.pool`select from foundation.backfill(50)`))
    const running = startBackfills(db, log)
    await eventually(async () => (await progressOf(db)).is_done)
    await running.stop()
    assert.deepEqual(await timesOf(db), [{ filled: 1, rows: ROWS }])
    assert.deepEqual(await progressOf(db), { changed: ROWS, is_done: true })
    assert.deepEqual(await tellBackfills(db.pool), [])
  })

  test('is finished in batches before a migration that relies on it', async () => {
    const { db, url } = await testDatabase()
    const folder = aFolder()
    await migrate(url, [{ name: 'extra', folder }])
    assert.deepEqual(await timesOf(db), [{ filled: 0, rows: ROWS }])
    writeFileSync(
      join(folder, '0002_rely.sql'),
      '-- after backfill: public.fill_words\nalter table public.words add constraint filled check (filled = 1)',
    )
    await migrate(url, [{ name: 'extra', folder }])
    assert.deepEqual(await progressOf(db), { changed: ROWS, is_done: true })
    const [{ batches }] = (await db.pool`
      select count(distinct xmin::text)::int as batches from public.words`) as unknown as [
      { batches: number },
    ]
    assert.equal(batches, 11)
  })
})
