import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { VideoBody, VideoSummary } from '../media/video.ts'

export const EPISODE_STATUSES = ['draft', 'published'] as const
/** The maximum of live episodes in one channel (docs/learning.md). */
export const MAX_EPISODES = 500

const Title = Type.String({ minLength: 1, maxLength: 200 })

const given = {
  description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  status: Type.Optional(Nullable(OneOf([...EPISODE_STATUSES]))),
  release_at: Type.Optional(Nullable(Time)),
  thumbnail_url: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 2048 }))),
  season: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 1_000 }))),
  authors: Type.Optional(
    Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 120 }), { maxItems: 20 })),
  ),
  language: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 35 }))),
  recorded_on: Type.Optional(Nullable(Type.String({ format: 'date' }))),
  video: Type.Optional(Nullable(VideoBody)),
}

/** An element of POST. It is always a new episode, so that a channel that was read can be posted as a copy. */
export const NewEpisode = Type.Object({ title: Title, ...given })
export type NewEpisode = Static<typeof NewEpisode>

/** An element of PUT: a change with `id`, a new episode without it. */
export const EpisodeChange = Type.Object({
  id: Type.Optional(Nullable(Uuid)),
  deleted: Type.Optional(Nullable(Type.Boolean())),
  title: Type.Optional(Title),
  ...given,
})
export type EpisodeChange = Static<typeof EpisodeChange>

/** An episode within its channel. The order of the fields is fixed. */
export const Episode = Type.Object({
  id: Uuid,
  channel_id: Uuid,
  position: Type.Integer(),
  title: Type.String(),
  description: Type.String(),
  status: OneOf([...EPISODE_STATUSES]),
  release_at: Nullable(Time),
  thumbnail_url: Nullable(Type.String()),
  season: Type.Integer(),
  authors: Type.Array(Type.String()),
  language: Nullable(Type.String()),
  recorded_on: Nullable(Type.String({ format: 'date' })),
  duration_seconds: Nullable(Type.Number()),
  video: Nullable(VideoSummary),
  created_at: Time,
  updated_at: Time,
  homework_count: Type.Integer(),
  test_count: Type.Integer(),
  my: Type.Object({
    progress: Type.Number(),
    position_seconds: Type.Number(),
    completed: Type.Boolean(),
    locked: Type.Boolean(),
  }),
})
export type Episode = Static<typeof Episode>
