import type { Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'

/** Which row becomes which; `parent_id` is where the copy belongs. */
export type Pair = { from_id: string; to_id: string; parent_id: string }

/** Pairs with new ids, in the order of the rows. */
export const pairsOf = (
  rows: readonly { id: string; parent_id: string }[],
  parents: readonly Pair[],
): Pair[] => {
  const parent = new Map(parents.map(({ from_id, to_id }) => [from_id, to_id]))
  return rows.map(({ id, parent_id }) => ({
    from_id: id,
    to_id: newId(),
    parent_id: parent.get(parent_id) ?? parent_id,
  }))
}

const given = (tx: Tx, pairs: readonly Pair[]) => tx`
  jsonb_to_recordset(${tx.json(pairs as Pair[])}) as pair(from_id uuid, to_id uuid, parent_id uuid)`

/** Copies episodes with all they hold, behind the others of the channel `parent_id`. `status` is that of the copies. */
export async function copyEpisodes(
  tx: Tx,
  viewer: Viewer,
  pairs: readonly Pair[],
  status: 'draft' | 'as it was',
) {
  const { tenant_id } = viewer
  await tx`
    insert into learning.episodes (
      tenant_id, id, channel_id, position, title, description, status, release_at, thumbnail_url, season, authors,
      language, recorded_on, homework_count, published_homework, test_count, published_tests)
    select e.tenant_id, pair.to_id, pair.parent_id,
           e.position + (select coalesce(max(o.position), 0) from learning.episodes o
                          where o.tenant_id = e.tenant_id and o.channel_id = pair.parent_id and o.deleted_at is null),
           e.title, e.description, case when ${status === 'draft'} then 'draft' else e.status end, e.release_at,
           e.thumbnail_url, e.season, e.authors, e.language, e.recorded_on, e.homework_count, e.published_homework,
           e.test_count, e.published_tests
      from ${given(tx, pairs)} join learning.episodes e on e.tenant_id = ${tenant_id} and e.id = pair.from_id`
  await tx`
    insert into learning.videos (
      tenant_id, episode_id, id, url, poster_url, kind, mime_type, embed_url, duration_seconds, width, height,
      size_bytes, sha256, sources, chapters, captions, transcript, completion_threshold, strict_watch)
    select v.tenant_id, pair.to_id, pair.to_id, v.url, v.poster_url, v.kind, v.mime_type, v.embed_url,
           v.duration_seconds, v.width, v.height, v.size_bytes, v.sha256, v.sources, v.chapters, v.captions,
           v.transcript, v.completion_threshold, v.strict_watch
      from ${given(tx, pairs)} join learning.videos v on v.tenant_id = ${tenant_id} and v.episode_id = pair.from_id`
  const ids = pairs.map(({ from_id }) => from_id)
  await copyHomework(
    tx,
    viewer,
    pairsOf(
      await tx<{ id: string; parent_id: string }[]>`
        select h.id, h.episode_id as parent_id from learning.homework h
         where h.tenant_id = ${tenant_id} and h.episode_id = any(${ids}) and h.deleted_at is null
         order by h.created_at, h.id`,
      pairs,
    ),
  )
  await copyTests(
    tx,
    viewer,
    pairsOf(
      await tx<{ id: string; parent_id: string }[]>`
        select t.id, t.episode_id as parent_id from learning.tests t
         where t.tenant_id = ${tenant_id} and t.episode_id = any(${ids}) and t.deleted_at is null
         order by t.created_at, t.id`,
      pairs,
    ),
    'as it was',
  )
}

async function copyHomework(tx: Tx, { tenant_id }: Viewer, pairs: readonly Pair[]) {
  await tx`
    insert into learning.homework (
      tenant_id, id, episode_id, title, instructions, status, submission_types, max_score, due_at, lock_at,
      late_policy, late_penalty_percent_per_day, late_penalty_max_percent, max_submissions, rubric)
    select h.tenant_id, pair.to_id, pair.parent_id, h.title, h.instructions, h.status, h.submission_types, h.max_score,
           h.due_at, h.lock_at, h.late_policy, h.late_penalty_percent_per_day, h.late_penalty_max_percent,
           h.max_submissions, h.rubric
      from ${given(tx, pairs)} join learning.homework h on h.tenant_id = ${tenant_id} and h.id = pair.from_id
     order by h.created_at, h.id`
}

/** Copies tests with their questions as they are now; no attempt comes along. `parent_id` is the episode. */
export async function copyTests(
  tx: Tx,
  { tenant_id, user_id }: Viewer,
  pairs: readonly Pair[],
  status: 'draft' | 'as it was',
) {
  await tx`
    insert into learning.tests (
      tenant_id, id, episode_id, title, description, status, max_attempts, retry_delay_seconds, time_limit_seconds,
      opens_at, closes_at, passing_percent, score_policy, shuffle_questions, shuffle_options, feedback_policy,
      show_explanations, question_count, max_score, key_version)
    select t.tenant_id, pair.to_id, pair.parent_id, t.title, t.description,
           case when ${status === 'draft'} then 'draft' else t.status end, t.max_attempts, t.retry_delay_seconds,
           t.time_limit_seconds, t.opens_at, t.closes_at, t.passing_percent, t.score_policy, t.shuffle_questions,
           t.shuffle_options, t.feedback_policy, t.show_explanations, t.question_count, t.max_score, 1
      from ${given(tx, pairs)} join learning.tests t on t.tenant_id = ${tenant_id} and t.id = pair.from_id
     order by t.created_at, t.id`
  const questions = pairsOf(
    await tx<{ id: string; parent_id: string }[]>`
      select q.id, q.test_id as parent_id from learning.questions q
       where q.tenant_id = ${tenant_id} and q.test_id = any(${pairs.map(({ from_id }) => from_id)})
         and q.deleted_at is null
       order by q.position, q.id`,
    pairs,
  )
  await tx`
    insert into learning.questions (tenant_id, id, test_id, type, position, version, since)
    select q.tenant_id, pair.to_id, pair.parent_id, q.type, q.position, 1, 1
      from ${given(tx, questions)} join learning.questions q on q.tenant_id = ${tenant_id} and q.id = pair.from_id`
  await tx`
    insert into learning.question_versions (
      tenant_id, question_id, version, key_version, regrade, prompt, points, scoring, explanation, body, written_by)
    select q.tenant_id, pair.to_id, 1, 1, 'none', v.prompt, v.points, v.scoring, v.explanation, v.body, ${user_id}
      from ${given(tx, questions)}
      join learning.questions q on q.tenant_id = ${tenant_id} and q.id = pair.from_id
      join learning.question_versions v
        on v.tenant_id = q.tenant_id and v.question_id = q.id and v.version = q.version`
}
