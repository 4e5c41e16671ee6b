import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabase } from '#testing/database.ts'
import { openDatabase } from './database.ts'
import { ApiError } from '../errors.ts'

describe('the two connections to the database', () => {
  test('reads times, bigint, dates and numeric in their documented forms', async () => {
    const { db } = await testDatabase()
    const [row] = await db.fast<Record<string, unknown>[]>`
      select '2026-01-02 03:04:05.6+00'::timestamptz(3) as tenth, '2026-01-02 03:04:05+02'::timestamptz(3) as whole,
             '2026-01-02 03:04:05.678+00'::timestamptz(3) as full, 9007199254740991::bigint as big,
             '2026-01-02'::date as day, 1.50::numeric as exact`
    assert.deepEqual(
      { ...row },
      {
        tenth: '2026-01-02T03:04:05.600Z',
        whole: '2026-01-02T01:04:05.000Z',
        full: '2026-01-02T03:04:05.678Z',
        big: 9007199254740991,
        day: '2026-01-02',
        exact: '1.50',
      },
    )
  })

  test('the fast lane is read-only', async () => {
    const { db } = await testDatabase()
    await assert.rejects(async () => await db.fast`create table public.forbidden (id int)`, { code: '25006' })
  })

  test('pipelines a hundred reads on one connection', async () => {
    const { db } = await testDatabase()
    const rows = await Promise.all(
      Array.from(
        { length: 100 },
        (_, n) => db.fast<{ pid: number; n: number }[]>`select pg_backend_pid() as pid, ${n}::int as n`,
      ),
    )
    assert.deepEqual(
      rows.map(([row]) => row?.n),
      Array.from({ length: 100 }, (_, n) => n),
    )
    assert.equal(new Set(rows.map(([row]) => row?.pid)).size, 1)
  })

  test('retries a transaction that PostgreSQL aborted for a deadlock', async () => {
    const { db } = await testDatabase()
    await db.pool`create table public.pair (id int primary key, n int)`
    await db.pool`insert into public.pair values (1, 0), (2, 0)`
    const both = (first: number, second: number) =>
      db.transaction(async (tx) => {
        await tx`update public.pair set n = n + 1 where id = ${first}`
        await tx`select pg_sleep(0.05)`
        await tx`update public.pair set n = n + 1 where id = ${second}`
      })
    await Promise.all([both(1, 2), both(2, 1)])
    const rows = await db.pool<{ n: number }[]>`select n from public.pair order by id`
    assert.deepEqual(
      rows.map(({ n }) => n),
      [2, 2],
    )
  })

  test('multiplies the limits of every lane by its patience', async () => {
    const { url } = await testDatabase()
    const db = openDatabase({ url, poolSize: 1, patience: 3 })
    const limits = db.pool`
      select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`
    assert.deepEqual([...(await db.fast`${limits}`)], [{ statement: '3s', lock: '0' }])
    assert.deepEqual([...(await db.lists('anna', limits))], [{ statement: '6s', lock: '0' }])
    assert.deepEqual(
      [
        ...(await db.pool`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`),
      ],
      [{ statement: '45s', lock: '15s' }],
    )
    await db.close()
  })

  test('rejects a transaction that waits two seconds for a connection', async () => {
    const { url } = await testDatabase()
    const db = openDatabase({ url, poolSize: 6 })
    const holders = Array.from({ length: 6 }, () => db.transaction((tx) => tx`select pg_sleep(2.5)`))
    await assert.rejects(
      db.transaction(async (tx) => await tx`create table public.too_late (id int)`),
      (error) => error instanceof ApiError && error.status === 503,
    )
    await Promise.all(holders)
    const [row] = await db.fast<
      { made: boolean }[]
    >`select to_regclass('public.too_late') is not null as made`
    assert.equal(row?.made, false)
    await db.transaction((tx) => tx`select 1`)
    await db.close()
  })
})
