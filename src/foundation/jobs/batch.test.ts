import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { afterCommit, type Database, one } from '#foundation/database.ts'
import { testDatabase } from '#testing/database.ts'
import { cancelJobs, enqueue, type Job, type NewJob } from './jobs.ts'
import { finish } from './finish.ts'
import { claim, claimOfLanes } from './leases.ts'
import { type BatchHandler, type Handlers, type Runner, type RunnerOptions, startRunner } from './runner.ts'

let db: Database
before(async () => {
  db = (await testDatabase()).db
  await db.pool`create table public.ended (job_id uuid not null, attempts int not null, note text not null)`
})
const running = new Set<Runner>()
after(() => Promise.all([...running].map((runner) => runner.stop())))

function runs(handlers: Handlers, options: Partial<RunnerOptions> = {}): Runner {
  const runner = startRunner({ db, log: pino({ level: 'silent' }), handlers, ...options })
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
type Row = { state: string; attempts: number; claims: number; last_error: string | null }
const rowsOf = (kind: string) =>
  db.pool<Row[]>`
    select state, attempts, claims, last_error from foundation.jobs where kind = ${kind} order by job_id`
const allAre = async (kind: string, state: string) => (await rowsOf(kind)).every((row) => row.state === state)

type Note = { text: string }
/** Reads nothing, notes what `work` says, and records it. */
const handler = (
  work: (job: Job) => Promise<{ error?: string; isFinal?: boolean; noted: Note }>,
  more: Partial<BatchHandler<Job, Note>> = {},
): BatchHandler<Job, Note> => ({
  begin: async (_, jobs) => new Map(jobs.map((job) => [job.job_id, job])),
  work: (_, job) => work(job),
  record: async (tx, ended) => {
    for (const { job, finished, noted } of ended)
      await tx`insert into public.ended values (${job.job_id}, ${finished.attempts}, ${noted.text})`
  },
  ...more,
})
const ok = async () => ({ noted: { text: 'ok' } })
const endedOf = (kind: string) =>
  db.pool<{ note: string; attempts: number }[]>`
    select note, e.attempts from public.ended e join foundation.jobs using (job_id) where kind = ${kind} order by note`

describe('a batch handler', () => {
  test('records many results in one transaction and retries failures', async () => {
    const kind = newKind()
    let transactions = 0
    const counted: Database = {
      ...db,
      transaction: (work) => {
        transactions++
        return db.transaction(work)
      },
    }
    const failedOnce = new Set<string>()
    await write(
      ...Array.from({ length: 200 }, (_, n) => ({
        kind,
        payload: { n },
        lane: `${kind}${n % 40}`,
        delays: [0],
      })),
    )
    const runner = runs(
      {
        [kind]: handler(async ({ job_id, payload }) => {
          await wait(5)
          if (Number(payload['n']) % 10 > 0 || failedOnce.has(job_id)) return ok()
          failedOnce.add(job_id)
          return { error: 'no', noted: { text: 'no' } }
        }),
      },
      { db: counted },
    )
    await eventually(() => allAre(kind, 'done'), 20_000)
    await runner.stop()
    const ended = await endedOf(kind)
    assert.deepEqual(
      [ended.filter(({ note }) => note === 'ok').length, ended.filter(({ note }) => note === 'no').length],
      [200, 20],
    )
    assert.ok(transactions < 110, `${transactions} transactions for 220 ends`)
    assert.deepEqual(runner.stats().claimEnds, { [kind]: { done: 200, retried: 20 } })
  })

  test('a record that cannot be written fails only its job', async () => {
    const kind = newKind()
    await write(...Array.from({ length: 10 }, (_, n) => ({ kind, payload: { n }, lane: `${kind}${n}` })))
    const runner = runs({
      [kind]: handler(async ({ payload }) => ({ noted: { text: payload['n'] === 3 ? 'bad' : 'good' } }), {
        record: async (tx, ended) => {
          for (const { job, noted } of ended) {
            await tx`insert into public.ended values (${job.job_id}, 1, ${noted.text === 'bad' ? null : 'good'})`
          }
        },
      }),
    })
    await eventually(async () => !(await rowsOf(kind)).some(({ state }) => state === 'pending'))
    await runner.stop()
    const rows = await rowsOf(kind)
    assert.deepEqual(
      rows.map(({ state }) => state),
      rows.map((_, n) => (n === 3 ? 'failed' : 'done')),
    )
    assert.match(rows[3]?.last_error ?? '', /null value/)
    assert.equal((await endedOf(kind)).length, 9)
  })

  test('returns jobs that cannot begin without spending an attempt', async () => {
    const kind = newKind()
    let begun = 0
    await write(...times(4, { kind, payload: {} }))
    const runner = runs({
      [kind]: handler(ok, {
        begin: async (_, jobs) => {
          if (++begun === 1) throw new Error('no such table')
          return new Map(jobs.slice(1).map((job) => [job.job_id, job]))
        },
      }),
    })
    await eventually(() => allAre(kind, 'done'))
    await runner.stop()
    assert.deepEqual(
      (await rowsOf(kind)).map(({ attempts, claims }) => [attempts, claims]),
      times(4, { kind, payload: {} }).map(() => [1, 2]),
    )
    assert.equal((await endedOf(kind)).length, 3)
  })

  test('fails at a thrown error and at a final one', async () => {
    const [thrown, final] = [newKind(), newKind()]
    await write({ kind: thrown, payload: {} }, { kind: final, payload: {}, delays: [60] })
    const runner = runs({
      [thrown]: handler(() => Promise.reject(new Error('no such file'))),
      [final]: handler(async () => ({ error: 'gone', isFinal: true, noted: { text: 'gone' } })),
    })
    await eventually(async () => (await allAre(thrown, 'failed')) && (await allAre(final, 'failed')))
    await runner.stop()
    assert.deepEqual(
      [(await rowsOf(thrown))[0]?.last_error, (await rowsOf(final))[0]?.last_error],
      ['no such file', 'gone'],
    )
  })

  test('starts the next job while the last result is written', async () => {
    const kind = newKind()
    let isBlocked = true
    let worked = 0
    await write(...times(12, { kind, payload: {} }))
    const runner = runs({
      [kind]: handler(
        async () => {
          worked++
          return ok()
        },
        {
          record: async () => {
            while (isBlocked) await wait(5)
          },
        },
      ),
    })
    await eventually(() => worked === 12)
    assert.ok(!(await allAre(kind, 'done')))
    isBlocked = false
    await eventually(() => allAre(kind, 'done'))
    await runner.stop()
  })
})

test('an irreversible success counts after the lease was lost', async () => {
  for (const [error, counts] of [
    [undefined, true],
    ['late', false],
  ] as const) {
    const kind = newKind()
    await write({ kind, payload: {}, delays: [0] })
    const first = one(await claim(db, { kinds: [kind], limit: 1 }))
    await db.pool`update foundation.jobs set lease_until = clock_timestamp() - interval '1 s' where kind = ${kind}`
    const second = one(await claim(db, { kinds: [kind], limit: 1 }))
    const outcome = { countsLate: true, ...(error !== undefined && { error }) }
    assert.equal((await finish(db, first, outcome))?.state, counts ? 'done' : undefined)
    assert.equal((await finish(db, second, {}))?.state, counts ? undefined : 'done')
  }
})

test('a claim takes as many per lane as wanted, oldest first', async () => {
  const kind = newKind()
  const ids = await write(
    ...['a', 'b', 'a', 'c', 'a', 'b'].map((lane) => ({ kind, payload: {}, lane: `${kind}${lane}` })),
    { kind, payload: {}, lane: `${kind}a`, priority: 0 },
    { kind, payload: {}, lane: `${kind}b`, priority: 0, run_at: '2999-01-01T00:00:00Z' },
  )
  const lanes = new Map([
    [`${kind}a`, 2],
    [`${kind}b`, 8],
    [`${kind}d`, 1],
  ])
  const jobs = await claimOfLanes(db, { kinds: [kind], limit: 100, lanes })
  assert.deepEqual(
    jobs.map(({ job_id }) => job_id).toSorted(),
    [6, 0, 1, 5].map((n) => String(ids[n])).toSorted(),
  )
  assert.equal((await claimOfLanes(db, { kinds: [newKind()], limit: 9, lanes })).length, 0)
})

test('a cancelled job ends, also while it runs', async () => {
  const kind = newKind()
  const ids = await write({ kind, payload: {} }, { kind, payload: {} })
  const under_way = one(await claim(db, { kinds: [kind], limit: 1 }))
  await db.transaction((tx) => cancelJobs(tx, ids, 'gone'))
  assert.equal(await finish(db, under_way, {}), undefined)
  assert.deepEqual(
    (await rowsOf(kind)).map(({ state, last_error }) => [state, last_error]),
    [
      ['failed', 'gone'],
      ['failed', 'gone'],
    ],
  )
})

test('urgent jobs find a slot beside any amount of slow work', async () => {
  const kind = newKind()
  const started: string[] = []
  let isSlow = true
  await write(...Array.from({ length: 100 }, (_, n) => ({ kind, payload: {}, lane: `${kind}${n}` })))
  const runner = runs(
    {
      [kind]: async ({ job }) => {
        started.push(job.lane)
        while (isSlow && job.lane !== 'urgent') await wait(5)
      },
    },
    { maxInFlight: 16, urgentSlots: 2 },
  )
  await eventually(() => started.length === 14)
  await write({ kind, payload: {}, lane: 'urgent', priority: 0 })
  const committed = performance.now()
  await eventually(() => started.includes('urgent'))
  assert.ok(performance.now() - committed < 300)
  assert.equal(started.length, 15)
  isSlow = false
  await eventually(() => allAre(kind, 'done'))
  await runner.stop()
})

test('failing lanes take at most half of the slots', async () => {
  const kind = newKind()
  let failing = 0
  let most = 0
  const jobs = Array.from({ length: 40 }, (_, n) =>
    times(20, { kind, payload: {}, lane: `${kind}dead${n}`, delays: [60] }),
  )
  await write(...jobs.flat())
  let isFast = true
  const runner = runs(
    {
      [kind]: async ({ job: { lane } }) => {
        if (!lane.includes('dead')) return
        failing++
        if (!isFast) {
          most = Math.max(most, failing)
          await wait(100)
        }
        failing--
        return { error: 'timeout' }
      },
    },
    { maxInFlight: 16 },
  )
  // Every lane has shown that it fails.
  await eventually(async () => {
    const rows = await db.pool`select from foundation.jobs where kind = ${kind} and attempts > 0`
    return rows.length > 400
  }, 15_000)
  isFast = false
  await wait(150)
  most = 0
  const ids = await write(
    ...Array.from({ length: 20 }, (_, n) => ({ kind, payload: {}, lane: `${kind}healthy${n}` })),
  )
  const committed = performance.now()
  await eventually(async () => {
    const rows = await db.pool`select from foundation.jobs where job_id = any(${ids}) and state = 'done'`
    return rows.length === 20
  })
  assert.ok(performance.now() - committed < 1_000)
  assert.ok(most <= 8, `${most} of 16 slots`)
  await runner.stop()
})

test('afterCommit runs after the commit, never after a rollback', async () => {
  const told: string[] = []
  await db.transaction(async (tx) => {
    afterCommit(tx, () => told.push('committed'))
    await tx`select 1`
    assert.deepEqual(told, [])
  })
  await assert.rejects(
    db.transaction(async (tx) => {
      afterCommit(tx, () => told.push('rolled back'))
      throw new Error('no')
    }),
  )
  let tries = 0
  await db.transaction(async (tx) => {
    afterCommit(tx, () => told.push('second'))
    if (++tries === 1) await tx`do $$ begin raise exception using errcode = '40001'; end $$`
  })
  assert.deepEqual(told, ['committed', 'second'])
})
