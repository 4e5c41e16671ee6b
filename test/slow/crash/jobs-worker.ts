import { pino } from 'pino'
import { type Database, openDatabase } from '#foundation/database/database.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import { finish } from '#foundation/jobs/finish.ts'
import { claim } from '#foundation/jobs/leases.ts'
import { type Handler, startRunner } from '#foundation/jobs/runner.ts'

/** Where the process kills itself, at the third pass. */
export type Point = (typeof POINTS)[number]
export const POINTS = [
  'before the commit of an enqueue',
  'after the commit of an enqueue',
  'after a claim',
  'inside a handler',
  'after the work',
  'inside a finish before its commit',
  'after a finish',
] as const

/** Leaves a mark outside every transaction, as a sent request does; the end of the job is recorded inside. */
export const markAndRecord =
  (db: Database, passes: (point: Point) => void = () => {}): Handler =>
  async ({ job: { job_id } }) => {
    passes('inside a handler')
    await db.pool`insert into crash.marks (job_id) values (${job_id})`
    passes('after the work')
    return {
      async record(tx) {
        await tx`insert into crash.records (job_id) values (${job_id})`
        passes('inside a finish before its commit')
      },
    }
  }

async function main(url: string, kind: string, point: Point) {
  const db = openDatabase({ url, poolSize: 4 })
  let passed = 0
  const passes = (here: Point) => {
    if (here === point && ++passed === 3) process.kill(process.pid, 'SIGKILL')
  }
  if (point.endsWith('of an enqueue')) {
    for (;;) {
      await db.transaction(async (tx) => {
        const [job_id = ''] = await enqueue(tx, [{ kind, payload: {}, lease_seconds: 1 }])
        await tx`insert into crash.facts (job_id) values (${job_id})`
        passes('before the commit of an enqueue')
      })
      passes('after the commit of an enqueue')
    }
  }
  if (point === 'after a claim' || point === 'after a finish') {
    for (;;) {
      for (const job of await claim(db, { kinds: [kind], limit: 1 })) {
        passes('after a claim')
        const signal = new AbortController().signal
        const result = await markAndRecord(db)({ job, db, signal, renew: async () => {} })
        await finish(db, job, {}, result?.record)
        passes('after a finish')
      }
    }
  }
  startRunner({ db, log: pino({ level: 'silent' }), handlers: { [kind]: markAndRecord(db, passes) } })
}

const [, , url, kind, point] = process.argv
if (import.meta.main && url && kind) await main(url, kind, point as Point)
