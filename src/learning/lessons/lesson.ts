import type { Lane } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { EPISODE_STATUSES } from '../episodes/episode.ts'

type Status = (typeof EPISODE_STATUSES)[number]

/** What learners see of a lesson: its fields by name, and what a publication needs to know of it. */
export type Lesson = {
  status: Status
  fields: Map<string, unknown>
  /** The tests without questions, which nobody can take. */
  empty_tests: Set<string>
}

type Row = {
  status: Status
  episode: object
  video: object | null
  homework: (object & { id: string })[]
  tests: { id: string; status: string; question_count: number }[]
}

/** The fields of a lesson without a video. */
const NO_VIDEO = {
  url: '',
  poster_url: null,
  duration_seconds: null,
  sources: [],
  chapters: [],
  captions: [],
  transcript: '',
  completion_threshold: null,
  strict_watch: false,
}

/** Reads the lesson as it is published, in one statement. 404 for a deleted episode. */
export async function readLesson(sql: Lane, tenant_id: string, episode_id: string): Promise<Lesson> {
  const [row] = await sql<Row[]>`
    select e.status,
           jsonb_build_object('title', e.title, 'description', e.description, 'release_at', ${moment(sql, sql`e.release_at`)},
             'thumbnail_url', e.thumbnail_url, 'season', e.season, 'authors', e.authors, 'language', e.language,
             'recorded_on', e.recorded_on) as episode,
           (select jsonb_build_object('url', v.url, 'poster_url', v.poster_url, 'duration_seconds', v.duration_seconds::float8,
                     'sources', v.sources, 'chapters', v.chapters, 'captions', v.captions, 'transcript', v.transcript,
                     'completion_threshold', v.completion_threshold::float8, 'strict_watch', v.strict_watch)
              from learning.videos v where v.tenant_id = ${tenant_id} and v.episode_id = e.id) as video,
           (select coalesce(jsonb_agg(jsonb_build_object('id', h.id, 'title', h.title, 'instructions', h.instructions,
                     'status', h.status, 'submission_types', h.submission_types, 'max_score', h.max_score::float8,
                     'weight', h.weight::float8, 'due_at', ${moment(sql, sql`h.due_at`)},
                     'lock_at', ${moment(sql, sql`h.lock_at`)}, 'late_policy', h.late_policy,
                     'late_penalty_percent_per_day', h.late_penalty_percent_per_day::float8,
                     'late_penalty_max_percent', h.late_penalty_max_percent::float8,
                     'max_submissions', h.max_submissions, 'rubric', h.rubric)), '[]')
              from learning.homework h
             where h.tenant_id = ${tenant_id} and h.episode_id = e.id and h.deleted_at is null) as homework,
           (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'status', t.status,
                     'question_count', t.question_count)), '[]')
              from learning.tests t
             where t.tenant_id = ${tenant_id} and t.episode_id = e.id and t.deleted_at is null) as tests
      from learning.episodes e
     where e.tenant_id = ${tenant_id} and e.id = ${episode_id} and e.deleted_at is null`
  if (!row) throw notFound()
  const { status, episode, video, homework, tests } = row
  const fields = new Map<string, unknown>(Object.entries(episode))
  const add = (prefix: string, thing: object) => {
    for (const [name, value] of Object.entries(thing)) fields.set(`${prefix}.${name}`, value)
  }
  add('video', video ?? NO_VIDEO)
  for (const { id, ...one } of homework) add(`homework.${id}`, one)
  for (const one of tests) fields.set(`test.${one.id}.status`, one.status)
  const empty_tests = new Set(tests.filter((one) => one.question_count === 0).map(({ id }) => id))
  return { status, fields, empty_tests }
}

/** SQL for a time as the API tells it. */
const moment = (sql: Lane, column: ReturnType<Lane>) => sql`
  to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
