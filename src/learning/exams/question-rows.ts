import type postgres from 'postgres'
import type { Lane, Tx } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'
import { lockTest, type TestRow } from './access.ts'
import type { Placed } from './places.ts'
import type { QuestionType } from './kinds.ts'
import type { Regrade } from './question.ts'
import type { Content } from './question-content.ts'
import type { QuestionRow } from './views.ts'

/**
 * Locks the test of a live question and reads both. 404 if the caller does not see it, 403 if the caller may not
 * change it.
 */
export async function lockQuestion(
  tx: Tx,
  viewer: Viewer,
  question_id: string,
): Promise<{ test: TestRow; current: QuestionRow }> {
  const { tenant_id } = viewer
  const [known] = await tx<{ test_id: string }[]>`
    select test_id from learning.questions
     where tenant_id = ${tenant_id} and id = ${question_id} and deleted_at is null`
  if (!known) throw notFound()
  const test = await lockTest(tx, viewer, known.test_id)
  const [current] = await tx<QuestionRow[]>`
    ${liveQuestions(tx, tenant_id, test.id)} and q.id = ${question_id}`
  if (!current) throw notFound()
  return { test, current }
}

/** SQL for the live questions of a test with their current version. Further conditions may follow it. */
export const liveQuestions = (sql: Lane, tenant_id: string, test_id: string) => sql`
  select q.id, q.test_id, q.type, v.prompt, v.points::float8, q.position, v.scoring, v.explanation, q.version, v.body,
         q.created_at, q.updated_at
    from learning.questions q
    join learning.question_versions v on v.tenant_id = q.tenant_id and v.question_id = q.id and v.version = q.version
   where q.tenant_id = ${tenant_id} and q.test_id = ${test_id} and q.deleted_at is null`

/** Reads these live questions in order. The caller holds the lock of the test. */
export const readQuestions = (tx: Tx, tenant_id: string, test_id: string, ids: string[]) => tx<QuestionRow[]>`
  ${liveQuestions(tx, tenant_id, test_id)} and q.id = any(${ids}) order by q.position, q.id`

export const livePlaces = (tx: Tx, tenant_id: string, test_id: string) => tx<Placed[]>`
  select id, position from learning.questions
   where tenant_id = ${tenant_id} and test_id = ${test_id} and deleted_at is null
   order by position, id`

export async function savePlaces(tx: Tx, tenant_id: string, test_id: string, places: readonly Placed[]) {
  if (places.length === 0) return
  await tx`
    update learning.questions set position = placed.position
      from unnest(${places.map(({ id }) => id)}::uuid[], ${places.map(({ position }) => position)}::int[])
        as placed(id, position)
     where questions.tenant_id = ${tenant_id} and questions.test_id = ${test_id} and questions.id = placed.id`
}

/** Inserts questions at their positions. Their content is stored as version 1 by saveVersions(). */
export const addQuestions = (
  tx: Tx,
  tenant_id: string,
  test_id: string,
  since: number,
  added: (Placed & { type: QuestionType })[],
) => tx`
  insert into learning.questions (tenant_id, id, test_id, type, position, version, since)
  select ${tenant_id}, id, ${test_id}, type, position, 1, ${since}
    from jsonb_to_recordset(${tx.json(added)}) as given(id uuid, type text, position int)`

export const saveVersions = (
  tx: Tx,
  { tenant_id, user_id }: Viewer,
  key_version: number,
  versions: (Content & { question_id: string; version: number; regrade: Regrade })[],
) => tx`
  insert into learning.question_versions (
    tenant_id, question_id, version, key_version, regrade, prompt, points, scoring, explanation, body, written_by)
  select ${tenant_id}, question_id, version, ${key_version}, regrade, prompt, points, scoring, explanation, body,
         ${user_id}
    from jsonb_to_recordset(${tx.json(versions as unknown as postgres.JSONValue)}) as given(
      question_id uuid, version int, regrade text, prompt text, points numeric, scoring text, explanation text,
      body jsonb)`

/** Ends every change of questions: updates the sums of the test and the version of its key. */
export const sumUpTest = (
  tx: Tx,
  tenant_id: string,
  test_id: string,
  key_version: number,
  regrades = false,
) => tx`
  update learning.tests t
     set key_version = ${key_version}, updated_at = clock_timestamp(),
         regrade_version = case when ${regrades} then ${key_version} else t.regrade_version end,
         question_count = sums.question_count, max_score = sums.max_score
    from (select count(*)::int as question_count, coalesce(sum(v.points), 0) as max_score
            from learning.questions q
            join learning.question_versions v
              on v.tenant_id = q.tenant_id and v.question_id = q.id and v.version = q.version
           where q.tenant_id = ${tenant_id} and q.test_id = ${test_id} and q.deleted_at is null) as sums
   where t.tenant_id = ${tenant_id} and t.id = ${test_id}`
