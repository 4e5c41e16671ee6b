import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Database, isConnectionLoss, openDatabase } from '#foundation/database/database.ts'
import { eventually } from '#testing/eventually.ts'
import { startPair } from '#testing/standby.ts'

type Pair = Awaited<ReturnType<typeof startPair>>

function openPair({ first, second }: Pair): Database {
  // The standby comes first, so every connection has to find the primary behind it.
  const hosts = `127.0.0.1:${second.port},127.0.0.1:${first.port}`
  return openDatabase({ url: `postgres://lyceum:lyceum@${hosts}/lyceum?target_session_attrs=read-write` })
}

/** Breaks the primary while somebody writes, and makes the standby the primary. */
async function failover({ second }: Pair, db: Database, breakFirst: () => void) {
  const acknowledged: number[] = []
  const errors: unknown[] = []
  let isOver = false
  const writing = (async () => {
    for (let id = 0; !isOver; id++)
      if (!db.isAvailable()) await eventually(() => isOver || db.isAvailable())
      else
        await db
          .transaction((tx) => tx`insert into written values (${id})`)
          .then(
            () => acknowledged.push(id),
            (error: unknown) => (db.noteFailure(error), errors.push(error)),
          )
  })()
  await eventually(() => acknowledged.length >= 50)
  breakFirst()
  await second.promote()
  await becomeAlone(second)
  const before = acknowledged.length
  await eventually(() => acknowledged.length >= before + 50)
  isOver = true
  await writing
  assert.ok(errors.length > 0 && errors.every(isConnectionLoss), String(errors))
  const rows = await db.pool<{ id: number }[]>`select id from written`
  const kept = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    acknowledged.filter((id) => !kept.has(id)),
    [],
  )
  const [read] = await db.fast<{ is_standby: boolean }[]>`select pg_is_in_recovery() as is_standby`
  assert.equal(read?.is_standby, false)
}

/** Its own standby is gone with the old primary. */
async function becomeAlone(server: Pair['second']) {
  await server.admin(`alter system set synchronous_standby_names = ''`)
  await server.admin('select pg_reload_conf()')
}

describe('several hosts in DATABASE_URL', () => {
  let pair: Pair
  let db: Database
  before(async () => {
    pair = await startPair()
    db = openPair(pair)
    await db.pool`create table written (id int)`
  })
  after(async () => {
    await db.close()
    await pair.close()
  })

  test('acknowledge no write that only one server has', async () => {
    pair.second.freeze()
    const late = [
      db.transaction((tx) => tx`insert into written values (-1)`),
      db.pool`insert into written values (-2) returning id`,
    ].map((write) =>
      write.then(
        () => 'acknowledged',
        (error: unknown) => (db.noteFailure(error) ? 'in doubt' : String(error)),
      ),
    )
    try {
      await cancelCommits()
      assert.deepEqual(await Promise.all(late), ['in doubt', 'in doubt'])
    } finally {
      pair.second.thaw()
    }
    await eventually(() => db.isAvailable())
  })

  /** Somebody cancels both commits while they wait for the standby. */
  async function cancelCommits() {
    const waiting = `select pid from pg_stat_activity where wait_event = 'SyncRep'`
    await eventually(async () => (await pair.first.admin(waiting)).length === 2)
    await pair.first.admin(`select pg_cancel_backend(pid) from (${waiting}) as one`)
  }

  test('follow the primary while the old one hangs, also without its name', async () => {
    const alone = openDatabase({ url: `postgres://lyceum:lyceum@127.0.0.1:${pair.second.port}/lyceum` })
    try {
      for (let tried = 0; tried < 3; tried++) {
        const error: unknown = await alone.pool`insert into written values (-3)`.catch(
          (fault: unknown) => fault,
        )
        assert.ok(alone.noteFailure(error), String(error))
        assert.equal(alone.isAvailable(), false, 'a standby is used')
      }
      await failover(pair, db, () => pair.first.freeze())
      await eventually(() => alone.isAvailable())
      await alone.pool`insert into written values (-4)`
    } finally {
      await alone.close()
    }
  })
})

test('several hosts in DATABASE_URL follow the primary after the old one is killed', async () => {
  const pair = await startPair()
  const db = openPair(pair)
  try {
    await db.pool`create table written (id int)`
    await failover(pair, db, () => pair.first.kill())
  } finally {
    await db.close()
    await pair.close()
  }
})
