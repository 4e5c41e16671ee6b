import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { afterCommit, type Database, one } from '#foundation/database/database.ts'
import { testDatabase } from '#testing/database.ts'
import { cancelJobs, enqueue, type Job, type NewJob, runNow, sweepJobs } from './jobs.ts'
import { finish } from './finish.ts'
import { claim, release, releaseAllLeases, renew } from './leases.ts'

let db: Database
before(async () => {
  db = (await testDatabase()).db
})

const newKind = () => `test.${randomUUID()}`

/** One committed job of a unique kind, so that tests do not claim each other's jobs. */
async function aJob(job: Partial<NewJob> = {}) {
  const kind = newKind()
  const [job_id = ''] = await db.transaction((tx) => enqueue(tx, [{ kind, payload: {}, ...job }]))
  return { job_id, kind, claimIt: async () => one(await claim(db, { kinds: [kind], limit: 1 })) }
}

const claimed = async (job: { kind: string }) => (await claim(db, { kinds: [job.kind], limit: 100 })).length

type Row = Record<
  | 'state'
  | 'attempts'
  | 'claims'
  | 'run_at'
  | 'lease_token'
  | 'lease_until'
  | 'last_error'
  | 'finished_at'
  | 'is_due',
  unknown
>
const rowOf = async (job_id: string) =>
  one(
    await db.pool<Row[]>`
    select state, attempts, claims, run_at, lease_token, lease_until, last_error, finished_at,
           run_at <= clock_timestamp() as is_due
      from foundation.jobs where job_id = ${job_id}`,
  )

/** Expires the lease, as after the death of the process that held it. */
const expire = (job_id: string) =>
  db.pool`update foundation.jobs set lease_until = clock_timestamp() - interval '1 ms' where job_id = ${job_id}`

const skipDelay = (job_id: string) =>
  db.pool`update foundation.jobs set run_at = clock_timestamp() - interval '1 ms' where job_id = ${job_id}`

describe('enqueue', () => {
  test('leaves no job after a rollback', async () => {
    const kind = newKind()
    await assert.rejects(
      db.transaction(async (tx) => {
        await enqueue(tx, [{ kind, payload: {} }])
        throw new Error('the fact did not happen')
      }),
    )
    assert.equal(await claimed({ kind }), 0)
  })

  test('a job is invisible until its transaction commits', async () => {
    const kind = newKind()
    await db.transaction(async (tx) => {
      await enqueue(tx, [{ kind, payload: {} }])
      assert.equal(await claimed({ kind }), 0)
    })
    assert.equal(await claimed({ kind }), 1)
  })

  test('inserts many jobs in one statement, in order, with every field', async () => {
    const kind = newKind()
    const run_at = '2031-02-03T04:05:06.789Z'
    const job_ids = await db.transaction((tx) =>
      enqueue(tx, [
        {
          kind,
          payload: { n: 1, text: 'Zoë "✓" \\ \n', deep: [{ a: null }] },
          priority: 0,
          delays: [1, 5, 15],
          run_at,
          lease_seconds: 30,
        },
        { kind, payload: {} },
        ...Array.from({ length: 2_000 }, (_, n) => ({ kind, payload: { n } })),
      ]),
    )
    assert.deepEqual(job_ids, job_ids.toSorted())
    const rows = await db.pool`
      select job_id, priority, payload, state, delays, run_at, lease_seconds, attempts, claims
        from foundation.jobs where kind = ${kind} order by job_id limit 2`
    const common = { state: 'pending', attempts: 0, claims: 0 }
    assert.deepEqual(
      { ...rows[0] },
      {
        ...common,
        job_id: job_ids[0],
        priority: 0,
        payload: { n: 1, text: 'Zoë "✓" \\ \n', deep: [{ a: null }] },
        delays: [1, 5, 15],
        run_at,
        lease_seconds: 30,
      },
    )
    assert.deepEqual(
      { ...rows[1], run_at: '' },
      {
        ...common,
        job_id: job_ids[1],
        priority: 1,
        payload: {},
        delays: [],
        run_at: '',
        lease_seconds: 10,
      },
    )
    assert.equal(
      one(
        await db.pool<
          { total: number }[]
        >`select count(*) as total from foundation.jobs where kind = ${kind}`,
      ).total,
      2_002,
    )
  })

  test('accepts an empty list', async () => {
    assert.deepEqual(await db.transaction((tx) => enqueue(tx, [])), [])
  })
})

describe('claim', () => {
  test('takes due jobs of its kinds by priority, then age', async () => {
    const kind = newKind()
    const ids = await db.transaction((tx) =>
      enqueue(tx, [
        { kind, payload: {}, run_at: '2001-01-02T00:00:00Z' },
        { kind, payload: {}, run_at: '2001-01-01T00:00:00Z' },
        { kind, payload: {}, priority: 0 },
        { kind, payload: {}, run_at: '2999-01-01T00:00:00Z' },
      ]),
    )
    const taken: (string | undefined)[] = []
    for (let n = 0; n < 4; n++)
      taken.push((await claim(db, { kinds: [newKind(), kind], limit: 1 }))[0]?.job_id)
    assert.deepEqual(taken, [ids[2], ids[1], ids[0], undefined])
  })

  test('fifty concurrent claims take every job once', async () => {
    const kind = newKind()
    const ids = await db.transaction((tx) =>
      enqueue(
        tx,
        Array.from({ length: 200 }, () => ({ kind, payload: {} })),
      ),
    )
    const taken = await Promise.all(Array.from({ length: 50 }, () => claim(db, { kinds: [kind], limit: 7 })))
    const rest = await claim(db, { kinds: [kind], limit: 200 })
    assert.deepEqual([...taken.flat(), ...rest].map((job) => job.job_id).toSorted(), ids.toSorted())
  })

  test('leaves a leased job alone until the lease expires', async () => {
    const job = await aJob()
    const first = await job.claimIt()
    assert.equal(await claimed(job), 0)
    await expire(job.job_id)
    const second = await job.claimIt()
    assert.notEqual(second.lease_token, first.lease_token)
    assert.deepEqual([second.attempts, second.claims], [0, 2])
  })

  test('a lease lasts as long as its job says', async () => {
    for (const lease_seconds of [10, 30]) {
      const job = await aJob({ lease_seconds })
      await job.claimIt()
      const { seconds } = one(
        await db.pool<{ seconds: number }[]>`
        select extract(epoch from lease_until - clock_timestamp())::float8 as seconds
          from foundation.jobs where job_id = ${job.job_id}`,
      )
      assert.ok(seconds > lease_seconds - 2 && seconds <= lease_seconds, `${seconds} s`)
    }
  })

  test('a crash costs no attempt, and the fiftieth holds the job', async () => {
    const job = await aJob({ delays: [1] })
    for (let crash = 1; crash <= 50; crash++) {
      const { state, attempts, claims } = await job.claimIt()
      assert.deepEqual({ state, attempts, claims }, { state: 'pending', attempts: 0, claims: crash })
      await expire(job.job_id)
    }
    assert.equal((await job.claimIt()).state, 'held')
    assert.equal(await claimed(job), 0)
    const { state, attempts, lease_token } = await rowOf(job.job_id)
    assert.deepEqual({ state, attempts, lease_token }, { state: 'held', attempts: 0, lease_token: null })
  })
})

describe('finish', () => {
  for (const delays of [
    [1, 5, 15],
    [30, 120, 600, 3_600, 21_600],
  ]) {
    test(`attempts follow delays of 0, ${delays.join(', ')} s`, async () => {
      const job = await aJob({ delays })
      const gaps: number[] = [0]
      for (;;) {
        const held = await job.claimIt()
        const before = one(await db.pool<{ at: string }[]>`select clock_timestamp() as at`).at
        const finished = await finish(db, held, { error: 'http_status' })
        const after = one(await db.pool<{ at: string }[]>`select clock_timestamp() as at`).at
        assert.ok(finished)
        if (finished.state !== 'pending') break
        const gap = Math.round((Date.parse(finished.run_at) - Date.parse(before)) / 1_000)
        // The delay counts from the end of the attempt, on the database's clock.
        assert.ok(Date.parse(finished.run_at) >= Date.parse(before) + gap * 1_000 - 1)
        assert.ok(Date.parse(finished.run_at) <= Date.parse(after) + gap * 1_000 + 1)
        gaps.push(gap)
        assert.equal(await claimed(job), 0)
        await skipDelay(job.job_id)
      }
      assert.deepEqual(gaps, [0, ...delays])
      const { state, attempts, claims, last_error } = await rowOf(job.job_id)
      assert.deepEqual(
        { state, attempts, claims, last_error },
        {
          state: 'failed',
          attempts: delays.length + 1,
          claims: delays.length + 1,
          last_error: 'http_status',
        },
      )
      assert.equal(await claimed(job), 0)
    })
  }

  test('success at any attempt ends the job', async () => {
    const job = await aJob({ delays: [1, 5] })
    await finish(db, await job.claimIt(), { error: 'connect' })
    await skipDelay(job.job_id)
    assert.equal((await finish(db, await job.claimIt(), {}))?.state, 'done')
    const { state, attempts, last_error, finished_at, lease_token, lease_until } = await rowOf(job.job_id)
    assert.deepEqual(
      { state, attempts, last_error, lease_token, lease_until },
      { state: 'done', attempts: 2, last_error: null, lease_token: null, lease_until: null },
    )
    assert.ok(finished_at)
    assert.equal(await claimed(job), 0)
  })

  test('fails at the first failure without delays', async () => {
    assert.equal((await finish(db, await (await aJob()).claimIt(), { error: 'x' }))?.state, 'failed')
  })

  test('an endless job repeats its last delay and is never held', async () => {
    const job = await aJob({ delays: [1, 5], is_endless: true })
    const waits: number[] = []
    for (let n = 0; n < 60; n++) {
      const finished = await finish(db, await job.claimIt(), { error: 'x' })
      assert.equal(finished?.state, 'pending')
      waits.push(Math.round((finished?.due_in_ms ?? 0) / 1_000))
      await skipDelay(job.job_id)
    }
    assert.deepEqual(waits, [1, ...Array<number>(59).fill(5)])
    assert.equal((await finish(db, await job.claimIt(), {}))?.state, 'done')
  })

  test('ignores a stale finish, renewal or release', async () => {
    const job = await aJob({ delays: [1] })
    const stale = await job.claimIt()
    await expire(job.job_id)
    await job.claimIt()
    const before = await rowOf(job.job_id)
    let hasRecorded = false
    const record = async () => void (hasRecorded = true)
    assert.equal(await finish(db, stale, {}, record), undefined)
    assert.equal(await finish(db, stale, { error: 'late' }), undefined)
    assert.equal(await renew(db, stale), false)
    await release(db, [stale])
    assert.deepEqual(await rowOf(job.job_id), before)
    assert.equal(hasRecorded, false)
  })

  test('accepts a finish after expiry while nobody took the lease', async () => {
    const job = await aJob()
    const held = await job.claimIt()
    await expire(job.job_id)
    assert.equal((await finish(db, held, {}))?.state, 'done')
  })

  test('counts one attempt for fifty finishes of one lease', async () => {
    const job = await aJob({ delays: [60] })
    const held = await job.claimIt()
    const all = await Promise.all(Array.from({ length: 50 }, () => finish(db, held, { error: 'x' })))
    assert.equal(all.filter(Boolean).length, 1)
    assert.equal((await rowOf(job.job_id)).attempts, 1)
  })

  test('leaves one owner when a finish races a new claim', async () => {
    for (let round = 0; round < 25; round++) {
      const job = await aJob({ delays: [0] })
      const old = await job.claimIt()
      await expire(job.job_id)
      const [finished, again] = await Promise.all([
        finish(db, old, {}),
        claim(db, { kinds: [job.kind], limit: 1 }),
      ])
      assert.equal(Number(Boolean(finished)) + again.length, 1)
    }
  })

  test('commits records together with the result, or neither', async () => {
    const [told, broken] = [await aJob(), await aJob({ delays: [1] })]
    await finish(db, await told.claimIt(), {}, async (tx, { state, attempts }) => {
      await enqueue(tx, [{ kind: `${told.kind}.next`, payload: { state, attempts } }])
    })
    assert.deepEqual(one(await claim(db, { kinds: [`${told.kind}.next`], limit: 1 })).payload, {
      state: 'done',
      attempts: 1,
    })
    await assert.rejects(
      finish(db, await broken.claimIt(), {}, async (tx) => {
        await enqueue(tx, [{ kind: `${broken.kind}.next`, payload: {} }])
        throw new Error('not recorded')
      }),
    )
    assert.equal(await claimed({ kind: `${broken.kind}.next` }), 0)
    const { state, attempts, lease_token } = await rowOf(broken.job_id)
    assert.deepEqual([state, attempts, lease_token === null], ['pending', 0, false])
  })
})

describe('leases', () => {
  test('renewal extends by the lease, and never after the end', async () => {
    const job = await aJob({ lease_seconds: 30 })
    const held = await job.claimIt()
    await expire(job.job_id)
    assert.equal(await renew(db, held), true)
    assert.equal(await claimed(job), 0)
    await finish(db, held, {})
    assert.equal(await renew(db, held), false)
  })

  test('a released job is due at once without spending an attempt', async () => {
    const [job, other] = [await aJob(), await aJob()]
    await other.claimIt()
    await release(db, [await job.claimIt()])
    assert.equal((await job.claimIt()).attempts, 0)
    assert.equal(await claimed(other), 0)
  })

  test('frees all leases when the only process starts', async () => {
    const own = (await testDatabase()).db // the other tests of this file keep their leases
    const kind = newKind()
    await own.transaction((tx) =>
      enqueue(tx, [
        { kind, payload: {} },
        { kind, payload: {} },
        { kind, payload: {} },
      ]),
    )
    const jobs = await claim(own, { kinds: [kind], limit: 2 })
    await finish(own, one<Job>(jobs), {})
    assert.equal(await releaseAllLeases(own), 1)
    assert.equal((await claim(own, { kinds: [kind], limit: 9 })).length, 2)
  })
})

test('only waiting jobs are moved to now', async () => {
  const [waiting, running, done] = [
    await aJob({ run_at: '2999-01-01T00:00:00Z' }),
    await aJob(),
    await aJob(),
  ]
  await running.claimIt()
  await finish(db, await done.claimIt(), {})
  const ids = [waiting, running, done].map((job) => job.job_id)
  assert.deepEqual(await db.transaction((tx) => runNow(tx, ids)), [waiting.job_id])
  assert.equal(await claimed(waiting), 1)
  assert.equal(await claimed(done), 0)
})

test('the sweep deletes old done jobs in batches', async () => {
  const kind = newKind()
  const ids = await db.transaction((tx) =>
    enqueue(
      tx,
      Array.from({ length: 2_504 }, () => ({ kind, payload: {} })),
    ),
  )
  const [young, failed, held, pending] = ids
  await db.pool`
    update foundation.jobs set state = 'done', finished_at = clock_timestamp() - interval '31 days' where kind = ${kind}`
  await db.pool`update foundation.jobs set finished_at = clock_timestamp() - interval '29 days' where job_id = ${young!}`
  await db.pool`update foundation.jobs set state = 'failed' where job_id = ${failed!}`
  await db.pool`update foundation.jobs set state = 'held' where job_id = ${held!}`
  await db.pool`update foundation.jobs set state = 'pending' where job_id = ${pending!}`
  assert.equal(await sweepJobs(db, 30), 2_500)
  const left = await db.pool<
    { job_id: string }[]
  >`select job_id from foundation.jobs where kind = ${kind} order by job_id`
  assert.deepEqual(
    left.map((row) => row.job_id),
    [young, failed, held, pending],
  )
})

test('a cancelled job ends, also while it runs', async () => {
  const kind = newKind()
  const ids = await db.transaction((tx) =>
    enqueue(tx, [
      { kind, payload: {} },
      { kind, payload: {} },
    ]),
  )
  const under_way = one(await claim(db, { kinds: [kind], limit: 1 }))
  await db.transaction((tx) => cancelJobs(tx, ids, 'gone'))
  assert.equal(await finish(db, under_way, {}), undefined)
  for (const job_id of ids) {
    const { state, last_error } = await rowOf(job_id)
    assert.deepEqual([state, last_error], ['failed', 'gone'])
  }
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
