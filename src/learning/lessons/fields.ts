import { isDeepStrictEqual } from 'node:util'
import { isUuid } from '#foundation/ids.ts'

/*
 * The fields of a lesson, by name: those of the episode as they are, `video.url`, `homework.<id>.title` and
 * `test.<id>.status`.
 */

const EPISODE = [
  'title',
  'description',
  'release_at',
  'thumbnail_url',
  'season',
  'authors',
  'language',
  'recorded_on',
] as const
const VIDEO = [
  'url',
  'poster_url',
  'duration_seconds',
  'sources',
  'chapters',
  'captions',
  'transcript',
  'completion_threshold',
  'strict_watch',
] as const
const HOMEWORK = [
  'title',
  'instructions',
  'status',
  'submission_types',
  'max_score',
  'weight',
  'due_at',
  'lock_at',
  'late_policy',
  'late_penalty_percent_per_day',
  'late_penalty_max_percent',
  'max_submissions',
  'rubric',
] as const

const FIELDS = {
  episode: new Set<string>(EPISODE),
  video: new Set<string>(VIDEO),
  homework: new Set<string>(HOMEWORK),
  test: new Set(['status']),
}

/** Which thing of the lesson a name means. `id` is empty for the episode and its video. */
export type Place = { part: keyof typeof FIELDS; id: string; field: string }

/** Undefined for a name that no lesson has. */
export function placeOf(name: string): Place | undefined {
  const parts = name.split('.')
  const [part = '', id = '', field = ''] = parts
  if (parts.length === 1 && FIELDS.episode.has(part)) return { part: 'episode', id: '', field: part }
  if (parts.length === 2 && part === 'video' && FIELDS.video.has(id)) return { part, id: '', field: id }
  if (parts.length !== 3 || (part !== 'homework' && part !== 'test')) return undefined
  return isUuid(id) && id === id.toLowerCase() && FIELDS[part].has(field) ? { part, id, field } : undefined
}

/** Levels of a value that an author types; a rubric has two. */
const MAX_DEPTH = 4

export const isTooDeep = (value: unknown, levels = MAX_DEPTH): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)))

/** Equal values, whatever the order of their members: jsonb has an order of its own. */
export const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one, other)
