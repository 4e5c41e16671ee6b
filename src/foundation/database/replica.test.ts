import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '#testing/eventually.ts'
import { startPair } from '#testing/standby.ts'
import { type Database, openDatabase } from './database.ts'
import { withReplica } from './replica.ts'

const urlOf = (port: number, name = 'lyceum') => `postgres://lyceum:lyceum@127.0.0.1:${port}/${name}`

describe('a database with a replica', () => {
  let pair: Awaited<ReturnType<typeof startPair>>
  let db: Database
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) })
  before(async () => {
    pair = await startPair()
    db = withReplica(
      openDatabase({ url: urlOf(pair.first.port) }),
      openDatabase({ url: urlOf(pair.second.port), isReplica: true }),
      log,
    )
    await db.pool`create table notes (id int primary key)`
  })
  after(async () => {
    await db?.close()
    await pair?.close()
  })

  const isFromReplica = async (of = db) => {
    const [row] = await of.lists('ann', of.pool<{ yes: boolean }[]>`select pg_is_in_recovery() as yes`)
    return row?.yes
  }
  const write = (id: number) => db.pool`insert into notes values (${id})`
  const read = async (id: number, person = 'ann') =>
    (await db.lists(person, db.pool`select id from notes where id = ${id}`)).length

  test('reads lists from the replica', async () => {
    assert.equal(await isFromReplica(), true)
  })

  test('reads what was written just before, fifty times at once', async () => {
    const ids = Array.from({ length: 50 }, (_, n) => n + 1)
    const found = await Promise.all(
      ids.map(async (id) => {
        await write(id)
        return await read(id, `person ${id % 20}`)
      }),
    )
    assert.deepEqual(
      found,
      ids.map(() => 1),
    )
  })

  test('reads from the primary while the replica lags', async () => {
    await pair.second.admin('select pg_wal_replay_pause()')
    await write(1_000)
    assert.equal(await isFromReplica(), false)
    assert.equal(await read(1_000), 1)
    await pair.second.admin('select pg_wal_replay_resume()')
    await eventually(async () => (await isFromReplica()) === true)
  })

  test('refuses a list that takes too long, and does not begin it again', async () => {
    await assert.rejects(db.lists('ann', db.pool`select pg_sleep(10)`), { code: '57014' })
    const [row] = await db.pool<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity where query like '%pg_sleep(10)%' and pid <> pg_backend_pid()`
    assert.equal(row?.n, 0)
  })

  test('answers while the replica is frozen, and uses it again afterwards', async () => {
    pair.second.freeze()
    assert.equal(await isFromReplica(), false)
    pair.second.thaw()
    await eventually(async () => (await isFromReplica()) === true)
  })

  test('does not use a database that is no copy', async () => {
    await pair.first.admin('create database other owner lyceum')
    const wrong = withReplica(
      openDatabase({ url: urlOf(pair.first.port) }),
      openDatabase({ url: urlOf(pair.first.port, 'other') }),
      log,
    )
    assert.equal(await isFromReplica(wrong), false)
    assert.ok(logged.some((line) => line.includes('is no copy of DATABASE_URL')))
    await wrong.close()
  })

  test('answers after the replica is gone', async () => {
    pair.second.kill()
    // The primary waits for its standby at each commit.
    await pair.first.admin(`alter system set synchronous_standby_names = ''`)
    await pair.first.admin('select pg_reload_conf()')
    await eventually(async () => {
      const [row] = await db.fast<
        { names: string }[]
      >`select current_setting('synchronous_standby_names') as names`
      return row?.names === ''
    })
    await write(2_000)
    assert.equal(await read(2_000), 1)
  })
})
