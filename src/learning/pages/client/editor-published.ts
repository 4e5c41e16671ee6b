import type { Lesson } from './episode-edit.ts'
import type { ShownVideo } from './video-form.ts'

/* What learners see of a lesson, by the names of its fields. */

export const EPISODE = [
  'title',
  'description',
  'release_at',
  'thumbnail_url',
  'season',
  'authors',
  'language',
  'recorded_on',
] as const
const NO_VIDEO: ShownVideo = {
  url: '',
  duration_seconds: null,
  poster_url: null,
  sources: [],
  captions: [],
  chapters: [],
  transcript: '',
  completion_threshold: null,
  strict_watch: false,
}
export const VIDEO = Object.keys(NO_VIDEO) as (keyof ShownVideo)[]

export function publishedOf({ episode, video }: Lesson): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const name of EPISODE) shown[name] = episode[name]
  for (const name of VIDEO) shown[`video.${name}`] = (video ?? NO_VIDEO)[name]
  return shown
}
