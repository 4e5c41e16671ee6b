import type { Lane } from '#foundation/database/database.ts'
import type { KeyOption } from '../exams/kinds/choice.ts'
import type { Target } from '../finding.ts'

export type CourseText = {
  id: string
  text: string
  /** The transcript of the video, cut at 24,000 characters. */
  transcript: string
  duration_seconds: number | null
  /** This and the next two are only set for a question. */
  prompt: string
  explanation: string
  options: KeyOption[]
}

const TRANSCRIPT = 24_000
const TEXT = 6_000

/** Reads titles, descriptions, transcripts and questions. It reads no names, and nothing that learners wrote or did. */
export async function readCourseTexts(
  sql: Lane,
  tenant_id: string,
  targets: readonly Target[],
): Promise<Map<string, CourseText>> {
  const ids = (...types: Target['type'][]) =>
    targets.filter(({ type }) => types.includes(type)).map(({ id }) => id)
  const nothing = sql`'' as prompt, '' as explanation, '[]'::jsonb as options`
  const ofEpisode = sql`
    'Channel: ' || c.title || E'\nEpisode: ' || e.title || E'\n' || e.description as text,
    coalesce(left(v.transcript, ${TRANSCRIPT}), '') as transcript, v.duration_seconds::float8`
  const rows = await sql<CourseText[]>`
    select c.id, left(c.title || E'\n' || c.description || E'\n' || coalesce((
             select string_agg(e.title || ': ' || left(e.description, 200), E'\n' order by e.position, e.id)
               from learning.episodes e
              where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null), ''), ${TEXT}) as text,
           '' as transcript, null::float8 as duration_seconds, ${nothing}
      from learning.channels c
     where c.tenant_id = ${tenant_id} and c.id = any(${ids('channel')})
     union all
    select e.id, ${ofEpisode}, ${nothing}
      from learning.episodes e
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
      left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
     where e.tenant_id = ${tenant_id} and e.id = any(${ids('episode', 'video')})
     union all
    select t.id, ${ofEpisode}, ${nothing}
      from learning.tests t
      join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
      left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
     where t.tenant_id = ${tenant_id} and t.id = any(${ids('test')})
     union all
    select q.id, left('Question: ' || w.prompt || coalesce(E'\n' || (
             select string_agg('- ' || (option ->> 'text') || case when (option ->> 'correct')::boolean then ' (right)' else '' end, E'\n')
               from jsonb_array_elements(w.body -> 'options') as option), ''), ${TEXT}) as text,
           '' as transcript, null::float8, w.prompt, w.explanation, coalesce(w.body -> 'options', '[]')
      from learning.questions q
      join learning.question_versions w on w.tenant_id = q.tenant_id and w.question_id = q.id and w.version = q.version
     where q.tenant_id = ${tenant_id} and q.id = any(${ids('question')})`
  return new Map(rows.map((row) => [row.id, row]))
}
