import type { Tx } from '#foundation/database/database.ts'
import { type Filling, phrase } from './generate-words.ts'

/** `rows` are channels here, and `people` those who may learn. */
type Learning = Filling & { people?: number }

/** Channels with their editors, episodes and videos, and what learners did in them. */
export async function fillLearning(tx: Tx, filling: Learning): Promise<void> {
  await fillChannels(tx, filling)
  await fillEpisodes(tx, filling)
  await fillLearners(tx, filling)
  await fillWork(tx, filling)
}

/** A hundred channels belong to the person, the others to few busy people and many others. */
async function fillChannels(tx: Tx, { rows, tenant_id, user_id }: Filling) {
  await tx`
    insert into learning.channels (
      tenant_id, id, owner_id, instructor_ids, title, description, language, category, level, tags, status, enrollment,
      visibility, sequential, completion_threshold, passing_percent, created_at, updated_at, published_at)
    select ${tenant_id}, pg_temp.id('channel', n),
           case when n % greatest(10, ${rows}::int / 100) = 0 then ${user_id}
                else pg_temp.id('person', 1 + pg_temp.skewed(n, 21, ${rows}::int))::text end, '{}',
           initcap(${phrase(tx, tx`n`, 22, 3)}) || ' ' || n, ${phrase(tx, tx`n`, 23, 8)},
           (array['en', 'de', 'fr', 'es', 'ja', 'sw'])[1 + pg_temp.skewed(n, 24, 6)],
           nullif(pg_temp.word(pg_temp.skewed(n, 25, 20)), pg_temp.word(0)),
           (array['all', 'beginner', 'intermediate', 'advanced'])[1 + pg_temp.skewed(n, 26, 4)],
           array[pg_temp.word(pg_temp.skewed(n, 27, 200)), pg_temp.word(200 + pg_temp.skewed(n, 28, 200))],
           case pg_temp.pick(n, 29, 20) when 0 then 'draft' when 1 then 'archived' else 'published' end, 'open',
           (array['tenant', 'public', 'private'])[1 + pg_temp.skewed(n, 30, 3)], false, 0.9, 60, at, at, at
      from generate_series(1, ${rows}::int) as n, lateral (select timestamptz '2025-12-31Z' - n * interval '13 s' as at) as made`
  await tx`
    insert into learning.channel_tenants (channel_id, tenant_id)
    select id, tenant_id from learning.channels where tenant_id = ${tenant_id} on conflict do nothing`
  // The statistics may know nothing of this tenant: PostgreSQL would expect one row and join row by row.
  await tx`analyze learning.channels`
  await tx`
    insert into learning.channel_editors (tenant_id, user_id, channel_id, created_at, is_unlisted)
    select tenant_id, owner_id, c.id, created_at, not is_listed
      from generate_series(1, ${rows}::int) as n join learning.channels c on c.tenant_id = ${tenant_id} and c.id = pg_temp.id('channel', n)`
  await tx`
    insert into learning.channel_counts (tenant_id, listed, live)
    select ${tenant_id}, count(*) filter (where is_listed), count(*) from learning.channels
     where tenant_id = ${tenant_id} and deleted_at is null
    on conflict (tenant_id) do update set listed = excluded.listed, live = excluded.live`
}

/** Every tenth channel has ten episodes, each with a video. */
async function fillEpisodes(tx: Tx, { rows, tenant_id }: Filling) {
  const channel = tx`pg_temp.id('channel', (n - 1) / 10 * 10 + 1)`
  await tx`
    insert into learning.episodes (tenant_id, id, channel_id, position, title, description, status, season, authors)
    select ${tenant_id}, pg_temp.id('episode', n), ${channel}, 1 + (n - 1) % 10, initcap(${phrase(tx, tx`n`, 31, 3)}),
           ${phrase(tx, tx`n`, 32, 8)}, 'published', 1, '{}'
      from generate_series(1, ${rows}::int) as n`
  await tx`
    insert into learning.videos (tenant_id, episode_id, id, url, kind, mime_type, duration_seconds, sources, chapters, captions,
                                 transcript, strict_watch)
    select ${tenant_id}, pg_temp.id('episode', n), pg_temp.id('video', n), 'https://media.example.org/' || n || '.mp4', 'file',
           'video/mp4', 60 + pg_temp.skewed(n, 33, 3600), '[]', '[]', '[]', '', false
      from generate_series(1, ${rows}::int) as n`
  await tx`analyze learning.episodes, learning.videos`
  await tx`
    update learning.channels c
       set episode_count = sums.episodes, published_count = sums.episodes, duration_seconds = sums.seconds, published_seconds = sums.seconds
      from (select e.channel_id, count(*) as episodes, sum(v.duration_seconds) as seconds
              from learning.episodes e join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
             where e.tenant_id = ${tenant_id} group by e.channel_id) as sums
     where c.tenant_id = ${tenant_id} and c.id = sums.channel_id`
}

/** Most learners are in few channels; the person is in a hundred, and has begun them. */
async function fillLearners(tx: Tx, { rows, people = rows, progress = rows, tenant_id, user_id }: Learning) {
  await tx`
    insert into learning.enrollments (tenant_id, user_id, channel_id, id, user_email, status, source, enrolled_at, last_activity_at)
    select ${tenant_id}, person, channel, pg_temp.id('enrollment', n), 'learner@example.org', 'active', 'self',
           timestamptz '2025-06-01Z' + n * interval '1 s', timestamptz '2025-12-31Z' - n * interval '19 s'
      from (select n, pg_temp.id('person', n)::text as person, pg_temp.id('channel', 1 + pg_temp.skewed(n, 34, ${rows}::int)) as channel
              from generate_series(1, ${rows}::int) as n
            union all
            select ${rows}::int + n, ${user_id}, pg_temp.id('channel', (n - 1) * 10 + 1) from generate_series(1, least(${rows}::int / 10, 100)) as n) as every
    on conflict do nothing`
  await tx`
    insert into learning.progress (tenant_id, user_id, episode_id, position_ms, watched, progress, updated_at)
    select ${tenant_id}, person, episode, 30000, '{[0,30000)}', pg_temp.pick(n, 35, 1000) / 1000.0, timestamptz '2025-12-31Z'
      from (select n, pg_temp.id('person', 1 + (n - 1) % ${people}::int)::text as person,
                   pg_temp.id('episode', 1 + pg_temp.skewed(n, 36, ${rows}::int)) as episode
              from generate_series(1, ${progress}::int) as n
            union all
            select n, ${user_id}, pg_temp.id('episode', n) from generate_series(1, least(${rows}::int, 1000), 10) as n) as every
    on conflict do nothing`
}

/** Homework and a test in every tenth episode; the first of each has been done by one person in ten. */
async function fillWork(tx: Tx, { rows, seed, tenant_id, user_id }: Filling) {
  await tx`
    insert into learning.homework (tenant_id, id, episode_id, title, instructions, status, submission_types, max_score,
                                   late_policy, late_penalty_percent_per_day, late_penalty_max_percent, max_submissions, rubric)
    select ${tenant_id}, pg_temp.id('homework', n), pg_temp.id('episode', n), initcap(${phrase(tx, tx`n`, 37, 2)}), '', 'published',
           '{text}', 100, 'accept', 0, 0, 0, '[]'
      from generate_series(1, ${rows}::int, 10) as n`
  await tx`
    insert into learning.tests (tenant_id, id, episode_id, title, description, status, max_attempts, retry_delay_seconds, score_policy,
                                shuffle_questions, shuffle_options, feedback_policy, show_explanations)
    select ${tenant_id}, pg_temp.id('test', n), pg_temp.id('episode', n), initcap(${phrase(tx, tx`n`, 38, 2)}), '', 'published', 0, 0,
           'best', false, false, 'per_question', true
      from generate_series(1, ${rows}::int, 10) as n`
  await tx`
    update learning.episodes e set homework_count = 1, published_homework = 1, test_count = 1, published_tests = 1
      from generate_series(1, ${rows}::int, 10) as n where e.tenant_id = ${tenant_id} and e.id = pg_temp.id('episode', n)`
  await tx`
    insert into learning.submissions (tenant_id, id, homework_id, user_id, user_email, attempt_number, text, attachments,
                                      submitted_at, is_preview, is_current, status, score)
    select ${tenant_id}, pg_temp.id('submission', n), pg_temp.id('homework', 1), pg_temp.id('person', n), 'learner@example.org', 1,
           ${phrase(tx, tx`n`, 39, 8)}, '[]', timestamptz '2025-12-31Z' - n * interval '1 min', false, true,
           case when pg_temp.pick(n, 40, 5) = 0 then 'submitted' else 'graded' end, 50 + pg_temp.pick(n, 41, 50)
      from generate_series(1, ${rows}::int / 10) as n`
  await tx`
    insert into learning.attempts (tenant_id, id, test_id, user_id, number, status, is_preview, opened_at, submitted_at, key_version,
                                   graded_version, score, max_score)
    select ${tenant_id}, pg_temp.id('attempt', n), pg_temp.id('test', 1), pg_temp.id('person', n), 1, 'graded', false,
           timestamptz '2025-12-30Z' - n * interval '1 min', timestamptz '2025-12-30Z' - n * interval '1 min', 0, 0,
           pg_temp.pick(n, 42, 10), 10
      from generate_series(1, ${rows}::int / 10) as n`
  await tx`
    insert into learning.suggestions (tenant_id, id, agent_type, kind, status, severity, title, body, evidence, channel_id, target_type,
                                      target_id, target_title, target_stamp, confidence, source, run_id, fingerprint, created_at, reviewed_by)
    select ${tenant_id}, pg_temp.id('suggestion', n), case when n % 3 = 0 then 'engagement' else 'content' end,
           (array['no_captions', 'hard_question', 'drop_off'])[1 + pg_temp.skewed(n, 43, 3)],
           case when pg_temp.pick(n, 44, 20) = 0 then 'pending' else 'rejected' end, 'info', initcap(${phrase(tx, tx`n`, 45, 4)}), '', '{}',
           pg_temp.id('channel', 1 + pg_temp.pick(n, 46, ${rows}::int)), 'channel', pg_temp.id('channel', 1), '', '', 0.5, 'heuristic',
           pg_temp.id('run', 1), 'generated ' || ${seed}::int || '-' || n, timestamptz '2025-12-31Z' - n * interval '11 s', ${user_id}
      from generate_series(1, ${rows}::int) as n`
}
