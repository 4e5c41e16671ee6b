import { type Static, Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { badRequest } from '#foundation/errors.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import type { Learning } from '../learning.ts'
import { openTest } from './access.ts'

/** Bytes of JSON that the draft of one attempt may have. */
const MAX_BYTES = 262_144

/** An answer that is not handed in yet. `at` is when it was given, in ms since 1970 by the service's clock. */
const DraftAnswer = Type.Object({
  question_id: Uuid,
  answer: Type.Optional(Type.Unknown()),
  is_flagged: Type.Optional(Type.Boolean()),
  at: Type.Integer({ minimum: 0, maximum: 9_007_199_254_740_991 }),
})

/** The changed answers of the attempt that was opened at this moment: a number may come again after a reset. */
export const TestDraftBody = Type.Object({
  opened_at: Time,
  answers: Type.Array(DraftAnswer, { maxItems: 500 }),
})
export type TestDraftBody = Static<typeof TestDraftBody>

export const TestDraft = Type.Object({
  opened_at: Nullable(Time),
  answers: Type.Array(
    Type.Object({
      question_id: Type.String(),
      answer: Type.Unknown(),
      is_flagged: Type.Boolean(),
      at: Type.Number(),
    }),
  ),
})
export type TestDraft = Static<typeof TestDraft>

type Stored = Record<string, { answer: unknown; is_flagged: boolean; at: number }>
type Row = { opened_at: string; draft: Stored | null; is_kept: boolean }

/** The draft of the caller's open attempt; without one, `opened_at` null and no answers. 404 without access. */
export async function readTestDraft({ db }: Learning, viewer: Viewer, test_id: string): Promise<TestDraft> {
  const { tenant_id, user_id } = viewer
  const [, [row]] = await Promise.all([
    openTest(db.fast, viewer, test_id),
    db.fast<Row[]>`
      select opened_at, draft from learning.attempts
       where tenant_id = ${tenant_id} and test_id = ${test_id} and user_id = ${user_id} and status = 'open'
         and learning.attempt_status(status, expires_at) = 'open'`,
  ])
  return row ? shown(row) : { opened_at: null, answers: [] }
}

/**
 * Merges answers into the draft of the open attempt, question by question: the later change wins, so neither a second
 * tab nor a device that was offline loses one. Answers to other questions than those of the test are left out. 400
 * if the attempt is not open any more, or the draft would be too large.
 */
export async function mergeTestDraft(
  { db }: Learning,
  viewer: Viewer,
  test_id: string,
  { opened_at, answers }: TestDraftBody,
): Promise<TestDraft> {
  const { tenant_id, user_id } = viewer
  await openTest(db.fast, viewer, test_id)
  const merged = mergedDraft(db.pool, tenant_id, test_id, JSON.stringify(answers))
  const [row] = await db.pool<Row[]>`
    update learning.attempts a
       set draft = case when octet_length((${merged})::text) <= ${MAX_BYTES} then ${merged} else a.draft end
     where a.tenant_id = ${tenant_id} and a.test_id = ${test_id} and a.user_id = ${user_id}
       and a.opened_at = ${opened_at} and a.status = 'open'
       and learning.attempt_status(a.status, a.expires_at) = 'open'
    returning a.opened_at, a.draft, octet_length((${merged})::text) <= ${MAX_BYTES} as is_kept`
  if (!row) throw badRequest('attempt_not_open', 'The attempt is not open any more')
  if (!row.is_kept) throw badRequest('draft_too_large', `A draft holds at most ${MAX_BYTES / 1024} KiB`)
  return shown(row)
}

/** SQL for the draft of the attempt `a` with what is sent. A change from the future counts as made now. */
const mergedDraft = (sql: Lane, tenant_id: string, test_id: string, sent: string) => sql`
  (select coalesce(jsonb_object_agg(question_id, given), '{}') from (
     select distinct on (question_id) question_id, given from (
       select key as question_id, value as given, 0 as is_sent from jsonb_each(coalesce(a.draft, '{}'))
       union all
       select q.id::text, jsonb_build_object('answer', coalesce(sent.answer, 'null'),
                'is_flagged', coalesce(sent.is_flagged, false),
                'at', least(sent.at, (extract(epoch from clock_timestamp()) * 1000)::bigint)), 1
         from jsonb_to_recordset(${sent}::text::jsonb) as sent(
                question_id uuid, answer jsonb, is_flagged boolean, at bigint)
         join learning.questions q
           on q.tenant_id = ${tenant_id} and q.test_id = ${test_id} and q.id = sent.question_id) as every
      order by question_id, (given ->> 'at')::bigint desc, is_sent desc) as latest)`

const shown = ({ opened_at, draft }: Row): TestDraft => ({
  opened_at,
  answers: Object.entries(draft ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([question_id, given]) => ({ question_id, ...given })),
})
