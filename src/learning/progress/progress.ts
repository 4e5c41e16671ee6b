import { type Static, Type } from 'typebox'
import { unprocessable } from '#foundation/errors.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { type Asset, type Beat, durationOf, type Watched } from './beat.ts'
import { clip, lengthOf, union } from './ranges.ts'

/** The body of a beat. Segments beyond the ends of the video are clipped, not refused. */
export const ProgressBody = Type.Object({
  episode_id: Uuid,
  position_seconds: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 86_400 }))),
  segments: Type.Optional(
    Nullable(Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), { maxItems: 200 })),
  ),
  duration_seconds: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }))),
  completed: Type.Optional(Nullable(Type.Boolean())),
  unplayable: Type.Optional(Nullable(Type.Boolean())),
})
export type ProgressBody = Static<typeof ProgressBody>

/** The progress of a person in an episode; all zero before the first beat. */
export const Progress = Type.Object({
  episode_id: Uuid,
  channel_id: Uuid,
  position_seconds: Type.Number(),
  watched_seconds: Type.Number(),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  segments: Type.Array(Type.Array(Type.Number())),
  completed: Type.Boolean(),
  completed_at: Nullable(Time),
  completion_threshold: Type.Number(),
  updated_at: Nullable(Time),
})
export type Progress = Static<typeof Progress>

/** The beat in whole milliseconds. 422 for a segment that ends before it begins. */
export function beatOf({
  position_seconds,
  segments,
  duration_seconds,
  completed,
  unplayable,
}: ProgressBody): Beat {
  return {
    position: inMs(position_seconds),
    segments: segments?.map(([from = 0, to = 0], place) => {
      if (from > to) throw unprocessable(`segments[${place}]`, 'order', 'must not end before it begins')
      return [toMs(from), toMs(to)] as const
    }),
    // At least 1 ms, because progress divides by the duration.
    duration: duration_seconds ? Math.max(1, toMs(duration_seconds)) : undefined,
    is_completed: completed === true,
    is_unplayable: unplayable === true,
  }
}

/**
 * The response for a stored state. A shorter asset hides what was watched beyond its end; a longer one shows it again.
 */
export function progressOf(
  { position, watched, claimed, progress, is_completed }: Watched,
  asset: Asset,
  at: Pick<Progress, 'episode_id' | 'channel_id' | 'completed_at' | 'updated_at'>,
): Progress {
  const end = durationOf(asset, claimed) ?? Infinity
  const seen = union(clip(watched, end))
  return {
    ...at,
    position_seconds: Math.min(position, end) / 1_000,
    watched_seconds: lengthOf(seen) / 1_000,
    progress: progress / 1_000,
    segments: seen.map(([from, to]) => [from / 1_000, to / 1_000]),
    completed: is_completed,
    completion_threshold: asset.threshold / 1_000,
  }
}

const inMs = (seconds: number | null | undefined) =>
  seconds === null || seconds === undefined ? undefined : toMs(seconds)
const toMs = (seconds: number) => Math.round(seconds * 1_000)
