import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { pino } from 'pino'
import { type Database, one } from '#foundation/database/database.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import { eventually } from '#testing/eventually.ts'
import { testDatabase } from '#testing/database.ts'
import { markAndRecord, type Point, POINTS } from './jobs-worker.ts'

const KILLS = 5
const JOBS = 60

let db: Database
let url: string
before(async () => {
  const own = await testDatabase()
  db = own.db
  url = own.url
  await db.pool`create schema crash`
  await db.pool`create table crash.facts (job_id uuid not null)`
  await db.pool`create table crash.marks (job_id uuid not null)`
  await db.pool`create table crash.records (job_id uuid not null)`
})

/** Starts a process that works on these jobs and kills itself with SIGKILL at the point. */
async function workAndDie(kind: string, point: Point) {
  const worker = join(import.meta.dirname, 'jobs-worker.ts')
  const child = spawn(process.execPath, [worker, url, kind, point], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const timer = setTimeout(() => child.kill('SIGTERM'), 90_000)
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  clearTimeout(timer)
  assert.equal(signal, 'SIGKILL', `the process did not reach the point "${point}"`)
}

/** Finishes the remaining jobs in this process. */
async function workOff(kind: string) {
  const runner = startRunner({ db, log: pino({ level: 'silent' }), handlers: { [kind]: markAndRecord(db) } })
  const isPending = async () =>
    one(
      await db.pool<{ total: number }[]>`
      select count(*) as total from foundation.jobs where kind = ${kind} and state = 'pending'`,
    ).total > 0
  await eventually(async () => !(await isPending()))
  await runner.stop()
}

describe('a process killed at a named point', () => {
  for (const point of POINTS) {
    test(`${point}: every committed job is recorded as done once`, async () => {
      const kind = `crash.${randomUUID()}`
      if (!point.endsWith('of an enqueue')) {
        await db.transaction(async (tx) => {
          const jobs = Array.from({ length: JOBS }, () => ({ kind, payload: {}, lease_seconds: 1 }))
          for (const job_id of await enqueue(tx, jobs))
            await tx`insert into crash.facts (job_id) values (${job_id})`
        })
      }
      for (let kill = 0; kill < KILLS; kill++) await workAndDie(kind, point)
      await workOff(kind)

      const rows = await db.pool<
        { is_fact: boolean; state: string; attempts: number; marks: number; records: number }[]
      >`
        select exists (select from crash.facts where facts.job_id = jobs.job_id) as is_fact, state, attempts,
               (select count(*) from crash.marks where marks.job_id = jobs.job_id) as marks,
               (select count(*) from crash.records where records.job_id = jobs.job_id) as records
          from foundation.jobs where kind = ${kind}`
      const committed = {
        'before the commit of an enqueue': 2 * KILLS,
        'after the commit of an enqueue': 3 * KILLS,
      }
      assert.equal(rows.length, point in committed ? committed[point as keyof typeof committed] : JOBS)
      for (const { marks, ...row } of rows) {
        assert.deepEqual(row, { is_fact: true, state: 'done', attempts: 1, records: 1 })
        assert.ok(marks >= 1)
      }
      // Only jobs in progress at a kill may run twice: at most eight per lane.
      const repeated = rows.reduce((sum, row) => sum + row.marks - 1, 0)
      assert.ok(repeated <= 8 * KILLS, `${repeated} jobs were done more than once`)
    })
  }
})
