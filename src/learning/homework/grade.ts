import { one, type Tx } from '#foundation/database/database.ts'
import { badRequest, notFound, unprocessable } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'
import { requireEditor } from '../access/open.ts'
import type { Learning } from '../learning.ts'
import { withNames } from '../names.ts'
import { notify } from '../notifications/notify.ts'
import { collectFaults, decimals, text } from '../values.ts'
import type { Criterion } from './homework.ts'
import { openHomework } from './open.ts'
import { readReceivedSubmission } from './submission-rows.ts'
import type { GradeBody, ReceivedSubmission, RubricScore } from './submission.ts'

/**
 * Grades a submission or returns it for revision; fields not sent stay. A regrade keeps the replaced grade, who gave
 * it and when. 404, 403 to learners, 400 for a score above the maximum or a criterion that the rubric does not have.
 */
export async function gradeSubmission(
  { db, names }: Learning,
  viewer: Viewer,
  submission_id: string,
  body: GradeBody,
): Promise<ReceivedSubmission> {
  const given = cleanGrade(body)
  const { tenant_id, user_id } = viewer

  const graded = await db.transaction(async (tx) => {
    const [submission] = await tx<{ homework_id: string; user_id: string }[]>`
      select homework_id, user_id from learning.submissions where tenant_id = ${tenant_id} and id = ${submission_id}`
    if (!submission) throw notFound()
    const episode = await openHomework(tx, viewer, submission.homework_id)
    requireEditor(episode)
    const current = await lockedGrade(tx, tenant_id, submission_id)
    const grade = { ...current, ...given }
    refuseGrade(grade, current)
    if (current.graded_at !== null) await keepReplaced(tx, tenant_id, submission_id, user_id)
    await tx`
      update learning.submissions
         set status = ${grade.status}, score = ${grade.score}, feedback = ${grade.feedback},
             rubric_scores = ${tx.json(grade.rubric_scores)}, graded_by = ${user_id}, graded_at = clock_timestamp(),
             updated_at = clock_timestamp()
       where tenant_id = ${tenant_id} and id = ${submission_id}`
    const { channel_id, episode_id } = episode
    const about = {
      channel_id,
      episode_id,
      target_id: submission.homework_id,
      user_ids: [submission.user_id],
    }
    await notify(tx, tenant_id, { kind: 'graded', ...about })
    return readReceivedSubmission(tx, tenant_id, submission_id)
  })
  return one(await withNames(names, tenant_id, [graded]))
}

type Grade = { score: number | null; feedback: string; rubric_scores: RubricScore[] }
type LockedGrade = Grade & { graded_at: string | null; max_score: number; rubric: Criterion[] }

function cleanGrade(body: GradeBody): Partial<Grade> & { status: 'graded' | 'returned' } {
  const { score, feedback, rubric_scores } = body
  const faults = collectFaults()
  const grade = {
    status: body.status ?? 'graded',
    ...(score !== undefined && { score: score === null ? null : decimals(2)(score, faults.at('score')) }),
    ...(feedback !== undefined && { feedback: text(feedback ?? '') }),
    ...(rubric_scores !== undefined && {
      rubric_scores: (rubric_scores ?? []).map(({ rubric_id, points, comment }, index) => ({
        rubric_id: rubric_id.toLowerCase(),
        points: decimals(2)(points, faults.at(`rubric_scores[${index}].points`)),
        comment: text(comment ?? ''),
      })),
    }),
  }
  const ids = (grade.rubric_scores ?? []).map(({ rubric_id }) => rubric_id)
  if (new Set(ids).size < ids.length) faults.at('rubric_scores')('repeated', 'names a criterion twice')
  faults.refuseIfAny()
  return grade
}

/** A grade needs a score, sent now or earlier, else 422 as for any missing field. The other rules answer 400. */
function refuseGrade(
  { status, score, rubric_scores }: Grade & { status: 'graded' | 'returned' },
  { max_score, rubric, rubric_scores: before }: LockedGrade,
) {
  if (status === 'graded' && score === null) throw unprocessable('score', 'required', 'is required')
  if (score !== null && score > max_score)
    throw badRequest('score_above_max', `score must not be above ${max_score}`)
  if (rubric_scores === before) return
  const limits = new Map(rubric.map(({ id, max_points }) => [id, max_points]))
  for (const { rubric_id, points } of rubric_scores) {
    const limit = limits.get(rubric_id)
    if (limit === undefined) throw badRequest('unknown_criterion', `The rubric has no criterion ${rubric_id}`)
    if (points > limit) throw badRequest('points_above_max', `points must not be above ${limit}`)
  }
}

/** Locks the submission, so that its graders take turns. */
async function lockedGrade(tx: Tx, tenant_id: string, submission_id: string): Promise<LockedGrade> {
  const [submission] = await tx<LockedGrade[]>`
    select s.score::float8, s.feedback, s.rubric_scores, s.graded_at, h.max_score::float8, h.rubric
      from learning.submissions s
      join learning.homework h on h.tenant_id = s.tenant_id and h.id = s.homework_id and h.deleted_at is null
     where s.tenant_id = ${tenant_id} and s.id = ${submission_id}
       for no key update of s`
  if (!submission) throw notFound()
  return submission
}

const keepReplaced = (tx: Tx, tenant_id: string, submission_id: string, replaced_by: string) => tx`
  insert into learning.replaced_grades (
    tenant_id, submission_id, number, status, score, feedback, rubric_scores, graded_by, graded_at, replaced_by)
  select s.tenant_id, s.id,
         1 + (select count(*) from learning.replaced_grades r where r.tenant_id = s.tenant_id and r.submission_id = s.id),
         s.status, s.score, s.feedback, s.rubric_scores, s.graded_by, s.graded_at, ${replaced_by}
    from learning.submissions s
   where s.tenant_id = ${tenant_id} and s.id = ${submission_id}`
