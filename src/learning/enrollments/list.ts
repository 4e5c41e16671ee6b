import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { atOnce, inTurn, type Reader } from '#foundation/database/lists.ts'
import { cutPage, startOf } from '#foundation/http/cursor-page.ts'
import { editorOf, isVisibleToEnrolled, type Viewer } from '../access/access.ts'
import { gradeOf, type Weights } from '../grades/arithmetic.ts'
import { type Facts, marksOf, readFacts } from '../grades/work.ts'
import type { DueItem, Enrollment, EnrollmentQuery } from './enrollment.ts'

type Row = Omit<Enrollment, 'due_soon' | 'grade_percent' | 'final_percent' | 'passed' | 'channel'> &
  Omit<Enrollment['channel'], 'id'> & { grade_weights: Weights }

const MAX_DUE = 5
/**
 * One page of the caller's enrollments, the last active first, with the total. Deleted channels and drafts of other
 * people are left out; the rows stay, so the enrollments reappear with the channel.
 */
export async function listEnrollments(db: Database, viewer: Viewer, query: EnrollmentQuery) {
  const { pool } = db
  const { status, channel_id } = query
  const { order, after, skip } = startOf('enrollments:-last_activity_at', viewer, query)
  const from = sqlFrom(
    pool,
    viewer,
    pool`
      ${status === undefined ? pool`` : pool`and n.status = ${status}`}
      ${channel_id === undefined ? pool`` : pool`and n.channel_id = ${channel_id}`}`,
  )
  const [rows, counted] = await Promise.all([
    db.lists(
      viewer.user_id,
      pool<Row[]>`
      select ${columns(pool)}
        from (select n.tenant_id, n.user_id, n.channel_id ${from}
               ${after ? pool`and (n.last_activity_at, n.id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
               order by n.last_activity_at desc, n.id desc limit ${query.per_page + 1} offset ${skip}) as picked
        ${joins(pool)}
       where n.tenant_id = ${viewer.tenant_id}
       order by n.last_activity_at desc, n.id desc`,
    ),
    db.lists(viewer.user_id, pool<{ total: number }[]>`select count(*)::int as total ${from}`),
  ])
  const cut = cutPage(rows, query, order, ({ id, last_activity_at }) => ({ id, key: last_activity_at }))
  return {
    items: await withGrades(inTurn(db, viewer.user_id), viewer, cut.rows),
    total: one(counted).total,
    next_cursor: cut.next_cursor,
  }
}

/** The caller's enrollment in a channel they see. */
export async function readEnrollment(sql: Lane, viewer: Viewer, channel_id: string): Promise<Enrollment> {
  const { tenant_id, user_id } = viewer
  const rows = await sql<Row[]>`
    select ${columns(sql)}
      from (select ${tenant_id}::text as tenant_id, ${user_id}::text as user_id, ${channel_id}::uuid as channel_id) as picked
      ${joins(sql)}`
  return one(await withGrades(atOnce(sql), viewer, rows))
}

const sqlFrom = (sql: Lane, viewer: Viewer, filters: ReturnType<Lane>) => sql`
    from learning.enrollments n
    join learning.channels c on c.tenant_id = n.tenant_id and c.id = n.channel_id,
         ${editorOf(sql, viewer)}
   where n.tenant_id = ${viewer.tenant_id} and n.user_id = ${viewer.user_id} and ${isVisibleToEnrolled(sql)} ${filters}`

const joins = (sql: Lane) => sql`
  join learning.enrollments n using (tenant_id, user_id, channel_id)
  join learning.channels c on c.tenant_id = n.tenant_id and c.id = n.channel_id,
       learning.progress_in(n.tenant_id, n.user_id, n.channel_id) as done`

/** `new_episodes_count`: an enrollment is completed with all its episodes, so an uncompleted one was released later. */
const columns = (sql: Lane) => sql`
  n.id, n.channel_id, n.user_id, n.status, n.source, n.enrolled_at, n.last_activity_at, n.completed_at,
  done.percent::float8 as progress_percent, done.completed as episodes_completed, done.total as episodes_total,
  case when n.completed_at is null then 0 else done.total - done.completed end as new_episodes_count,
  done.next_episode_id, c.grade_weights, c.passing_percent::float8, c.title, c.thumbnail_url, c.language,
  n.enrolled_at as created_at, greatest(n.last_activity_at, n.completed_at) as updated_at`

/** Grades over the work of all released episodes. One read serves all the channels. */
async function withGrades(turn: Reader, viewer: Viewer, rows: readonly Row[]): Promise<Enrollment[]> {
  const { sql } = turn
  const ids = rows.map(({ channel_id }) => channel_id)
  const facts = await readFacts(
    turn,
    viewer,
    sql`array(
      select e.id from learning.episodes e
       where e.tenant_id = ${viewer.tenant_id} and e.channel_id = any(${ids}) and e.deleted_at is null
         and learning.is_released(e.status, e.release_at) and e.published_homework + e.published_tests > 0)`,
  )
  return rows.map(({ grade_weights, title, thumbnail_url, language, ...row }) => {
    const own = {
      homework: facts.homework.filter(({ channel_id }) => channel_id === row.channel_id),
      tests: facts.tests.filter(({ channel_id }) => channel_id === row.channel_id),
    }
    const { percent, final_percent } = gradeOf(marksOf(own), grade_weights)
    const channel = { id: row.channel_id, title, thumbnail_url, language }
    const passed =
      row.status === 'completed' && (final_percent === null || final_percent >= row.passing_percent)
    return { ...row, channel, grade_percent: percent, final_percent, passed, due_soon: dueSoon(own) }
  })
}

/** Work that is not handed in and due within seven days, the earliest deadline first. */
function dueSoon({ homework, tests }: Facts): DueItem[] {
  const items = [
    ...homework.flatMap(({ homework_id, status, is_due_soon, due_at, ...work }) =>
      is_due_soon && status === null && due_at !== null
        ? [dueItem('homework', homework_id, work, due_at)]
        : [],
    ),
    ...tests.flatMap(({ test_id, attempts, is_due_soon, closes_at, ...work }) =>
      is_due_soon && attempts.length === 0 && closes_at !== null
        ? [dueItem('test', test_id, work, closes_at)]
        : [],
    ),
  ]
  return items.toSorted((a, b) => (a.due_at + a.id < b.due_at + b.id ? -1 : 1)).slice(0, MAX_DUE)
}

const dueItem = (
  kind: DueItem['kind'],
  id: string,
  { episode_id, title }: { episode_id: string; title: string },
  due_at: string,
): DueItem => ({ kind, id, episode_id, title, due_at })
