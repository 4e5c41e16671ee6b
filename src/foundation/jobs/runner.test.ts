import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { type Database, one, openDatabase } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { testDatabase } from '#testing/database.ts'
import { eventually } from '#testing/eventually.ts'
import { enqueue, type NewJob } from './jobs.ts'
import { type Handlers, type Runner, type RunnerOptions, startRunner } from './runner.ts'

let db: Database
let url: string
before(async () => {
  const own = await testDatabase()
  db = own.db
  url = own.url
})

const running = new Set<Runner>()
after(() => Promise.all([...running].map((runner) => runner.stop())))

const silent = pino({ level: 'silent' })

function runs(handlers: Handlers, options: Partial<RunnerOptions> = {}): Runner {
  const runner = startRunner({ db, log: silent, handlers, ...options })
  running.add(runner)
  return runner
}

const newKind = () => `test.${randomUUID()}`
const write = (...jobs: NewJob[]) => db.transaction((tx) => enqueue(tx, jobs))
const times = (count: number, job: NewJob) => Array.from({ length: count }, () => job)

const statesOf = async (kind: string) =>
  Object.fromEntries(
    (
      await db.pool<{ state: string; total: number }[]>`
      select state, count(*) as total from foundation.jobs where kind = ${kind} group by state`
    ).map((row) => [row.state, row.total]),
  )

const rowOf = async (kind: string) =>
  one(
    await db.pool<
      { state: string; attempts: number; claims: number; last_error: string | null; is_leased: boolean }[]
    >`
    select state, attempts, claims, last_error, lease_token is not null as is_leased
      from foundation.jobs where kind = ${kind}`,
  )

describe('a runner', () => {
  test('starts a job at a notification, else by polling every half second', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const kind = newKind()
    let started = 0
    const runner = runs({ [kind]: async () => void started++ })
    await write({ kind, payload: {} })
    runner.wake()
    await eventually(async () => (await statesOf(kind))['done'] === 1)
    // As another process writes it: nobody here is told.
    await db.pool`
      insert into foundation.jobs (job_id, kind, payload) values (${newId()}, ${kind}, '{}')`
    t.mock.timers.tick(499)
    assert.equal(started, 1)
    t.mock.timers.tick(1)
    await eventually(async () => (await statesOf(kind))['done'] === 2)
    await runner.stop()
  })

  test('leaves jobs without a handler to other processes', async () => {
    const [known, unknown] = [newKind(), newKind()]
    await write({ kind: unknown, payload: {} }, { kind: known, payload: {} })
    const runner = runs({ [known]: async () => {} })
    await eventually(async () => (await statesOf(known))['done'] === 1)
    await runner.stop()
    assert.deepEqual(await statesOf(unknown), { pending: 1 })
  })

  test('retries reported and thrown failures until the delays run out', async () => {
    const [reported, thrown] = [newKind(), newKind()]
    let calls = 0
    await write({ kind: reported, payload: {}, delays: [0, 0] }, { kind: thrown, payload: {}, delays: [0] })
    const runner = runs({
      [reported]: async () => (++calls < 3 ? { error: 'tls' } : {}),
      [thrown]: () => Promise.reject(new Error('no such file')),
    })
    await eventually(
      async () => (await rowOf(reported)).state === 'done' && (await rowOf(thrown)).state === 'failed',
    )
    await runner.stop()
    assert.equal(calls, 3)
    assert.deepEqual(await rowOf(thrown), {
      state: 'failed',
      attempts: 2,
      claims: 2,
      last_error: 'no such file',
      is_leased: false,
    })
  })

  test('starts a retry at its time, not at the next poll', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const kind = newKind()
    let started = 0
    await write({ kind, payload: {}, delays: [1] })
    const runner = runs({
      [kind]: async () => {
        started++
        return { error: 'x' }
      },
    })
    await eventually(() => started === 2)
    const [row] = await db.pool<{ waited: number }[]>`
      select extract(epoch from clock_timestamp() - created_at)::float8 as waited
        from foundation.jobs where kind = ${kind}`
    assert.ok((row?.waited ?? 0) >= 1, 'never before its time')
    await runner.stop()
  })

  test('records in the transaction that ends the attempt', async () => {
    const kind = newKind()
    const seen: unknown[] = []
    await write({ kind, payload: { id: 7 }, delays: [60] })
    const runner = runs({
      [kind]: async ({ job }) => ({
        error: 'x',
        record: async (_tx, { state, attempts }) => void seen.push(job.payload, state, attempts),
      }),
    })
    await eventually(async () => (await rowOf(kind)).attempts === 1)
    assert.deepEqual(seen, [{ id: 7 }, 'pending', 1])
    await runner.stop()
  })

  test('never exceeds its number of jobs in flight', async () => {
    const kind = newKind()
    let now = 0
    let most = 0
    const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>()
    await write(...times(60, { kind, payload: {} }))
    const runner = runs(
      {
        [kind]: async () => {
          most = Math.max(most, ++now)
          await goOn
          now--
        },
      },
      { maxInFlight: 10 },
    )
    await eventually(() => now === 10)
    letGo()
    await eventually(async () => (await statesOf(kind))['done'] === 60)
    assert.equal(most, 10)
    await runner.stop()
  })

  test('continues after its connection was cut', async () => {
    const kind = newKind()
    const own = openDatabase({ url, poolSize: 1 })
    const { pid } = one(await own.pool<{ pid: number }[]>`select pg_backend_pid() as pid`)
    const runner = runs({ [kind]: async () => {} }, { db: own })
    await db.pool`select pg_terminate_backend(${pid})`
    await write({ kind, payload: {} })
    await eventually(async () => (await statesOf(kind))['done'] === 1)
    await runner.stop()
    await own.close()
  })
})

describe('leases and stopping', { concurrency: true }, () => {
  test('four runners do two thousand jobs once each', async () => {
    const kind = newKind()
    const done = new Map<string, number>()
    const now = new Set<string>()
    let overlaps = 0
    const ids = await write(...times(2_000, { kind, payload: {} }))
    const databases = Array.from({ length: 4 }, () => openDatabase({ url, poolSize: 3 }))
    const busy = new Set<Database>()
    const runners = databases.map((each) =>
      runs(
        {
          [kind]: async ({ job: { job_id } }) => {
            busy.add(each)
            if (now.has(job_id)) overlaps++
            now.add(job_id)
            await new Promise(setImmediate)
            now.delete(job_id)
            done.set(job_id, (done.get(job_id) ?? 0) + 1)
          },
        },
        { db: each, maxInFlight: 32 },
      ),
    )
    await eventually(async () => (await statesOf(kind))['done'] === 2_000)
    await Promise.all(runners.map((runner) => runner.stop()))
    await Promise.all(databases.map((each) => each.close()))
    assert.deepEqual([...done.keys()].toSorted(), ids.toSorted())
    assert.deepEqual([Math.max(...done.values()), overlaps], [1, 0])
    assert.equal(busy.size, 4)
  })

  test('notifies a handler that outlives its lease and ignores its result', async () => {
    const kind = newKind()
    const aborted: boolean[] = []
    let runs_ = 0
    const { promise: overtaken, resolve: letGo } = Promise.withResolvers<void>()
    await write({ kind, payload: {}, lease_seconds: 1 })
    const runner = runs({
      [kind]: async ({ signal }) => {
        if (++runs_ > 1) return
        await overtaken
        aborted.push(signal.aborted)
        return { error: 'too late to say' }
      },
    })
    await eventually(async () => (await rowOf(kind)).state === 'done')
    letGo()
    await eventually(() => aborted.length === 1)
    assert.deepEqual(aborted, [true])
    assert.deepEqual(await rowOf(kind), {
      state: 'done',
      attempts: 1,
      claims: 2,
      last_error: null,
      is_leased: false,
    })
    await runner.stop()
    assert.equal((await rowOf(kind)).last_error, null)
    assert.equal(runs_, 2)
  })

  test('keeps the lease while a handler renews it', async (t) => {
    const kind = newKind()
    const LEASE = 77
    // Our own timer of the lease starts anew as well.
    let renewals = 0
    const real = globalThis.setTimeout
    t.mock.method(globalThis, 'setTimeout', (...args: Parameters<typeof setTimeout>) => {
      const timer = real(...args)
      const isOfLease = (args[1] ?? 0) > (LEASE - 30) * 1_000 && (args[1] ?? 0) <= LEASE * 1_000
      const refresh = timer.refresh.bind(timer)
      if (isOfLease)
        timer.refresh = () => {
          renewals++
          return refresh()
        }
      return timer
    })
    await write({ kind, payload: {}, lease_seconds: LEASE })
    const runner = runs({
      [kind]: async ({ job, renew }) => {
        // Each turn is as long as most of the lease.
        for (let n = 0; n < 4; n++) {
          await db.pool`
            update foundation.jobs set lease_until = lease_until - interval '70 seconds' where job_id = ${job.job_id}`
          await renew()
        }
      },
    })
    await eventually(async () => (await rowOf(kind)).state === 'done')
    assert.deepEqual([(await rowOf(kind)).claims, renewals], [1, 4])
    await runner.stop()
  })

  test('throws at a renewal after the lease was lost', async () => {
    const kind = newKind()
    let message = ''
    await write({ kind, payload: {} })
    const runner = runs({
      [kind]: async ({ job, renew }) => {
        if (job.claims > 1) return
        await db.pool`update foundation.jobs set lease_token = ${randomUUID()} where job_id = ${job.job_id}`
        await renew().catch((error: Error) => {
          message = error.message
          throw error
        })
      },
    })
    await eventually(() => message !== '')
    assert.match(message, /passed to somebody else/)
    assert.deepEqual(await rowOf(kind), {
      state: 'pending',
      attempts: 0,
      claims: 1,
      last_error: null,
      is_leased: true,
    })
    await runner.stop()
  })

  test('holds a job that never finishes, and logs it', async () => {
    const kind = newKind()
    const lines: string[] = []
    await write({ kind, payload: {} })
    await db.pool`update foundation.jobs set claims = 50 where kind = ${kind}`
    const runner = runs(
      { [kind]: async () => assert.fail('it must not run') },
      { log: pino({}, { write: (line) => void lines.push(line) }) },
    )
    await eventually(async () => (await rowOf(kind)).state === 'held')
    await eventually(() => lines.length > 0)
    assert.match(lines.join(''), /"level":50.*a job never finishes and is held/)
    await runner.stop()
    assert.equal(lines.length, 1)
  })

  test('repeats a job whose result could not be recorded', async () => {
    const kind = newKind()
    let attempts = 0
    await write({ kind, payload: {}, lease_seconds: 1 })
    const runner = runs({
      [kind]: async () => ({
        record: async () => {
          if (++attempts === 1) throw new Error('disk full')
        },
      }),
    })
    await eventually(async () => (await rowOf(kind)).state === 'done')
    assert.deepEqual(await rowOf(kind), {
      state: 'done',
      attempts: 1,
      claims: 2,
      last_error: null,
      is_leased: false,
    })
    await runner.stop()
  })

  test('a stop lets work end and frees interrupted jobs', async () => {
    const [ending, interrupted, later] = [newKind(), newKind(), newKind()]
    let started = 0
    const { promise: end, resolve: letEnd } = Promise.withResolvers<void>()
    await write({ kind: ending, payload: {} }, { kind: interrupted, payload: {}, delays: [60] })
    const runner = runs({
      [ending]: async () => {
        started++
        await end
      },
      [interrupted]: async ({ signal }) => {
        started++
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        })
      },
      [later]: async () => assert.fail('it must not start'),
    })
    await eventually(() => started === 2)
    const stopped = runner.stop()
    await write({ kind: later, payload: {} })
    runner.wake()
    letEnd()
    await stopped
    assert.equal((await rowOf(ending)).state, 'done')
    assert.deepEqual(await rowOf(interrupted), {
      state: 'pending',
      attempts: 0,
      claims: 1,
      last_error: null,
      is_leased: false,
    })
    runner.wake()
    assert.deepEqual(await statesOf(later), { pending: 1 })
  })

  test('a stop does not wait for an unresponsive handler', async () => {
    const kind = newKind()
    let isStarted = false
    const { promise: end, resolve: letEnd } = Promise.withResolvers<void>()
    await write({ kind, payload: {}, lease_seconds: 60 })
    const ends: Promise<unknown>[] = []
    let recorded = 0
    const seen: Database = {
      ...db,
      transaction(work) {
        const done = db.transaction(work)
        ends.push(done)
        return done
      },
    }
    const handlers = {
      [kind]: async () => {
        isStarted = true
        await end
        return { record: async () => void recorded++ }
      },
    }
    const runner = runs(handlers, { db: seen })
    await eventually(() => isStarted)
    await Promise.all([runner.stop(), runner.stop()])
    assert.deepEqual(await rowOf(kind), {
      state: 'pending',
      attempts: 0,
      claims: 1,
      last_error: null,
      is_leased: false,
    })
    // Its late end is fenced off.
    const before_ = ends.length
    letEnd()
    await eventually(() => ends.length > before_)
    await Promise.allSettled(ends)
    assert.deepEqual([(await rowOf(kind)).state, recorded], ['pending', 0])
  })
})
