import { type Static, Type } from 'typebox'
import { CursorPageOf, CursorQuery } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'

const STATUSES = ['active', 'completed'] as const
const Percent = Nullable(Type.Number())

export const EnrollBody = Type.Object({ channel_id: Uuid })
export const Left = Type.Object({ channel_id: Uuid, left: Type.Literal(true) })

/** Work that is due soon and not handed in yet. */
export const DueItem = Type.Object({
  kind: OneOf(['homework', 'test']),
  id: Uuid,
  episode_id: Uuid,
  title: Type.String(),
  due_at: Time,
})
export type DueItem = Static<typeof DueItem>

/**
 * An enrollment with what a dashboard shows of it. Each `percent` is null while there is nothing to grade. `passed`: the channel is
 * completed, and its work earns enough whatever is still to come.
 */
export const Enrollment = Type.Object({
  id: Uuid,
  channel_id: Uuid,
  user_id: Type.String(),
  status: OneOf([...STATUSES]),
  source: OneOf(['self', 'auto']),
  enrolled_at: Time,
  last_activity_at: Time,
  completed_at: Nullable(Time),
  progress_percent: Type.Number(),
  episodes_completed: Type.Integer(),
  episodes_total: Type.Integer(),
  new_episodes_count: Type.Integer(),
  next_episode_id: Nullable(Uuid),
  grade_percent: Percent,
  final_percent: Percent,
  passing_percent: Type.Number(),
  passed: Type.Boolean(),
  due_soon: Type.Array(DueItem),
  channel: Type.Object({
    id: Uuid,
    title: Type.String(),
    thumbnail_url: Nullable(Type.String()),
    language: Type.String(),
  }),
  created_at: Time,
  updated_at: Time,
})
export type Enrollment = Static<typeof Enrollment>

export const EnrollmentQuery = Type.Object({
  ...CursorQuery.properties,
  status: Type.Optional(OneOf([...STATUSES])),
  channel_id: Type.Optional(Uuid),
  include: Type.Optional(OneOf(['activity'])),
})
export type EnrollmentQuery = Static<typeof EnrollmentQuery>

/** UTC days, oldest first. `actions` counts submissions and finished attempts. */
export const Activity = Type.Object({
  streak_days: Type.Integer(),
  days: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date' }),
      watched_seconds: Type.Number(),
      actions: Type.Integer(),
    }),
  ),
})
export type Activity = Static<typeof Activity>

export const EnrollmentPage = Type.Object({
  ...CursorPageOf(Enrollment).properties,
  activity: Type.Optional(Activity),
})
