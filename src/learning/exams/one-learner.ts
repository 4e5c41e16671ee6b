import { type Static, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { ApiError, notFound } from '#foundation/errors.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import type { Learning } from '../learning.ts'
import { withNames } from '../names.ts'
import { lockTest, notAnEditor, openTest } from './access.ts'
import { allowedAttempts } from './allowed-attempts.ts'
import { percentOf, shownPoints } from './kept.ts'

export const LearnerQuery = Type.Object({
  user_id: Type.Optional(Uuid),
  before: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
})
export type LearnerQuery = Static<typeof LearnerQuery>

/** The attempts of one learner at a test, 100 at most, the latest first. `before` a number continues them. */
export const LearnerAttempts = Type.Object({
  test_id: Uuid,
  user_id: Type.String(),
  user_email: Nullable(Type.String()),
  display_name: Nullable(Type.String()),
  max_attempts: Type.Integer(),
  extra_attempts: Type.Integer(),
  attempt_total: Type.Integer(),
  attempts: Type.Array(
    Type.Object({
      id: Uuid,
      number: Type.Integer(),
      status: OneOf(['open', 'graded', 'expired']),
      started_at: Time,
      submitted_at: Nullable(Time),
      score: Type.Number(),
      max_score: Type.Number(),
      percent: Nullable(Type.Number()),
    }),
  ),
})
export type LearnerAttempts = Static<typeof LearnerAttempts>

export const ExtraAttempts = Type.Object({
  user_id: Uuid,
  extra_attempts: Type.Integer({ minimum: 0, maximum: 100 }),
})
export type ExtraAttempts = Static<typeof ExtraAttempts>

const MOST = 100

/**
 * What one learner did at a test: the caller, or for editors whom they name. 404, and 403 for another learner's
 * attempts to those who do not edit the channel.
 */
export async function learnerAttempts(
  { db, names }: Learning,
  viewer: Viewer,
  test_id: string,
  { user_id = viewer.user_id, before }: LearnerQuery,
): Promise<LearnerAttempts> {
  const { tenant_id } = viewer
  const { episode } = await openTest(db.fast, viewer, test_id)
  if (user_id !== viewer.user_id && !episode.is_editor) throw notAnEditor()
  const [rows, [standing]] = await Promise.all([
    db.fast<LearnerAttempts['attempts']>`
      select id, number, learning.attempt_status(status, expires_at) as status, opened_at as started_at,
             case when learning.attempt_status(status, expires_at) = 'expired' then coalesce(submitted_at, expires_at)
                  else submitted_at end as submitted_at, score::float8, max_score::float8
        from learning.attempts
       where tenant_id = ${tenant_id} and test_id = ${test_id} and user_id = ${user_id}
             ${before === undefined ? db.fast`` : db.fast`and number < ${before}`}
       order by number desc limit ${MOST}`,
    db.fast<Pick<LearnerAttempts, 'user_email' | 'max_attempts' | 'extra_attempts' | 'attempt_total'>[]>`
      select t.max_attempts, n.user_email,
             case when t.max_attempts > 0 then ${allowedAttempts(db.fast, user_id)} - t.max_attempts else 0 end
               as extra_attempts,
             (select count(*) from learning.attempts a
               where a.tenant_id = t.tenant_id and a.test_id = t.id and a.user_id = ${user_id})::int as attempt_total
        from learning.tests t
        left join learning.enrollments n
          on n.tenant_id = t.tenant_id and n.user_id = ${user_id} and n.channel_id = ${episode.channel_id}
       where t.tenant_id = ${tenant_id} and t.id = ${test_id} and t.deleted_at is null`,
  ])
  if (!standing) throw notFound()
  const attempts = rows.map((row) => ({
    ...row,
    score: shownPoints(row.score),
    max_score: shownPoints(row.max_score),
    percent: row.status === 'open' ? null : percentOf(row.score, row.max_score),
  }))
  const [learner] = await withNames(names, tenant_id, [{ user_id }])
  return { ...standing, display_name: learner?.display_name ?? null, test_id, user_id, attempts }
}

/**
 * Takes one attempt back: it counts no more, and the learner may begin another in its place. The row is kept with who
 * did it. 404 for an unknown or foreign attempt, 403 without the right to edit.
 */
export async function resetAttempt({ db }: Learning, viewer: Viewer, attempt_id: string): Promise<void> {
  const { tenant_id, user_id } = viewer
  await db.transaction(async (tx) => {
    const [known] = await tx<{ test_id: string; user_id: string }[]>`
      select test_id, user_id from learning.attempts where tenant_id = ${tenant_id} and id = ${attempt_id}`
    if (!known) throw notFound()
    // Learners do not learn which ids the attempts of others have.
    await lockTest(tx, viewer, known.test_id).catch((error: unknown) => {
      throw error instanceof ApiError && known.user_id !== user_id ? notFound() : error
    })
    const [reset] = await tx<{ id: string }[]>`
      with gone as (
        delete from learning.attempts where tenant_id = ${tenant_id} and id = ${attempt_id} returning *)
      insert into learning.reset_attempts (tenant_id, id, test_id, user_id, attempt, reset_by)
      select tenant_id, id, test_id, user_id, to_jsonb(gone) - 'tenant_id', ${user_id} from gone
      returning id`
    if (!reset) throw notFound()
  })
}

/**
 * Sets how many attempts a learner has beyond those of the test. 404 for an unknown test and for somebody who is not
 * enrolled in its channel, 403 without the right to edit.
 */
export async function grantAttempts(
  { db }: Learning,
  viewer: Viewer,
  test_id: string,
  { user_id, extra_attempts }: ExtraAttempts,
): Promise<ExtraAttempts> {
  const { tenant_id } = viewer
  return db.transaction(async (tx) => {
    await lockTest(tx, viewer, test_id)
    const granted = await tx<ExtraAttempts[]>`
      insert into learning.extra_attempts (tenant_id, test_id, user_id, extra_attempts, granted_by)
      select n.tenant_id, t.id, n.user_id, ${extra_attempts}, ${viewer.user_id}
        from learning.tests t
        join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id
        join learning.enrollments n
          on n.tenant_id = e.tenant_id and n.channel_id = e.channel_id and n.user_id = ${user_id}
       where t.tenant_id = ${tenant_id} and t.id = ${test_id}
      on conflict (tenant_id, test_id, user_id) do update
        set extra_attempts = excluded.extra_attempts, granted_by = excluded.granted_by,
            granted_at = clock_timestamp()
      returning user_id, extra_attempts`
    if (granted.length === 0) throw notFound()
    return one(granted)
  })
}
