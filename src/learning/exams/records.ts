import { type Lane, one } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'
import type { TestRow } from './access.ts'
import type { Answers, QuestionResult } from './graded.ts'

/** A finished attempt as it is stored. */
export type AttemptRecord = {
  id: string
  number: number
  status: 'graded' | 'expired'
  opened_at: string
  submitted_at: string
  regraded_at: string | null
  key_version: number
  answers: Answers
  results: QuestionResult[]
  score: number
  max_score: number
}

/** What an attempt belongs to: the channel whose enrollment was active now, the test as read, what it replaces. */
export type Place = {
  channel_id: string
  test: TestRow
  /** The open attempt that is submitted. Undefined: a new one gets `number`. */
  open: { id: string; number: number; opened_at: string; key_version: number } | undefined
  number: number
}
export type Verdict = Pick<AttemptRecord, 'status' | 'answers' | 'results' | 'score' | 'max_score'>

/**
 * Writes a verdict in one statement if the test still has the same key, the open attempt is still open, and the
 * number of a new one and the client_id are free. Undefined: another request was faster, and nothing is written. Lock
 * order as everywhere: enrollment, then test.
 */
export async function writeAttempt(
  sql: Lane,
  { tenant_id, user_id }: Viewer,
  { channel_id, test, open, number }: Place,
  client_id: string | null,
  verdict: Verdict,
): Promise<AttemptRecord | undefined> {
  const { now, key_version, is_staff } = test
  const { status, score, max_score } = verdict
  const [answers, results] = [JSON.stringify(verdict.answers), JSON.stringify(verdict.results)]
  const id = open?.id ?? newId()
  const unchanged = sql`
    with active as (
      update learning.enrollments set last_activity_at = clock_timestamp()
       where tenant_id = ${tenant_id} and user_id = ${user_id} and channel_id = ${channel_id}
      returning tenant_id),
    same as (
      select t.id from active
        join learning.tests t on t.tenant_id = active.tenant_id and t.id = ${test.id}
       where t.deleted_at is null and t.key_version = ${key_version}
         for share of t)`
  const [written] = open
    ? await sql<{ id: string }[]>`
        ${unchanged}
        update learning.attempts
           set status = ${status}, is_preview = ${is_staff}, client_id = ${client_id}, submitted_at = ${now},
               graded_version = ${key_version}, answers = ${answers}::text::jsonb, results = ${results}::text::jsonb,
               score = ${score}, max_score = ${max_score}, draft = null
          from same
         where attempts.tenant_id = ${tenant_id} and attempts.id = ${id} and user_id = ${user_id}
           and test_id = same.id and status = 'open'
        returning attempts.id`
    : await sql<{ id: string }[]>`
        ${unchanged}
        insert into learning.attempts (
          tenant_id, id, test_id, user_id, number, status, is_preview, client_id, opened_at, submitted_at,
          key_version, graded_version, answers, results, score, max_score)
        select ${tenant_id}, ${id}::uuid, same.id, ${user_id}, ${number}::int, ${status}, ${is_staff}::boolean,
               ${client_id}::text, ${now}::timestamptz, ${now}::timestamptz, ${key_version}::int, ${key_version}::int,
               ${answers}::text::jsonb, ${results}::text::jsonb, ${score}::numeric, ${max_score}::numeric
          from same
        on conflict do nothing
        returning id`
  if (!written) return undefined
  const begun = open ?? { number, opened_at: now, key_version }
  return {
    ...verdict,
    id,
    number: begun.number,
    opened_at: begun.opened_at,
    key_version: begun.key_version,
    submitted_at: now,
    regraded_at: null,
  }
}

export const readAttempt = async (sql: Lane, tenant_id: string, id: string): Promise<AttemptRecord> =>
  one(
    await sql<AttemptRecord[]>`
      select id, number, status, opened_at, submitted_at, regraded_at, key_version, answers, results, score::float8,
             max_score::float8
        from learning.attempts
       where tenant_id = ${tenant_id} and id = ${id} and submitted_at is not null`,
  )
