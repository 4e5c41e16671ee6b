import type { Database, Tx } from '#foundation/database/database.ts'
import type { Handlers } from '#foundation/jobs/attempt.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import { type Answers, gradeAnswers, type QuestionResult } from './graded.ts'
import { type KeyedQuestion, loadKey } from './keys.ts'

/** A job regrades more attempts than this after the response. */
const AT_ONCE = 1_000
const BATCH = 200
const KIND = 'learning.regrade'

/**
 * Regrades the attempts that the newest key affects, from the answers as sent. The caller holds the lock of the test
 * (lockTest) and has raised its regrade_version. `attempts` counts submitted ones; a job makes `done` false.
 */
export async function regradeTest(
  tx: Tx,
  tenant_id: string,
  test_id: string,
): Promise<{ attempts: number; done: boolean }> {
  const [waiting] = await tx<{ attempts: number; submitted: number }[]>`
    select count(*)::int as attempts, count(*) filter (where a.status <> 'open')::int as submitted
      from learning.attempts a
      join learning.tests t on t.tenant_id = a.tenant_id and t.id = a.test_id
     where a.tenant_id = ${tenant_id} and a.test_id = ${test_id} and a.graded_version < t.regrade_version`
  const { attempts = 0, submitted = 0 } = waiting ?? {}
  if (attempts > AT_ONCE) {
    await enqueue(tx, [
      { kind: KIND, payload: { tenant_id, test_id }, delays: [5, 30, 300], lease_seconds: 60 },
    ])
    return { attempts: submitted, done: false }
  }
  while ((await regradeSome(tx, tenant_id, test_id)) === BATCH);
  return { attempts: submitted, done: true }
}

/** Regrades the rest in small transactions, so that a submission never waits long. */
export const regradeJobs = (db: Database): Handlers => ({
  [KIND]: async ({ job, signal, renew }) => {
    const { tenant_id, test_id } = job.payload as { tenant_id: string; test_id: string }
    for (;;) {
      const done = await db.transaction((tx) => regradeSome(tx, tenant_id, test_id, true))
      if (done < BATCH) return
      signal.throwIfAborted()
      await renew()
    }
  },
})

type Row = {
  id: string
  status: 'open' | 'graded' | 'expired'
  key_version: number
  answers: Answers
  regrade_version: number
}
type Regraded = { id: string; score: number; max_score: number; results: QuestionResult[] | null }

/** Regrades the next batch and returns its size. */
async function regradeSome(tx: Tx, tenant_id: string, test_id: string, lock = false): Promise<number> {
  if (lock)
    await tx`select id from learning.tests where tenant_id = ${tenant_id} and id = ${test_id} for no key update`
  const rows = await tx<Row[]>`
    select a.id, a.status, a.key_version, a.answers, t.regrade_version
      from learning.attempts a
      join learning.tests t on t.tenant_id = a.tenant_id and t.id = a.test_id
     where a.tenant_id = ${tenant_id} and a.test_id = ${test_id} and a.graded_version < t.regrade_version
     order by a.id limit ${BATCH}
       for no key update of a`
  const [first] = rows
  if (!first) return 0
  const keys = await keysOf(tx, tenant_id, test_id, rows)
  const regraded = rows.map((row): Regraded => verdictOn(row, keys.get(row.key_version) ?? []))
  await tx`
    update learning.attempts a
       set score_before_regrade = case when a.status = 'graded' then coalesce(a.score_before_regrade, a.score) end,
           regraded_at = case when a.status = 'graded' then clock_timestamp() end,
           score = now.score, max_score = now.max_score, results = coalesce(now.results, a.results),
           graded_version = ${first.regrade_version}
      from jsonb_to_recordset(${tx.json(regraded)}) as now(id uuid, score numeric, max_score numeric, results jsonb)
     where a.tenant_id = ${tenant_id} and a.test_id = ${test_id} and a.id = now.id`
  return rows.length
}

/** An open or expired attempt has no points, but its max_score changes as well. */
function verdictOn({ id, status, answers }: Row, key: KeyedQuestion[]): Regraded {
  const { score, max_score, results } = gradeAnswers(key, answers)
  return status === 'graded' ? { id, score, max_score, results } : { id, score: 0, max_score, results: null }
}

/** Loads each key once, because attempts opened at the same key version are graded alike. */
async function keysOf(tx: Tx, tenant_id: string, test_id: string, rows: readonly Row[]) {
  const keys = new Map<number, KeyedQuestion[]>()
  for (const { key_version } of rows)
    if (!keys.has(key_version)) keys.set(key_version, await loadKey(tx, { tenant_id, test_id, key_version }))
  return keys
}
