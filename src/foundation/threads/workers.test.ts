import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ROUNDS } from '#testing/rounds.ts'
import type { TestTasks } from '#testing/worker-tasks.ts'
import { ApiError } from '../errors.ts'
import { createWorker, WorkerFailure } from './workers.ts'

const aWorker = (limits = {}) =>
  createWorker<TestTasks>(new URL(import.meta.resolve('#testing/worker-tasks.ts')), {
    timeMs: 60_000,
    heapMb: 64,
    waiting: 3,
    ...limits,
  })

test('runs tasks in order, also many at once', async () => {
  const { run } = aWorker({ waiting: 50 })
  const all = await Promise.all(Array.from({ length: 40 }, (_, i) => run('double', i)))
  assert.deepEqual(
    all,
    Array.from({ length: 40 }, (_, i) => i * 2),
  )
})

test('leaves the event loop free while a task computes', async () => {
  const { run } = aWorker()
  await run('double', 1)
  let turns = 0
  const timer = setInterval(() => turns++, 5)
  await run('compute', 500)
  clearInterval(timer)
  assert.ok(turns > 10, `${turns} turns`)
})

test('stops a task that takes too long and continues', async () => {
  const { run } = aWorker({ timeMs: 300 })
  const [long, next] = await Promise.allSettled([run('compute', 60_000), run('double', 4)])
  assert.ok(long.status === 'rejected' && long.reason instanceof WorkerFailure)
  assert.equal(long.reason.reason, 'time')
  assert.deepEqual(next, { status: 'fulfilled', value: 8 })
})

test('stops a task that exhausts its memory and continues', async () => {
  const { run } = aWorker()
  const [full, next] = await Promise.allSettled([run('fill', undefined), run('double', 4)])
  assert.ok(full.status === 'rejected' && full.reason instanceof WorkerFailure)
  assert.equal(full.reason.reason, 'crash')
  assert.deepEqual(next, { status: 'fulfilled', value: 8 })
})

// V8 ends the process when a thread outgrows its limit too fast; on a busy machine that was four of ten times.
test('never ends the process, also on a busy machine', async () => {
  const program = `
    import { createWorker } from ${JSON.stringify(import.meta.resolve('./workers.ts'))}
    const module = new URL(${JSON.stringify(import.meta.resolve('#testing/worker-tasks.ts'))})
    const { run } = createWorker(module, { timeMs: 60_000, heapMb: 128, waiting: 3 })
    const failure = await run('fill').catch((error) => error)
    process.exit(failure.reason === 'crash' ? 0 : 1)`
  const folder = mkdtempSync(join(tmpdir(), 'lyceum-thread-'))
  const file = join(folder, 'fill.mjs')
  writeFileSync(file, program)
  for (let round = 0; round < Math.ceil(ROUNDS / 4); round++) {
    const ends = await Promise.allSettled(
      Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, [file])),
    )
    assert.deepEqual(
      ends.map(({ status }) => status),
      Array(3).fill('fulfilled'),
    )
  }
  rmSync(folder, { recursive: true })
})

test('restarts after a thread ended itself', async () => {
  const { run } = aWorker()
  await assert.rejects(run('end', undefined), WorkerFailure)
  assert.equal(await run('double', 4), 8)
})

test('passes on a refusal with its code, other errors as text', async () => {
  const { run } = aWorker()
  await assert.rejects(run('refuse', undefined), (error) => {
    assert.ok(error instanceof ApiError)
    const { status, code, detail, errors } = error
    assert.deepEqual([status, code, detail, errors.length], [422, 'bad_file', 'The file is bad', 1])
    return true
  })
  await assert.rejects(run('throw', undefined), /^Error: unreadable$/)
})

test('answers questions of a task, or throws the error', async () => {
  const { run } = aWorker()
  assert.equal(await run('ask', 'who', async (question) => `${String(question)}: Anna`), 'who: Anna!')
  const lost = new Error('the database is away')
  await assert.rejects(
    run('ask', 'who', () => Promise.reject(lost)),
    (error) => error === lost,
  )
  await assert.rejects(run('ask', 'who'), /may ask nothing/)
  assert.equal(await run('double', 1), 2)
})

test('answers 503 busy when too many tasks wait', async () => {
  const { run } = aWorker()
  const all = await Promise.allSettled(Array.from({ length: 6 }, () => run('compute', 50)))
  const refused = all.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 2)
  for (const one of refused)
    assert.ok(one.status === 'rejected' && one.reason instanceof ApiError && one.reason.code === 'busy')
})
