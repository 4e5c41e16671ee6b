import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { Episode, EpisodeChange, MAX_EPISODES, NewEpisode } from '../episodes/episode.ts'

export const LEVELS = ['all', 'beginner', 'intermediate', 'advanced'] as const
export const STATUSES = ['draft', 'published', 'archived'] as const
export const ENROLLMENTS = ['open', 'closed'] as const
export const VISIBILITIES = ['public', 'tenant', 'private'] as const

const UserId = Type.String({ minLength: 1, maxLength: 200 })
const Title = Type.String({ minLength: 1, maxLength: 200 })
const optionalWord = <const T extends string[]>(words: T) => Type.Optional(Nullable(OneOf(words)))
const Percent = Type.Number({ minimum: 0, maximum: 100 })

const given = {
  description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  language: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 35 }))),
  category: Type.Optional(Nullable(Type.String({ maxLength: 80 }))),
  level: optionalWord([...LEVELS]),
  tags: Type.Optional(Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { maxItems: 20 }))),
  thumbnail_url: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 2048 }))),
  status: optionalWord([...STATUSES]),
  enrollment: optionalWord([...ENROLLMENTS]),
  visibility: optionalWord([...VISIBILITIES]),
  sequential: Type.Optional(Nullable(Type.Boolean())),
  completion_threshold: Type.Optional(Nullable(Type.Number({ minimum: 0.5, maximum: 1 }))),
  passing_percent: Type.Optional(Nullable(Percent)),
  grade_weights: Type.Optional(Nullable(Type.Object({ homework: Percent, tests: Percent }))),
  instructor_ids: Type.Optional(Nullable(Type.Array(UserId, { maxItems: 20 }))),
  owner_id: Type.Optional(Nullable(UserId)),
}

export const NewChannel = Type.Object({
  title: Title,
  ...given,
  external_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500 }))),
  episodes: Type.Optional(Nullable(Type.Array(NewEpisode, { maxItems: MAX_EPISODES }))),
})
export type NewChannel = Static<typeof NewChannel>

export const ChannelChange = Type.Object({
  title: Type.Optional(Title),
  ...given,
  episodes: Type.Optional(Nullable(Type.Array(EpisodeChange, { maxItems: MAX_EPISODES }))),
})
export type ChannelChange = Static<typeof ChannelChange>

const shown = {
  id: Uuid,
  title: Type.String(),
  description: Type.String(),
  language: Type.String(),
  category: Nullable(Type.String()),
  level: OneOf([...LEVELS]),
  tags: Type.Array(Type.String()),
  thumbnail_url: Nullable(Type.String()),
  status: OneOf([...STATUSES]),
  enrollment: OneOf([...ENROLLMENTS]),
  visibility: OneOf([...VISIBILITIES]),
  sequential: Type.Boolean(),
  completion_threshold: Type.Number(),
  passing_percent: Type.Number(),
  grade_weights: Nullable(Type.Object({ homework: Type.Number(), tests: Type.Number() })),
  instructor_ids: Type.Array(Type.String()),
  owner_id: Type.String(),
  external_id: Nullable(Type.String()),
  version: Type.Integer(),
  episode_count: Type.Integer(),
  duration_seconds: Type.Number(),
  published_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  enrollment_count: Type.Integer(),
  my: Type.Object({
    enrolled: Type.Boolean(),
    progress_percent: Type.Number(),
    next_episode_id: Nullable(Uuid),
    can_edit: Type.Boolean(),
    can_delete: Type.Boolean(),
  }),
}

/** A channel in lists. The order of the fields is fixed. */
export const ListedChannel = Type.Object(shown)
export type ListedChannel = Static<typeof ListedChannel>
/** What the learners of a channel do, without its editors. Weeks begin on Monday (UTC), oldest first. */
export const ChannelStats = Type.Object({
  enrolled: Type.Integer(),
  started: Type.Integer(),
  completed: Type.Integer(),
  weekly_activity: Type.Array(
    Type.Object({
      week: Type.String({ format: 'date' }),
      learners: Type.Integer(),
      watched_seconds: Type.Number(),
    }),
  ),
})
export type ChannelStats = Static<typeof ChannelStats>
/** A single channel with its episodes. Editors who ask for it also get `stats`. */
export const Channel = Type.Object({
  ...shown,
  episodes: Type.Array(Episode),
  stats: Type.Optional(ChannelStats),
})
export type Channel = Static<typeof Channel>
export const ChannelInclude = Type.Object({ include: Type.Optional(OneOf(['stats'])) })
export const DeletedChannel = Type.Object({ id: Uuid, deleted: Type.Literal(true), deleted_at: Time })
