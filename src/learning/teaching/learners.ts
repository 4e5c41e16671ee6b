import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { bothOf, inTurn, type Reader } from '#foundation/database/lists.ts'
import { CursorPageOf, CursorQuery, cutPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { gradeOf, type Weights } from '../grades/arithmetic.ts'
import { type Facts, homeworkMark, keptPercent, marksOf, readFactsOf } from '../grades/work.ts'
import { rounded } from '../grades/arithmetic.ts'
import { risksIn } from '../innovation/engagement.ts'
import { readLearners } from '../innovation/learners.ts'
import { type Names, withNames } from '../names.ts'
import { isLearner, isStaff, requireStaff } from './staff.ts'

const Percent = Nullable(Type.Number())
const KINDS = ['homework', 'test'] as const

/** A homework or test as a column of the gradebook. */
const Work = Type.Object({
  kind: OneOf([...KINDS]),
  id: Uuid,
  title: Type.String(),
  episode_id: Uuid,
  episode_title: Type.String(),
  max_score: Type.Number(),
  /** Everybody's deadline: when homework is due, or a test closes. */
  ends_at: Nullable(Time),
  /** What a test must reach to be passed, else that of the channel. */
  passing_percent: Type.Number(),
})
type Work = Static<typeof Work>

/** A learner's result in one work. `percent` is null until something counts; `is_over`: nothing can be handed in. */
const Result = Type.Object({
  kind: OneOf([...KINDS]),
  id: Uuid,
  status: OneOf(['none', 'submitted', 'graded', 'returned', 'taken']),
  score: Percent,
  percent: Percent,
  is_over: Type.Boolean(),
  /** The learner's own deadline, if they have longer than the others. */
  extended_to: Nullable(Time),
})
type Result = Static<typeof Result>

/** `risk` is 0 to 100 and comes with `include=risk`; the channel expects nothing while it is not published: null. */
export const Learner = Type.Object({
  user_id: Type.String(),
  user_email: Type.String(),
  display_name: Nullable(Type.String()),
  status: OneOf(['active', 'completed']),
  enrolled_at: Time,
  last_activity_at: Time,
  progress_percent: Type.Number(),
  episodes_completed: Type.Integer(),
  episodes_total: Type.Integer(),
  grade_percent: Percent,
  final_percent: Percent,
  passed: Nullable(Type.Boolean()),
  risk: Type.Optional(Nullable(Type.Integer())),
  reasons: Type.Optional(Type.Array(Type.String())),
  results: Type.Optional(Type.Array(Result)),
})
export type Learner = Static<typeof Learner>

export const LearnerPage = Type.Object({
  ...CursorPageOf(Learner).properties,
  channel: Type.Object({ id: Uuid, title: Type.String(), passing_percent: Type.Number() }),
  work: Type.Optional(Type.Array(Work)),
})

export const LearnerQuery = Type.Object({
  ...CursorQuery.properties,
  include: Type.Optional(OneOf(['risk', 'work'])),
  user_id: Type.Optional(Uuid),
})
export type LearnerQuery = Static<typeof LearnerQuery>

type Row = Omit<Learner, 'display_name' | 'grade_percent' | 'final_percent' | 'passed'> & {
  id: string
  title: string
  passing_percent: number
  grade_weights: Weights
}
/** The most columns of a gradebook. */
const MOST_WORK = 200

/**
 * One page of the learners of a channel in the order in which they came, with progress and grade; with `include=risk`
 * who needs help and why, with `include=work` each result. 404, 403 for who sees the channel and does not teach it.
 */
export async function listChannelLearners(
  db: Database,
  names: Names,
  viewer: Viewer,
  channel_id: string,
  query: LearnerQuery,
) {
  const { pool } = db
  const { tenant_id, user_id } = viewer
  const { order, after, skip } = startOf('learners:enrolled_at', viewer, query, channel_id)
  await requireStaff(db.fast, viewer, channel_id)
  const from = pool`
    from learning.enrollments n
    join learning.channels c on c.tenant_id = n.tenant_id and c.id = n.channel_id
   where n.tenant_id = ${tenant_id} and n.channel_id = ${channel_id} and ${isStaff(pool, viewer)} and ${isLearner(pool)}
     ${query.user_id === undefined ? pool`` : pool`and n.user_id = ${query.user_id.toLowerCase()}`}`
  const [found, [counted]] = await bothOf(db.lists, user_id, [
    pool<Row[]>`
      select picked.*, done.percent::float8 as progress_percent, done.completed as episodes_completed,
             done.total as episodes_total
        from (
          select n.tenant_id, n.channel_id, n.id, n.user_id, n.user_email, n.status, n.enrolled_at, n.last_activity_at,
                 c.title, c.passing_percent::float8, c.grade_weights
                 ${from} ${after ? pool`and (n.enrolled_at, n.id) > (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
           order by n.enrolled_at, n.id limit ${query.per_page + 1} offset ${skip}) as picked,
             learning.progress_in(picked.tenant_id, picked.user_id, picked.channel_id) as done
       order by picked.enrolled_at, picked.id`,
    pool<{ total: number; title: string; passing_percent: number }[]>`
      select (select count(*)::int ${from}) as total, c.title, c.passing_percent::float8
        from learning.channels c where c.tenant_id = ${tenant_id} and c.id = ${channel_id}`,
  ])
  const { rows, next_cursor } = cutPage(found, query, order, ({ id, enrolled_at: key }) => ({ id, key }))
  const turn = inTurn(db, user_id)
  const [graded, risks, work] = await Promise.all([
    withGrades(turn, viewer, channel_id, rows),
    query.include === 'risk' ? readRisks(turn, tenant_id, channel_id) : undefined,
    query.include === 'work' ? turn.read(workIn(pool, tenant_id, channel_id)) : undefined,
  ])
  const items = graded.map(({ facts, ...learner }) => ({
    ...learner,
    ...(risks && (risks.get(learner.user_id) ?? { risk: null, reasons: [] })),
    ...(work && { results: work.map((one) => resultOf(one, facts)) }),
  }))
  const { title = '', passing_percent = 0, total = 0 } = counted ?? {}
  const channel = { id: channel_id, title, passing_percent }
  return {
    items: await withNames(names, tenant_id, items),
    total,
    next_cursor,
    channel,
    ...(work && { work: [...work] }),
  }
}

/** Adds the grade over the work of all released episodes, as the learner's own pages compute it. */
async function withGrades(turn: Reader, { tenant_id }: Viewer, channel_id: string, rows: readonly Row[]) {
  const { sql } = turn
  const user_ids = rows.map(({ user_id }) => user_id)
  const facts = await readFactsOf(
    turn,
    { tenant_id, user_ids },
    sql`array(
      select e.id from learning.episodes e
       where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id} and e.deleted_at is null
         and learning.is_released(e.status, e.release_at) and e.published_homework + e.published_tests > 0)`,
  )
  const homework = Map.groupBy(facts.homework, ({ user_id }) => user_id)
  const tests = Map.groupBy(facts.tests, ({ user_id }) => user_id)
  return rows.map(({ grade_weights, ...row }) => {
    const own = { homework: homework.get(row.user_id) ?? [], tests: tests.get(row.user_id) ?? [] }
    const { percent, final_percent } = gradeOf(marksOf(own), grade_weights)
    return {
      ...row,
      grade_percent: percent,
      final_percent,
      passed: percent === null ? null : percent >= row.passing_percent,
      facts: own as Facts,
    }
  })
}

async function readRisks({ sql, read }: Reader, tenant_id: string, channel_id: string) {
  const rows = await read(readLearners(sql, tenant_id, [channel_id]))
  return new Map(risksIn(rows).map(({ user_id, risk, reasons }) => [user_id, { risk, reasons }]))
}

/** The published work of released episodes in the order of the channel. */
const workIn = (sql: Lane, tenant_id: string, channel_id: string) => sql<Work[]>`
  select w.kind, w.id, w.title, w.episode_id, e.title as episode_title, w.max_score::float8, w.ends_at,
         coalesce(w.passing_percent, c.passing_percent)::float8 as passing_percent
    from learning.episodes e
    join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
    join lateral (
      select 'homework' as kind, h.id, h.title, h.episode_id, h.max_score, h.created_at, h.due_at as ends_at,
             null::numeric as passing_percent from learning.homework h
       where h.tenant_id = ${tenant_id} and h.episode_id = e.id and h.deleted_at is null and h.status = 'published'
      union all
      select 'test', t.id, t.title, t.episode_id, t.max_score, t.created_at, t.closes_at, t.passing_percent from learning.tests t
       where t.tenant_id = ${tenant_id} and t.episode_id = e.id and t.deleted_at is null and t.status = 'published'
    ) as w on true
   where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id} and e.deleted_at is null
     and learning.is_released(e.status, e.release_at)
   order by e.position, e.id, w.created_at, w.id limit ${MOST_WORK}`

function resultOf({ kind, id, max_score }: Work, { homework, tests }: Facts): Result {
  if (kind === 'homework') {
    const fact = homework.find(({ homework_id }) => homework_id === id)
    const earned = fact && homeworkMark(fact).earned
    const score = earned ? rounded(earned) : null
    const percent = score === null || max_score === 0 ? null : Math.round((score / max_score) * 10_000) / 100
    return {
      kind,
      id,
      status: fact?.status ?? 'none',
      score,
      percent,
      is_over: fact?.is_over ?? false,
      extended_to: fact?.is_extended ? fact.due_at : null,
    }
  }
  const fact = tests.find(({ test_id }) => test_id === id)
  const percent = fact ? keptPercent(fact) : null
  const score = percent === null ? null : Math.round(percent * max_score) / 100
  const status = fact && fact.attempts.length > 0 ? 'taken' : 'none'
  return {
    kind,
    id,
    status,
    score,
    percent,
    is_over: fact?.is_over ?? false,
    extended_to: fact?.is_extended ? fact.closes_at : null,
  }
}
