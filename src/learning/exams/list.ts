import { type Static, Type } from 'typebox'
import { type Lane, one } from '#foundation/database/database.ts'
import { atOnce, inTurn, type Reader } from '#foundation/database/lists.ts'
import { CursorQuery, cutPage, startOf } from '#foundation/http/cursor-page.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { closeFor, isLongerAtTest } from '../access/deadlines.ts'
import { openEpisode, refuseLocked } from '../access/open.ts'
import type { Learning } from '../learning.ts'
import { type Names, withNames } from '../names.ts'
import { allowedAttempts } from './allowed-attempts.ts'
import { attemptRows } from './attempt-rows.ts'
import type { MyStanding, OpenAttempt, Test, TestFields } from './exam.ts'
import { percentOf, shownPoints } from './kept.ts'
import { learnerResults, questionStats, testStats } from './results.ts'
import { type AttemptRow, standingOf, type TestRules } from './standing.ts'

export const TestQuery = Type.Object({
  ...CursorQuery.properties,
  test_id: Type.Optional(Uuid),
  result_page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
})
export type TestQuery = Static<typeof TestQuery>

/** A learner sees at most this many of their own attempts, the latest ones. */
const MAX_HISTORY = 20

type Row = TestFields &
  TestRules & {
    id: string
    episode_id: string
    question_count: number
    is_extended: boolean
    /** max_attempts for this learner, 0 for any number. */
    allowed_attempts: number
    created_at: string
    updated_at: string
    now: string
  }

/** A learner sees their own deadline, an editor everybody's. */
const columns = (sql: Lane, { user_id }: Viewer, is_editor: boolean) => sql`
  t.id, t.episode_id, t.title, t.description, t.status, t.max_attempts, t.retry_delay_seconds, t.time_limit_seconds,
  t.opens_at, ${is_editor ? sql`t.closes_at, false` : sql`${closeFor(sql, user_id)} as closes_at, ${isLongerAtTest(sql, user_id)}`} as is_extended, t.passing_percent::float8, t.score_policy, t.shuffle_questions, t.shuffle_options,
  t.feedback_policy, t.show_explanations, t.show_right_answers, t.weight::float8, ${allowedAttempts(sql, user_id)} as allowed_attempts,
  t.question_count, t.max_score::float8, t.created_at, t.updated_at,
  coalesce(t.passing_percent, c.passing_percent)::float8 as pass_mark, clock_timestamp()::timestamptz(3) as now`

/**
 * One page of an episode's tests in order of creation, with the caller's standing in each. Editors also get drafts
 * and statistics, and with `test_id` the results of that test. 404, then 403 for a locked episode.
 */
export async function listTests(
  { db, names }: Learning,
  viewer: Viewer,
  episode_id: string,
  query: TestQuery,
) {
  const episode = await openEpisode(db.fast, viewer, episode_id)
  refuseLocked(episode)
  const { test_id } = query
  const { order, after, skip } = startOf('tests:created_at', viewer, query, episode_id)
  const where = db.fast`
    t.episode_id = ${episode_id} and t.deleted_at is null
    and (${episode.is_editor} or t.status = 'published') ${test_id ? db.fast`and t.id = ${test_id}` : db.fast``}`
  const [found, counted] = await Promise.all([
    db.fast<Row[]>`
      select ${columns(db.fast, viewer, episode.is_editor)}
        from learning.tests t
        join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
       where t.tenant_id = ${viewer.tenant_id} and ${where}
             ${after ? db.fast`and (t.created_at, t.id) > (${after.key}::timestamptz, ${after.id}::uuid)` : db.fast``}
       order by t.created_at, t.id limit ${query.per_page + 1} offset ${skip}`,
    db.fast<{ total: number }[]>`
      select count(*)::int as total from learning.tests t
       where t.tenant_id = ${viewer.tenant_id} and ${where}`,
  ])
  const { rows, next_cursor } = cutPage(found, query, order, ({ id, created_at: key }) => ({ id, key }))
  const shown = await withStanding(db.fast, viewer, rows)
  const turn = inTurn(db, viewer.user_id)
  const items = episode.is_editor ? await withStats(turn, viewer, shown) : shown
  if (episode.is_editor && test_id)
    for (const item of items) await addResults(turn, names, { viewer, test: item }, query.result_page)
  return { items, total: one(counted).total, next_cursor }
}

/** One test as an editor sees it after a change. Does not check access. */
export async function readTest(sql: Lane, viewer: Viewer, test_id: string): Promise<Test> {
  const rows = await sql<Row[]>`
    select ${columns(sql, viewer, true)}
      from learning.tests t
      join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
     where t.tenant_id = ${viewer.tenant_id} and t.id = ${test_id} and t.deleted_at is null`
  return one(await withStats(atOnce(sql), viewer, await withStanding(sql, viewer, rows)))
}

async function withStanding(
  sql: Lane,
  { tenant_id, user_id }: Viewer,
  rows: readonly Row[],
): Promise<Test[]> {
  if (rows.length === 0) return []
  const attempts = await attemptRows(
    sql,
    tenant_id,
    user_id,
    rows.map(({ id }) => id),
  )
  const byTest = Map.groupBy(attempts, ({ test_id }) => test_id)
  return rows.map(({ pass_mark, now, allowed_attempts, ...test }) => ({
    ...test,
    my: shownStanding({ ...test, pass_mark, max_attempts: allowed_attempts }, byTest.get(test.id) ?? [], now),
  }))
}

function shownStanding(test: TestRules, attempts: AttemptRow[], now: string): MyStanding {
  const { used, left, open, finished, kept_percent, kept_score, passed, next_attempt_at } = standingOf(
    test,
    attempts,
    now,
  )
  return {
    attempts_used: used,
    attempts_left: left,
    kept_score,
    kept_percent,
    passed,
    open_attempt: open ? openAttempt(open) : null,
    next_attempt_at,
    history: finished
      .toReversed()
      .slice(0, MAX_HISTORY)
      .map(({ id, number, status, score, max_score, submitted_at }) => ({
        id,
        number,
        status: status === 'expired' ? status : 'graded',
        score: shownPoints(score),
        max_score: shownPoints(max_score),
        percent: percentOf(score, max_score),
        submitted_at: submitted_at ?? now,
      })),
  }
}

export const openAttempt = ({ number, opened_at, expires_at }: AttemptRow): OpenAttempt => ({
  number,
  opened_at,
  expires_at,
})

async function withStats(turn: Reader, { tenant_id }: Viewer, tests: Test[]): Promise<Test[]> {
  const stats = await testStats(
    turn,
    tenant_id,
    tests.map(({ id }) => id),
  )
  return tests.map((test) => {
    const found = stats.get(test.id)
    return found ? { ...test, stats: found } : test
  })
}

async function addResults(
  turn: Reader,
  names: Names,
  { viewer: { tenant_id }, test }: { viewer: Viewer; test: Test },
  result_page: number,
) {
  const [questions, { results, total }] = await Promise.all([
    questionStats(turn, tenant_id, test.id),
    learnerResults(turn, tenant_id, test.id, result_page),
  ])
  if (test.stats) test.stats.questions = questions
  Object.assign(test, {
    results: await withNames(names, tenant_id, results),
    result_total: total,
    result_page,
  })
}
