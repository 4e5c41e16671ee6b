import { type Lane, one } from '#foundation/database/database.ts'
import { dueFor } from '../access/deadlines.ts'
import type { ReceivedSubmission, Submission } from './submission.ts'

/**
 * SQL joins for a submission `s` of the homework `h`. `mark` is the row whose grade is shown: its own, or, while the
 * latest one waits, the graded one with the highest number. All else is computed at every read, so a moved deadline
 * counts at once.
 */
export const worth = (sql: Lane) => sql`
  lateral (select learning.seconds_late(s.submitted_at, s.due_at_then, ${dueFor(sql, sql`s.user_id`)}) as seconds_late) as own,
  lateral (
    select m.id, m.status, m.score, m.feedback, m.rubric_scores, m.graded_by, m.graded_at,
           learning.late_penalty(h.late_policy, learning.seconds_late(m.submitted_at, m.due_at_then, ${dueFor(sql, sql`m.user_id`)}),
                                 h.late_penalty_percent_per_day, h.late_penalty_max_percent) as penalty_percent
      from learning.submissions m
     where m.tenant_id = s.tenant_id and m.homework_id = s.homework_id and m.user_id = s.user_id
       and (m.id = s.id or (s.is_current and s.status = 'submitted' and m.status = 'graded'))
     order by m.status <> 'submitted' desc, m.attempt_number desc limit 1) as mark`

/** SQL for the final score with 2 decimals; null without a grade and for returned work. */
export const finalScore = (sql: Lane) => sql`
  case when mark.status = 'graded'
       then round(learning.final_score(mark.score, h.max_score, mark.penalty_percent), 2)::float8 end`

/** The columns of a submission `s` that learners and editors both see. `text` is an SQL value. */
const shared = (sql: Lane, text: ReturnType<typeof finalScore>) => sql`
  s.id, s.homework_id, s.user_id, s.attempt_number, ${text} as text, s.url, s.attachments, s.status, s.submitted_at,
  own.seconds_late > 0 as is_late, own.seconds_late, mark.score::float8, mark.feedback, mark.rubric_scores,
  mark.penalty_percent::float8, ${finalScore(sql)} as final_score, mark.graded_by, mark.graded_at,
  case when mark.graded_at is not null then mark.id = s.id end as grade_matches_current_submission,
  s.submitted_at as created_at, s.updated_at`

/** The columns of the schema Submission, for the learner himself. */
export const ownSubmission = (sql: Lane) => sql`${shared(sql, sql`s.text`)}, s.client_id`

/** Lists cut texts after this many characters. */
const CUT = 2_000

/** The columns of the schema ReceivedSubmission, for editors; `isCut` shortens the text. */
export const receivedSubmission = (sql: Lane, isCut: boolean) => sql`
  ${shared(sql, isCut ? sql`left(s.text, ${CUT})` : sql`s.text`)}, s.user_email,
  ${isCut} and char_length(coalesce(s.text, '')) > ${CUT} as text_truncated`

/** A submission as its learner sees it. */
export const readOwnSubmission = async (sql: Lane, tenant_id: string, id: string) =>
  one(await sql<Submission[]>`select ${ownSubmission(sql)} ${submissionOf(sql, tenant_id, id)}`)

/** A submission as an editor sees it. */
export const readReceivedSubmission = async (sql: Lane, tenant_id: string, id: string) =>
  one(
    await sql<ReceivedSubmission[]>`
      select ${receivedSubmission(sql, false)} ${submissionOf(sql, tenant_id, id)}`,
  )

const submissionOf = (sql: Lane, tenant_id: string, id: string) => sql`
  from learning.submissions s
  join learning.homework h on h.tenant_id = s.tenant_id and h.id = s.homework_id,
       ${worth(sql)}
 where s.tenant_id = ${tenant_id} and s.id = ${id}`
