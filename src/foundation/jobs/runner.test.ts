import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { type Database, one, openDatabase } from '#foundation/database/database.ts'
import { testDatabase } from '#testing/database.ts'
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

async function eventually(holds: () => boolean | Promise<boolean>, limitMs = 5_000) {
  const until = performance.now() + limitMs
  while (!(await holds())) {
    assert.ok(performance.now() < until, 'it did not become true in time')
    await wait(5)
  }
}

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
  test('starts a job within 100 ms of a notification, else by polling', async () => {
    const kind = newKind()
    const started: number[] = []
    const runner = runs({ [kind]: async () => void started.push(performance.now()) })
    await wait(50)
    await write({ kind, payload: {} })
    const woken = performance.now()
    runner.wake()
    await eventually(() => started.length === 1)
    await wait(100)
    assert.ok(started[0]! - woken < 100, `${started[0]! - woken} ms`)
    await write({ kind, payload: {} })
    const written = performance.now()
    await eventually(() => started.length === 2)
    assert.ok(started[1]! - written < 700, `${started[1]! - written} ms`)
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

  test('starts a retry within 300 ms of its time', async () => {
    const kind = newKind()
    const started: number[] = []
    let ended = 0
    await write({ kind, payload: {}, delays: [1] })
    const runner = runs({
      [kind]: async () => {
        started.push(performance.now())
        await wait(50) // due between two polls
        ended ||= performance.now()
        return { error: 'x' }
      },
    })
    await eventually(() => started.length === 2)
    const gap = started[1]! - ended
    assert.ok(gap >= 999 && gap < 1_300, `${gap} ms`)
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
    await write(...times(60, { kind, payload: {} }))
    const runner = runs(
      {
        [kind]: async () => {
          most = Math.max(most, ++now)
          await wait(5)
          now--
        },
      },
      { maxInFlight: 10 },
    )
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
            await wait(1)
            now.delete(job_id)
            done.set(job_id, (done.get(job_id) ?? 0) + 1)
          },
        },
        { db: each, maxInFlight: 32 },
      ),
    )
    await eventually(async () => (await statesOf(kind))['done'] === 2_000, 30_000)
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
    await write({ kind, payload: {}, lease_seconds: 1 })
    const runner = runs({
      [kind]: async ({ signal }) => {
        if (++runs_ > 1) return
        await wait(1_800)
        aborted.push(signal.aborted)
        return { error: 'too late to say' }
      },
    })
    await eventually(async () => (await rowOf(kind)).state === 'done')
    await eventually(() => aborted.length === 1)
    await wait(50)
    assert.deepEqual(aborted, [true])
    assert.deepEqual(await rowOf(kind), {
      state: 'done',
      attempts: 1,
      claims: 2,
      last_error: null,
      is_leased: false,
    })
    await runner.stop()
    assert.equal(runs_, 2)
  })

  test('keeps the lease while a handler renews it', async () => {
    const kind = newKind()
    await write({ kind, payload: {}, lease_seconds: 1 })
    const runner = runs({
      [kind]: async ({ renew }) => {
        for (let n = 0; n < 4; n++) {
          await wait(500)
          await renew()
        }
      },
    })
    await eventually(async () => (await rowOf(kind)).state === 'done')
    assert.equal((await rowOf(kind)).claims, 1)
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
    await wait(50)
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
    await write({ kind: ending, payload: {} }, { kind: interrupted, payload: {}, delays: [60] })
    const runner = runs({
      [ending]: async () => {
        started++
        await wait(300)
      },
      [interrupted]: async ({ signal }) => {
        started++
        await wait(10_000, undefined, { signal })
      },
      [later]: async () => assert.fail('it must not start'),
    })
    await eventually(() => started === 2)
    const asked = performance.now()
    const stopped = runner.stop()
    await write({ kind: later, payload: {} })
    runner.wake()
    await stopped
    assert.ok(performance.now() - asked < 1_000)
    assert.equal((await rowOf(ending)).state, 'done')
    assert.deepEqual(await rowOf(interrupted), {
      state: 'pending',
      attempts: 0,
      claims: 1,
      last_error: null,
      is_leased: false,
    })
    await wait(600)
    assert.deepEqual(await statesOf(later), { pending: 1 })
  })

  test('a stop takes at most 5.2 s with an unresponsive handler', async () => {
    const kind = newKind()
    let isStarted = false
    await write({ kind, payload: {}, lease_seconds: 30 })
    const runner = runs({
      [kind]: async () => {
        isStarted = true
        await wait(6_000)
      },
    })
    await eventually(() => isStarted)
    const asked = performance.now()
    await Promise.all([runner.stop(), runner.stop()])
    const took = performance.now() - asked
    assert.ok(took > 5_000 && took < 5_300, `${took} ms`)
    assert.deepEqual(await rowOf(kind), {
      state: 'pending',
      attempts: 0,
      claims: 1,
      last_error: null,
      is_leased: false,
    })
    await wait(1_000)
    assert.equal((await rowOf(kind)).state, 'pending') // its late end was fenced off
  })
})
