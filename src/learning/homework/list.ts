import { type Database, type Lane, one } from '#foundation/database.ts'
import { offsetOf } from '#foundation/paging.ts'
import type { Viewer } from '../access/access.ts'
import { openEpisode, refuseLocked } from '../access/open.ts'
import type { HomeworkQuery } from './homework.ts'
import { finalScore, ownSubmission, receivedSubmission, worth } from './shown.ts'

/** What of the learners' work an editor is shown with each homework. */
type Paging = { page: number; per_page: number; all: boolean; isCut: boolean }

const FIRST: Paging = { page: 1, per_page: 20, all: false, isCut: true }

/**
 * One page of the homework of an episode in the order it was made, as JSON texts joined by commas, and how much there is.
 * Learners see what is published and their own work, editors drafts and everybody's. 404, 403 locked.
 */
export async function listHomework(
  { fast, pool }: Database,
  viewer: Viewer,
  episode_id: string,
  query: HomeworkQuery,
) {
  const { is_editor, ...episode } = await openEpisode(fast, viewer, episode_id)
  refuseLocked(episode)
  const { homework_id, submission_page, submission_per_page, submissions } = query
  const paging = homework_id
    ? { page: submission_page, per_page: submission_per_page, all: submissions === 'all', isCut: false }
    : FIRST
  // Whole classes of texts may take longer than what else waits on the fast lane should feel.
  const sql: Lane = is_editor ? pool : fast
  const visible = sql`
    h.tenant_id = ${viewer.tenant_id} and h.episode_id = ${episode_id} and h.deleted_at is null
    and (${is_editor} or h.status = 'published')
    ${homework_id ? sql`and h.id = ${homework_id}` : sql``}`
  return one(
    await sql<{ items: string; total: number }[]>`
      select (
          select coalesce(string_agg(row_to_json(made)::text, ',' order by h.created_at, h.id), '')
            from (select h.tenant_id, h.id from learning.homework h where ${visible}
                   order by h.created_at, h.id limit ${query.per_page} offset ${offsetOf(query)}) as picked
            join learning.homework h on h.tenant_id = picked.tenant_id and h.id = picked.id,
                 lateral (select ${shown(sql, viewer, is_editor ? paging : undefined)}) as made) as items,
        (select count(*) from learning.homework h where ${visible})::int as total`,
  )
}

/** One homework as an editor sees it, as JSON text of the schema EditedHomework. */
export async function readHomework(
  sql: Lane,
  viewer: Viewer,
  homework_id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ body: string }[]>`
    select row_to_json(made)::text as body
      from learning.homework h, lateral (select ${shown(sql, viewer, FIRST)}) as made
     where h.tenant_id = ${viewer.tenant_id} and h.id = ${homework_id}`
  return row?.body
}

/** The columns of the homework `h`: the caller's own work always, that of the learners where `paging` is given. */
const shown = (sql: Lane, viewer: Viewer, paging: Paging | undefined) => sql`
  h.id, h.episode_id, h.title, h.instructions, h.status, h.submission_types, h.max_score,
  foundation.iso(h.due_at) as due_at, foundation.iso(h.lock_at) as lock_at, h.late_policy,
  h.late_penalty_percent_per_day, h.late_penalty_max_percent, h.max_submissions, h.rubric,
  foundation.iso(h.created_at) as created_at, foundation.iso(h.updated_at) as updated_at,
  ${own(sql, viewer)}${paging ? sql`, ${received(sql, viewer, paging)}` : sql``}`

const own = (sql: Lane, { tenant_id, user_id }: Viewer) => {
  const mine = sql`s.homework_id = h.id and s.user_id = ${user_id}`
  return sql`
  (select row_to_json(latest) from (
     select ${ownSubmission(sql)}
       from learning.submissions s, ${worth(sql)}
      where s.tenant_id = ${tenant_id} and ${mine} and s.is_current) as latest
  ) as my_submission,
  (select coalesce(json_agg(row_to_json(past)), '[]') from (
     select s.id, s.attempt_number, s.status,
            case when s.status = 'graded' then ${finalScore(sql)} end as final_score,
            foundation.iso(s.submitted_at) as submitted_at
       from learning.submissions s, ${worth(sql)}
      where s.tenant_id = ${tenant_id} and ${mine} order by s.attempt_number desc, s.id limit 50) as past) as my_history,
  (select case when h.max_submissions > 0 then greatest(0, h.max_submissions - count(*)) end
     from learning.submissions s where s.tenant_id = ${tenant_id} and ${mine}) as submissions_left`
}

/** What waits for a grade comes first, then the newest. */
const received = (sql: Lane, { tenant_id }: Viewer, { page, per_page, all, isCut }: Paging) => {
  const latest = sql`s.homework_id = h.id and s.is_current`
  const listed = all ? sql`s.homework_id = h.id` : latest
  return sql`
  (select count(*) from learning.submissions s
    where s.tenant_id = ${tenant_id} and ${latest} and not s.is_preview) as submission_count,
  (select count(*) from learning.submissions s
    where s.tenant_id = ${tenant_id} and ${latest} and not s.is_preview and s.status = 'submitted') as ungraded_count,
  (select count(*) from learning.submissions s where s.tenant_id = ${tenant_id} and ${listed}) as submission_total,
  (select coalesce(json_agg(row_to_json(given)), '[]') from (
     select ${receivedSubmission(sql, isCut)}
       from (select s.tenant_id, s.id from learning.submissions s
              where s.tenant_id = ${tenant_id} and ${listed}
              order by ${all ? sql`s.is_current and s.status = 'submitted'` : sql`(s.status = 'submitted')`} desc,
                       s.submitted_at desc, s.id desc
              limit ${per_page} offset ${(page - 1) * per_page}) as picked
       join learning.submissions s on s.tenant_id = picked.tenant_id and s.id = picked.id,
            ${worth(sql)}
      order by s.is_current and s.status = 'submitted' desc, s.submitted_at desc, s.id desc) as given) as submissions`
}
