import type { Lane, Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { closeFor } from '../access/deadlines.ts'
import { type OpenEpisode, openEpisode } from '../access/open.ts'
import { allowedAttempts } from './allowed-attempts.ts'
import type { TestFields } from './exam.ts'
import type { TestRules } from './standing.ts'

/** A live test with everything that decides who may take it, when, and how it is graded. */
export type TestRow = TestRules &
  Omit<TestFields, 'title' | 'description' | 'passing_percent'> & {
    id: string
    episode_id: string
    question_count: number
    key_version: number
    regrade_version: number
    /**
     * The viewer is owner or instructor of the channel, or ADMIN; attempts of staff are previews. Nobody else is
     * staff, even where LEARNING_AUTHORING lets everybody edit.
     */
    is_staff: boolean
    /** Database time, ISO 8601. */
    now: string
  }

const testColumns = (sql: Lane, { user_id, is_admin }: Viewer) => sql`
  t.id, t.episode_id, t.status, ${allowedAttempts(sql, user_id)} as max_attempts, t.retry_delay_seconds, t.time_limit_seconds, t.opens_at, ${closeFor(sql, user_id)} as closes_at,
  t.score_policy, t.shuffle_questions, t.shuffle_options, t.feedback_policy, t.show_explanations, t.show_right_answers,
  t.question_count, t.max_score::float8, t.key_version, t.regrade_version, coalesce(t.passing_percent, c.passing_percent)::float8 as pass_mark,
  ${is_admin} or c.owner_id = ${user_id} or ${user_id} = any(c.instructor_ids) as is_staff,
  clock_timestamp()::timestamptz(3) as now`

/**
 * Reads a test and its episode in one round trip. 404 if the caller does not see it; only editors see drafts. `lock`
 * keeps the test and its key unchanged until the transaction ends. Lock order: after the enrollment (joinToLearn),
 * never before.
 */
export async function openTest(
  sql: Lane,
  viewer: Viewer,
  test_id: string,
  lock?: 'share',
): Promise<{ episode: OpenEpisode; test: TestRow }> {
  const [episode, test] = await Promise.all([
    openEpisode(sql, viewer, episodeOf(sql, viewer, test_id)),
    readTest(sql, viewer, test_id, lock),
  ])
  if (!test || (test.status === 'draft' && !episode.is_editor)) throw notFound()
  return { episode, test }
}

/**
 * Reads a live test for a submission and locks it until the transaction ends. Does not check access: the caller has
 * called openTest before.
 */
export async function shareTest(tx: Tx, viewer: Viewer, test_id: string): Promise<TestRow> {
  const test = await readTest(tx, viewer, test_id, 'share')
  if (!test) throw notFound()
  return test
}

async function readTest(sql: Lane, viewer: Viewer, test_id: string, lock: 'share' | undefined) {
  const [test] = await sql<TestRow[]>`
    select ${testColumns(sql, viewer)}
      from learning.tests t
      join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
     where t.tenant_id = ${viewer.tenant_id} and t.id = ${test_id} and t.deleted_at is null
       ${lock ? sql`for share of t` : sql``}`
  return test
}

/** openTest for a change: 403 if the caller sees the test but may not edit it. */
export async function openTestToEdit(sql: Lane, viewer: Viewer, test_id: string) {
  const opened = await openTest(sql, viewer, test_id)
  if (!opened.episode.is_editor) throw notAnEditor()
  return opened
}

export const notAnEditor = () => forbidden('not_an_editor', 'Only an editor of the channel may do this')

const episodeOf = (sql: Lane, { tenant_id }: Viewer, test_id: string) => sql`
  (select episode_id from learning.tests
    where tenant_id = ${tenant_id} and id = ${test_id} and deleted_at is null)`

/**
 * Locks a test for a change of its questions, so that such changes and the submissions they affect take turns. 404 if
 * the caller does not see the test, 403 if the caller may not change it.
 */
export async function lockTest(tx: Tx, viewer: Viewer, test_id: string): Promise<TestRow> {
  const [test] = await tx<(TestRow & { may_edit: boolean; is_seen: boolean })[]>`
    select ${testColumns(tx, viewer)}, editor.may_edit,
           editor.may_edit or (t.status = 'published' and learning.is_released(e.status, e.release_at)) as is_seen
      from learning.tests t
      join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id and e.deleted_at is null
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
     cross join ${editorOf(tx, viewer)}
     where t.tenant_id = ${viewer.tenant_id} and t.id = ${test_id} and t.deleted_at is null and ${isVisible(tx, viewer)}
       for no key update of t`
  if (!test?.is_seen) throw notFound()
  if (!test.may_edit) throw notAnEditor()
  return test
}
