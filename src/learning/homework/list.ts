import { type Lane, one } from '#foundation/database/database.ts'
import { atOnce, inTurn, type Reader } from '#foundation/database/lists.ts'
import { cutPage, startOf } from '#foundation/http/cursor-page.ts'
import type { Viewer } from '../access/access.ts'
import { dueFor, isLongerAtHomework, lockFor } from '../access/deadlines.ts'
import { openEpisode, refuseLocked } from '../access/open.ts'
import type { Learning } from '../learning.ts'
import { type Names, withNames } from '../names.ts'
import type { EditedHomework, Homework, HomeworkQuery } from './homework.ts'
import { finalScore, ownSubmission, receivedSubmission, worth } from './submission-rows.ts'
import type { PastSubmission, ReceivedSubmission, Submission } from './submission.ts'

/** Which submissions an editor sees with each homework. */
type Paging = { page: number; per_page: number; all: boolean; isCut: boolean }
type Row = Omit<Homework, 'my_submission' | 'my_history' | 'submissions_left'>
type Counts = Pick<EditedHomework, 'submission_count' | 'ungraded_count' | 'submission_total'>

const FIRST: Paging = { page: 1, per_page: 20, all: false, isCut: true }

/**
 * One page of an episode's homework in order of creation, and the total. Learners see published homework and their
 * own work, editors also drafts and everybody's work. 404, 403 locked.
 */
export async function listHomework(
  { db, names }: Pick<Learning, 'db' | 'names'>,
  viewer: Viewer,
  episode_id: string,
  query: HomeworkQuery,
) {
  const { tenant_id } = viewer
  const { is_editor, ...episode } = await openEpisode(db.fast, viewer, episode_id)
  refuseLocked(episode)
  const { homework_id, submission_page, submission_per_page, submissions } = query
  const paging = homework_id
    ? { page: submission_page, per_page: submission_per_page, all: submissions === 'all', isCut: false }
    : FIRST
  // Reading the texts of a whole class may be slow and would delay other reads on the fast lane.
  const turn = is_editor ? inTurn(db, viewer.user_id) : atOnce(db.fast)
  const { sql, read } = turn
  const { order, after, skip } = startOf('homework:created_at', viewer, query, episode_id)
  const visible = sql`
    h.episode_id = ${episode_id} and h.deleted_at is null
    and (${is_editor} or h.status = 'published')
    ${homework_id ? sql`and h.id = ${homework_id}` : sql``}`
  const [found, counted] = await Promise.all([
    read(sql<Row[]>`
      select ${columns(sql, is_editor ? undefined : viewer.user_id)} from learning.homework h
       where h.tenant_id = ${tenant_id} and ${visible}
             ${after ? sql`and (h.created_at, h.id) > (${after.key}::timestamptz, ${after.id}::uuid)` : sql``}
       order by h.created_at, h.id limit ${query.per_page + 1} offset ${skip}`),
    read(sql<{ total: number }[]>`
      select count(*)::int as total from learning.homework h where h.tenant_id = ${tenant_id} and ${visible}`),
  ])
  const { rows, next_cursor } = cutPage(found, query, order, ({ id, created_at: key }) => ({ id, key }))
  const own = await withOwn(turn, viewer, rows)
  const items = is_editor ? await named(names, viewer, await withReceived(turn, viewer, own, paging)) : own
  return { items, total: one(counted).total, next_cursor }
}

/** One homework as an editor sees it. */
export async function readHomework(sql: Lane, viewer: Viewer, homework_id: string): Promise<EditedHomework> {
  const rows = await sql<Row[]>`
    select ${columns(sql)} from learning.homework h
     where h.tenant_id = ${viewer.tenant_id} and h.id = ${homework_id}`
  const turn = atOnce(sql)
  return one(await withReceived(turn, viewer, await withOwn(turn, viewer, rows), FIRST))
}

/** A learner sees their own deadlines, an editor everybody's. */
const columns = (sql: Lane, learner_id?: string) => sql`
  h.id, h.episode_id, h.title, h.instructions, h.status, h.submission_types, h.max_score::float8, h.weight::float8,
  ${learner_id === undefined ? sql`h.due_at, h.lock_at, false` : sql`${dueFor(sql, learner_id)} as due_at, ${lockFor(sql, learner_id)} as lock_at, ${isLongerAtHomework(sql, learner_id)}`} as is_extended,
  h.late_policy, h.late_penalty_percent_per_day::float8, h.late_penalty_max_percent::float8, h.max_submissions, h.rubric,
  h.created_at, h.updated_at`

/** The highest max_submissions, because submissions_left is computed from the history. */
const HISTORY = 50

/** Adds the caller's own submissions. */
async function withOwn(
  { sql, read }: Reader,
  { tenant_id, user_id }: Viewer,
  homework: readonly Row[],
): Promise<Homework[]> {
  const ids = homework.map(({ id }) => id)
  const [latest, past] = await Promise.all([
    read(sql<Submission[]>`
      select ${ownSubmission(sql)}
        from learning.submissions s
        join learning.homework h on h.tenant_id = s.tenant_id and h.id = s.homework_id,
             ${worth(sql)}
       where s.tenant_id = ${tenant_id} and s.homework_id = any(${ids}) and s.user_id = ${user_id} and s.is_current`),
    read(sql<(PastSubmission & { homework_id: string })[]>`
      select h.id as homework_id, s.id, s.attempt_number, s.status, s.submitted_at,
             case when s.status = 'graded' then ${finalScore(sql)} end as final_score
        from learning.homework h,
             lateral (
               select * from learning.submissions
                where tenant_id = ${tenant_id} and homework_id = h.id and user_id = ${user_id}
                order by attempt_number desc limit ${HISTORY}) as s,
             ${worth(sql)}
       where h.tenant_id = ${tenant_id} and h.id = any(${ids})
       order by s.attempt_number desc`),
  ])
  return homework.map((one) => {
    const my_history = past.filter(({ homework_id }) => homework_id === one.id)
    return {
      ...one,
      my_submission: latest.find(({ homework_id }) => homework_id === one.id) ?? null,
      my_history,
      submissions_left: one.max_submissions > 0 ? Math.max(0, one.max_submissions - my_history.length) : null,
    }
  })
}

/** Adds the learners' submissions: those that wait for a grade first, then the newest. */
async function withReceived(
  { sql, read }: Reader,
  { tenant_id }: Viewer,
  homework: readonly Homework[],
  { page, per_page, all, isCut }: Paging,
): Promise<EditedHomework[]> {
  const ids = homework.map(({ id }) => id)
  const listed = all ? sql`true` : sql`s.is_current`
  const waiting = all ? sql`(s.is_current and s.status = 'submitted')` : sql`(s.status = 'submitted')`
  const [counts, received] = await Promise.all([
    read(sql<(Counts & { homework_id: string })[]>`
      select s.homework_id, count(*) filter (where s.is_current and not s.is_preview) as submission_count,
             count(*) filter (where s.is_current and not s.is_preview and s.status = 'submitted') as ungraded_count,
             count(*) as submission_total
        from learning.submissions s
       where s.tenant_id = ${tenant_id} and s.homework_id = any(${ids}) and ${listed}
       group by s.homework_id`),
    read(sql<ReceivedSubmission[]>`
      select ${receivedSubmission(sql, isCut)}
        from learning.homework h,
             lateral (
               select s.tenant_id, s.id from learning.submissions s
                where s.tenant_id = ${tenant_id} and s.homework_id = h.id and ${listed}
                order by ${waiting} desc, s.submitted_at desc, s.id desc
                limit ${per_page} offset ${(page - 1) * per_page}) as picked
        join learning.submissions s on s.tenant_id = picked.tenant_id and s.id = picked.id,
             ${worth(sql)}
       where h.tenant_id = ${tenant_id} and h.id = any(${ids})
       order by ${waiting} desc, s.submitted_at desc, s.id desc`),
  ])
  return homework.map((one) => ({
    ...one,
    ...(counts.find(({ homework_id }) => homework_id === one.id) ?? NOTHING),
    submissions: received.filter(({ homework_id }) => homework_id === one.id),
  }))
}

/** Says what the learners are called. All are asked for at once. */
async function named(names: Names, { tenant_id }: Viewer, homework: readonly EditedHomework[]) {
  const all = await withNames(
    names,
    tenant_id,
    homework.flatMap(({ submissions }) => submissions),
  )
  return homework.map((one) => ({
    ...one,
    submissions: all.filter(({ homework_id }) => homework_id === one.id),
  }))
}

const NOTHING: Counts = { submission_count: 0, ungraded_count: 0, submission_total: 0 }
