-- The schema learning of an empty database, in place of the migrations below (docs/decisions/schema-snapshot.md).
-- Written by test/schema.test.ts --write: edit the migrations, not this file.
-- 0001_channels.sql 715d6cb5ff0e7bdd32ba6cde00aecd8d8d3535f799b06f7dc893178a121c23ac
-- 0002_episodes.sql b9aa673c42359527cc23f0ecab755f0bb2f42a7f7d2a424c74b149d26d294b74
-- 0003_homework.sql 46fee5ef783083361f89cb58112b36013b4b93f5a041265a8d77534027fa7624
-- 0004_exams.sql 39db46c60770d902227324c564922db2460ad18d3a4ec18819a50bcac3071c81
-- 0005_enrollments.sql de4a2c5ed5003ae61cfc29027c5bdc935345a50afc6626769f9c7daf2f44f8fb
-- 0006_access.sql a733f9774a857677822397e3973495d704b50192583534296b2fb83341a95a8c
-- 0007_innovation.sql c23a1181a90ec7f0dc3cca7224c701f05438281b3339c3edf36d19c085485498
-- 0008_rows.sql 1dbfbc00460eda9265a3337b7b2ab5a88699ab002da1ff3c9194fcd127f69af5
-- 0009_counters.sql c47a0f12044f48801877343f8c11df5d86befaad04c918e9945de44e4238d29d
-- 0030_search.sql be9554556db6203b9b989e6fa9b718589e2f7929a0278cabf43ee6bf2256b742
-- 0031_question_kinds.sql ce0e3ac3823f094ba0bf1d3b6ab01f1b1a1541715543efa07ec96c7eaf9f3382
-- 0040_filters.sql 6e13b3242c0416139aaff4bc6d4ef7d4ddcb4df7b70d7158133a65a8f5d7697f
-- 0085_channel_tenants.sql bae90f6cf37013081a892b3401a28343926252b675d852fb06a1f7da5f034e23
-- 0086_tenant_first_keys.sql a19a1606c6b729edc09530b58e20d4ab4799a1be4a4e0e4238cf34ba37491a3c
-- 0110_search_entries.sql cd4a45c5b9284529c54a0e871b44cb85954e3c5dbb38ebc9a9042d6cd89005c6
-- 0111_catalogue_orders.sql cbb47bc80b703bea34d3624c0b41873d3c2604f3c2b371a3ea2c3ee749b81a6d
-- 0112_attempt_reviews.sql f84fd1b617b1cae5397b73238dc4079b0530967da8272a9c0917f35320c3db4a
-- 0113_homework_drafts.sql c66fec2b671875dae6bc2db41a0d3b4373d0961cc3abc0f14892bce278a404af
-- 0114_letters.sql 583b36966ec65ba53db9ebfd045248da314c5b9a0becf3ea9e35fc1bde179d5e
-- 0116_files.sql 8d78fae3931eae6daf3bfd44cdfa5a328ff61ed8606493c9a9aba3f4b7ffdca0
-- 0118_notes_and_posts.sql 12222aba7c1e3af71c06cf672b67de52ce7405d2620125cbf6c3f3ad5a9efbe7
-- 0120_weights.sql 2be9dd5dd78ee34cb4cb4331ea3d27fdcde4b1b7c086e8fd2cee318032c189a8
-- 0121_notifications.sql 6f5ef28597ecf75c4b3d4c46e8f9a66a5dd5c918df33208c882288c066c7a54f
-- 0123_deadlines.sql 3d072e09bd29939dba322856f4dc76739a293fb50e0ebac5515b76b02b1ada55
-- 0127_certificates.sql 3d5414c9ea00d46ac7e079d13256cf9573aab5a5a695d5b32d18516f9ab59d20
-- 0160_episode_changes.sql 7a5e7e1f4d09e45025802d2c29a37c43929aa56cbb6d65521fc62acab92a8076
-- Bodies of functions name tables that are made below.
set local check_function_bodies = off;

create schema learning;

CREATE FUNCTION learning.is_released(status text, release_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((status = 'published'::text) AND ((release_at IS NULL) OR (release_at <= statement_timestamp())));
CREATE FUNCTION learning.seconds_late(submitted_at timestamp with time zone, due_then timestamp with time zone, due_now timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((due_then IS NULL) OR (due_now IS NULL)) THEN (0)::bigint ELSE (GREATEST((0)::numeric, ceil(EXTRACT(epoch FROM (submitted_at - GREATEST(due_then, due_now))))))::bigint END;
CREATE FUNCTION learning.late_penalty(late_policy text, seconds_late bigint, per_day numeric, max_percent numeric)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((late_policy = 'penalize'::text) AND (seconds_late > 0)) THEN LEAST(max_percent, (per_day * ceil(((seconds_late)::numeric / 86400.0)))) ELSE (0)::numeric END;
CREATE FUNCTION learning.final_score(score numeric, max_score numeric, penalty_percent numeric)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((LEAST(score, max_score) * ((100)::numeric - penalty_percent)) / (100)::numeric);
CREATE FUNCTION learning.attempt_status(status text, expires_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN ((status = 'open'::text) AND (expires_at < (statement_timestamp() - '00:01:00'::interval))) THEN 'expired'::text ELSE status END;
CREATE FUNCTION learning.enrollments_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into learning.enrollment_counts (tenant_id, channel_id, learners)
  select tenant_id, channel_id, count(*) filter (where not as_admin and not learning.is_editor(tenant_id, user_id, channel_id))
    from added group by tenant_id, channel_id order by tenant_id, channel_id
  on conflict (tenant_id, channel_id) do update set learners = enrollment_counts.learners + excluded.learners;
  return null;
end $function$;
CREATE FUNCTION learning.target_stamp(tenant text, kind text, target uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
begin
  case kind
    when 'channel' then
      return (select md5(row(c.title, c.description, c.language, c.category, c.level, c.tags, c.thumbnail_url, c.status,
                             c.enrollment, c.visibility, c.sequential, c.completion_threshold, c.passing_percent)::text)
                from learning.channels c where c.tenant_id = tenant and c.id = target and c.deleted_at is null);
    when 'episode' then
      return (select md5(row(e.title, e.description, e.status, e.release_at, e.thumbnail_url, e.season, e.authors, e.language,
                             e.recorded_on, e.published_tests, e.published_homework)::text)
                from learning.episodes e where e.tenant_id = tenant and e.id = target and e.deleted_at is null);
    when 'video' then
      return (select v.updated_at::text from learning.videos v
                join learning.episodes e on e.tenant_id = v.tenant_id and e.id = v.episode_id and e.deleted_at is null
               where v.tenant_id = tenant and v.episode_id = target);
    when 'homework' then
      return (select h.updated_at::text from learning.homework h
                join learning.episodes e on e.tenant_id = h.tenant_id and e.id = h.episode_id and e.deleted_at is null
               where h.tenant_id = tenant and h.id = target and h.deleted_at is null);
    when 'test' then
      return (select t.updated_at || ' ' || t.key_version from learning.tests t
                join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id and e.deleted_at is null
               where t.tenant_id = tenant and t.id = target and t.deleted_at is null);
    when 'question' then
      return (select q.version::text from learning.questions q
                join learning.tests t on t.tenant_id = q.tenant_id and t.id = q.test_id and t.deleted_at is null
                join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id and e.deleted_at is null
               where q.tenant_id = tenant and q.id = target and q.deleted_at is null);
  end case;
end $function$;
CREATE FUNCTION learning.channels_made()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into learning.channel_tenants (channel_id, tenant_id) select id, tenant_id from made on conflict do nothing;
  return null;
end $function$;
CREATE FUNCTION learning.rests(word text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (((char_length(word) >= 4) AND (char_length(word) <= 24)) AND (word !~ '^\d+$'::text)) THEN ARRAY(SELECT DISTINCT ("left"(rests.word, (n.n - 1)) || substr(rests.word, (n.n + 1))) FROM generate_series(1, char_length(rests.word)) n(n)) ELSE NULL::text[] END;
CREATE FUNCTION learning.search_vector(tenant text, channel uuid, title text, names text, body text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH placed AS MATERIALIZED (
          SELECT every.word,
             every.weight,
             row_number() OVER (ORDER BY every.weight, every.n) AS n
            FROM ( SELECT a.word,
                     a.n,
                     'A'::text AS weight
                    FROM unnest(string_to_array(foundation.words(search_vector.title), ' '::text)) WITH ORDINALITY a(word, n)
                 UNION ALL
                  SELECT b.word,
                     b.n,
                     'B'::text
                    FROM unnest(string_to_array(foundation.words(search_vector.names), ' '::text)) WITH ORDINALITY b(word, n)
                 UNION ALL
                  SELECT d.word,
                     d.n,
                     'D'::text
                    FROM unnest(string_to_array(foundation.words(search_vector.body), ' '::text)) WITH ORDINALITY d(word, n)) every
         ), named AS (
          SELECT DISTINCT placed.word
            FROM placed
           WHERE (placed.weight <> 'D'::text)
         )
  SELECT ((COALESCE(( SELECT string_agg((((placed.word || ':'::text) || LEAST(placed.n, (16383)::bigint)) || placed.weight), ' '::text) AS string_agg
            FROM placed), ''::text))::tsvector || array_to_tsvector(((ARRAY[('@'::text || tenant), ('#'::text || channel)] || ARRAY( SELECT ('='::text || named.word)
            FROM named)) || ARRAY( SELECT DISTINCT ('~'::text || rest.rest)
            FROM named,
             LATERAL unnest(learning.rests(named.word)) rest(rest)))));
END;
CREATE FUNCTION learning.search_query(tenant text, channel uuid, asked text, way text)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  typed text[] := string_to_array(foundation.words(asked), ' ');
  word text;
  part text;
  parts text[] := '{}';
begin
  if cardinality(typed) = 0 then return null; end if;
  if way in ('any', 'name', 'near') then
    select array_agg('''' || replace(replace(mark, '\', '\\'), '''', '''''') || '''') into parts
      from unnest(array['@' || tenant, '#' || channel]) as mark where mark is not null;
  end if;
  for n in 1 .. cardinality(typed) loop
    word := typed[n];
    part := case when n = cardinality(typed) and octet_length(word) > 2 then ':*' else '' end;
    part := case way
      when 'name' then '''=' || word || '''' || part
      when 'title' then word || case part when '' then ':A' else ':*A' end
      when 'near' then (
        select '(' || string_agg(one, ' | ') || ')'
          from (select word || part as one union all select '''~' || word || ''''
                union all select unnest(array['''=' || rest || '''', '''~' || rest || '''']) from unnest(learning.rests(word)) as rest) as every)
      else word || part end;
    parts := parts || part;
  end loop;
  return array_to_string(parts, ' & ')::tsquery;
end $function$;
CREATE FUNCTION learning.pieces_of(transcript text)
 RETURNS TABLE(piece integer, seconds numeric, text text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH lines AS (
          SELECT every.n,
             every.line,
             regexp_match(every.line, '^\s*[[(]?(?:(\d{1,2}):)?(\d{1,3}):(\d\d)(?:[.,]\d{1,3})?[])]?(?=[\s-]|$)'::text) AS clock
            FROM regexp_split_to_table(pieces_of.transcript, '\r\n|\r|\n'::text) WITH ORDINALITY every(line, n)
         ), timed AS (
          SELECT lines.n,
             lines.line,
             lines.clock,
             (((COALESCE((lines.clock[1])::integer, 0) * 3600) + ((lines.clock[2])::integer * 60)) + (lines.clock[3])::integer) AS seconds,
             count(lines.clock) OVER (ORDER BY lines.n) AS cue
            FROM lines
           WHERE (lines.line !~ '^\s*(WEBVTT.*|\d+)\s*$'::text)
         ), spoken AS (
          SELECT timed.n,
             first_value(timed.seconds) OVER (PARTITION BY timed.cue ORDER BY timed.n) AS seconds,
                 CASE
                     WHEN (timed.clock IS NULL) THEN timed.line
                     WHEN (timed.line ~ '-->'::text) THEN ''::text
                     ELSE regexp_replace(timed.line, '^\s*[[(]?[\d:.,]+[])]?'::text, ''::text)
                 END AS line
            FROM timed
         ), words AS (
          SELECT ((row_number() OVER (ORDER BY spoken.n, every.place) - 1))::integer AS place,
             spoken.seconds,
             every.found[1] AS word
            FROM spoken,
             LATERAL regexp_matches(spoken.line, '\S{1,60}'::text, 'g'::text) WITH ORDINALITY every(found, place)
         ), pieces AS (
          SELECT (words.place / 30) AS piece,
             (array_agg(words.seconds ORDER BY words.place))[1] AS seconds,
             string_agg(words.word, ' '::text ORDER BY words.place) AS text,
             string_agg(words.word, ' '::text ORDER BY words.place) FILTER (WHERE ((words.place % 30) < 10)) AS head
            FROM words
           GROUP BY (words.place / 30)
         )
  SELECT pieces.piece,
     pieces.seconds,
     (pieces.text || COALESCE((' '::text || lead(pieces.head) OVER (ORDER BY pieces.piece)), ''::text))
    FROM pieces;
END;
CREATE FUNCTION learning.search_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  case tg_argv[0]
    when 'channel' then perform learning.index_channel(new.tenant_id, new.id);
    when 'episode' then perform learning.index_episode(new.tenant_id, new.id);
    when 'moved' then
      perform learning.index_episode(new.tenant_id, new.id);
      perform learning.index_video(new.tenant_id, new.id);
    when 'video' then perform learning.index_video(new.tenant_id, new.episode_id);
    when 'gone' then delete from learning.search_entries s where s.tenant_id = old.tenant_id and s.channel_id = old.id
                        and s.id in (select old.id union all select e.id from learning.episodes e
                                      where e.tenant_id = old.tenant_id and e.channel_id = old.id);
    when 'lost' then delete from learning.search_entries s where s.tenant_id = old.tenant_id and s.id = old.id and s.place >= 0;
  end case;
  return null;
end $function$;
CREATE FUNCTION learning.fill_search(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  one record;
begin
  changed := 0;
  for one in
    select c.tenant_id, c.id from learning.channels c
     where (c.tenant_id, c.id) > (coalesce(substr(after, 38), ''), coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid)
     order by c.tenant_id, c.id limit least(most, 20) for no key update
  loop
    perform learning.index_channel(one.tenant_id, one.id);
    perform learning.index_episode(e.tenant_id, e.id), learning.index_video(e.tenant_id, e.id)
       from learning.episodes e
       join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null
      where e.tenant_id = one.tenant_id and e.channel_id = one.id and e.deleted_at is null;
    last := one.id || '|' || one.tenant_id;
    changed := changed + 1;
  end loop;
end $function$;

create table learning.channels (
  tenant_id text not null,
  id uuid not null,
  owner_id text not null,
  instructor_ids text[] not null,
  external_id text,
  title text not null,
  description text not null,
  language text not null,
  category text,
  level text not null,
  tags text[] not null,
  thumbnail_url text,
  status text not null,
  enrollment text not null,
  visibility text not null,
  sequential boolean not null,
  completion_threshold numeric not null,
  passing_percent numeric not null,
  grade_weights jsonb,
  version integer not null default 1,
  episode_count integer not null default 0,
  duration_seconds numeric not null default 0,
  published_count integer not null default 0,
  published_seconds numeric not null default 0,
  last_release_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  published_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  is_listed boolean not null generated always as (((deleted_at IS NULL) AND (status = 'published'::text) AND (visibility <> 'private'::text))) stored,
  search tsvector not null generated always as (array_to_tsvector(string_to_array(foundation.words(((title || ' '::text) || description)), ' '::text))) stored,
  constraint channels_pkey PRIMARY KEY (tenant_id, id),
  constraint channels_level_check CHECK ((level = ANY (ARRAY['all'::text, 'beginner'::text, 'intermediate'::text, 'advanced'::text]))),
  constraint channels_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint channels_enrollment_check CHECK ((enrollment = ANY (ARRAY['open'::text, 'closed'::text]))),
  constraint channels_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'tenant'::text, 'private'::text]))),
  constraint channels_completion_threshold_check CHECK (((completion_threshold >= 0.5) AND (completion_threshold <= (1)::numeric))),
  constraint channels_passing_percent_check CHECK (((passing_percent >= (0)::numeric) AND (passing_percent <= (100)::numeric)))
);
create table learning.channel_editors (
  tenant_id text not null,
  user_id text not null,
  channel_id uuid not null,
  created_at timestamp(3) with time zone not null,
  is_unlisted boolean not null,
  constraint channel_editors_pkey PRIMARY KEY (tenant_id, user_id, channel_id)
);
create table learning.channel_counts (
  tenant_id text not null,
  listed integer not null,
  live integer not null,
  constraint channel_counts_pkey PRIMARY KEY (tenant_id)
) with (fillfactor=50);
create table learning.episodes (
  tenant_id text not null,
  id uuid not null,
  channel_id uuid not null,
  "position" integer not null,
  title text not null,
  description text not null,
  status text not null,
  release_at timestamp(3) with time zone,
  thumbnail_url text,
  season integer not null,
  authors text[] not null,
  language text,
  recorded_on date,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  homework_count integer not null default 0,
  published_homework integer not null default 0,
  test_count integer not null default 0,
  published_tests integer not null default 0,
  announced_at timestamp(3) with time zone,
  constraint episodes_pkey PRIMARY KEY (tenant_id, id),
  constraint episodes_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text]))),
  constraint episodes_season_check CHECK (((season >= 1) AND (season <= 1000)))
);
create table learning.videos (
  tenant_id text not null,
  episode_id uuid not null,
  id uuid not null,
  url text not null,
  poster_url text,
  kind text not null,
  mime_type text not null,
  embed_url text,
  duration_seconds numeric,
  width integer,
  height integer,
  size_bytes bigint,
  sha256 text,
  sources jsonb not null,
  chapters jsonb not null,
  captions jsonb not null,
  transcript text not null,
  completion_threshold numeric,
  strict_watch boolean not null,
  asset_version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  trackable boolean not null generated always as ((kind <> 'embed'::text)) stored,
  has_captions boolean not null generated always as ((jsonb_array_length(captions) > 0)) stored,
  has_transcript boolean not null generated always as ((transcript <> ''::text)) stored,
  constraint videos_pkey PRIMARY KEY (tenant_id, episode_id),
  constraint videos_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'hls'::text, 'embed'::text]))),
  constraint videos_duration_seconds_check CHECK (((duration_seconds > (0)::numeric) AND (duration_seconds <= (86400)::numeric))),
  constraint videos_completion_threshold_check CHECK (((completion_threshold >= 0.5) AND (completion_threshold <= (1)::numeric)))
);
create table learning.homework (
  tenant_id text not null,
  id uuid not null,
  episode_id uuid not null,
  title text not null,
  instructions text not null,
  status text not null,
  submission_types text[] not null,
  max_score numeric not null,
  due_at timestamp(3) with time zone,
  lock_at timestamp(3) with time zone,
  late_policy text not null,
  late_penalty_percent_per_day numeric not null,
  late_penalty_max_percent numeric not null,
  max_submissions integer not null,
  rubric jsonb not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  weight numeric(6,2),
  constraint homework_pkey PRIMARY KEY (tenant_id, id),
  constraint homework_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text]))),
  constraint homework_submission_types_check CHECK (((submission_types <@ ARRAY['text'::text, 'url'::text, 'file'::text]) AND (cardinality(submission_types) > 0))),
  constraint homework_max_score_check CHECK (((max_score > (0)::numeric) AND (max_score <= (1000)::numeric))),
  constraint homework_locks_after_due CHECK ((lock_at >= due_at)),
  constraint homework_late_policy_check CHECK ((late_policy = ANY (ARRAY['accept'::text, 'penalize'::text, 'reject'::text]))),
  constraint homework_late_penalty_percent_per_day_check CHECK (((late_penalty_percent_per_day >= (0)::numeric) AND (late_penalty_percent_per_day <= (100)::numeric))),
  constraint homework_late_penalty_max_percent_check CHECK (((late_penalty_max_percent >= (0)::numeric) AND (late_penalty_max_percent <= (100)::numeric))),
  constraint homework_max_submissions_check CHECK (((max_submissions >= 0) AND (max_submissions <= 50)))
);
create table learning.submissions (
  tenant_id text not null,
  id uuid not null,
  homework_id uuid not null,
  user_id text not null,
  user_email text not null,
  attempt_number integer not null,
  client_id text,
  text text,
  url text,
  attachments jsonb not null,
  submitted_at timestamp(3) with time zone not null,
  due_at_then timestamp(3) with time zone,
  is_preview boolean not null,
  is_current boolean not null,
  status text not null,
  score numeric,
  feedback text not null default ''::text,
  rubric_scores jsonb not null default '[]'::jsonb,
  graded_by text,
  graded_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint submissions_pkey PRIMARY KEY (tenant_id, id),
  constraint submissions_numbered UNIQUE (tenant_id, homework_id, user_id, attempt_number),
  constraint submissions_by_client_id UNIQUE (tenant_id, homework_id, user_id, client_id),
  constraint submissions_status_check CHECK ((status = ANY (ARRAY['submitted'::text, 'graded'::text, 'returned'::text]))),
  constraint submissions_score_check CHECK ((score >= (0)::numeric)),
  constraint submissions_check CHECK (((status <> 'graded'::text) OR (score IS NOT NULL)))
);
create table learning.replaced_grades (
  tenant_id text not null,
  submission_id uuid not null,
  number integer not null,
  status text not null,
  score numeric,
  feedback text not null,
  rubric_scores jsonb not null,
  graded_by text not null,
  graded_at timestamp(3) with time zone not null,
  replaced_by text not null,
  replaced_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint replaced_grades_pkey PRIMARY KEY (tenant_id, submission_id, number)
);
create table learning.tests (
  tenant_id text not null,
  id uuid not null,
  episode_id uuid not null,
  title text not null,
  description text not null,
  status text not null,
  max_attempts integer not null,
  retry_delay_seconds integer not null,
  time_limit_seconds integer,
  opens_at timestamp(3) with time zone,
  closes_at timestamp(3) with time zone,
  passing_percent numeric,
  score_policy text not null,
  shuffle_questions boolean not null,
  shuffle_options boolean not null,
  feedback_policy text not null,
  show_explanations boolean not null,
  question_count integer not null default 0,
  max_score numeric not null default 0,
  key_version integer not null default 0,
  regrade_version integer not null default 0,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  show_right_answers boolean not null default false,
  weight numeric(6,2),
  constraint tests_pkey PRIMARY KEY (tenant_id, id),
  constraint tests_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text]))),
  constraint tests_max_attempts_check CHECK (((max_attempts >= 0) AND (max_attempts <= 100))),
  constraint tests_retry_delay_seconds_check CHECK (((retry_delay_seconds >= 0) AND (retry_delay_seconds <= 2592000))),
  constraint tests_time_limit_seconds_check CHECK (((time_limit_seconds >= 30) AND (time_limit_seconds <= 86400))),
  constraint tests_passing_percent_check CHECK (((passing_percent >= (0)::numeric) AND (passing_percent <= (100)::numeric))),
  constraint tests_score_policy_check CHECK ((score_policy = ANY (ARRAY['best'::text, 'latest'::text, 'average'::text, 'first'::text]))),
  constraint tests_feedback_policy_check CHECK ((feedback_policy = ANY (ARRAY['score'::text, 'after_final'::text, 'per_question'::text]))),
  constraint tests_close_after_opening CHECK ((closes_at > opens_at))
);
create table learning.questions (
  tenant_id text not null,
  id uuid not null,
  test_id uuid not null,
  type text not null,
  "position" integer not null,
  version integer not null,
  since integer not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  constraint questions_pkey PRIMARY KEY (tenant_id, id),
  constraint questions_position_check CHECK (("position" > 0))
);
create table learning.question_versions (
  tenant_id text not null,
  question_id uuid not null,
  version integer not null,
  key_version integer not null,
  regrade text not null,
  prompt text not null,
  points numeric not null,
  scoring text not null,
  explanation text not null,
  body jsonb not null,
  written_by text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint question_versions_pkey PRIMARY KEY (tenant_id, question_id, version),
  constraint question_versions_regrade_check CHECK ((regrade = ANY (ARRAY['recalculate'::text, 'full_credit'::text, 'none'::text]))),
  constraint question_versions_points_check CHECK (((points > (0)::numeric) AND (points <= (1000)::numeric))),
  constraint question_versions_scoring_check CHECK ((scoring = ANY (ARRAY['partial'::text, 'all_or_nothing'::text])))
);
create table learning.attempts (
  tenant_id text not null,
  id uuid not null,
  test_id uuid not null,
  user_id text not null,
  number integer not null,
  status text not null,
  is_preview boolean not null,
  client_id text,
  opened_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone,
  submitted_at timestamp(3) with time zone,
  key_version integer not null,
  graded_version integer not null,
  answers jsonb not null default '{}'::jsonb,
  results jsonb not null default '[]'::jsonb,
  score numeric not null default 0,
  max_score numeric not null,
  score_before_regrade numeric,
  regraded_at timestamp(3) with time zone,
  draft jsonb,
  constraint attempts_pkey PRIMARY KEY (tenant_id, id),
  constraint attempts_by_number UNIQUE (tenant_id, test_id, user_id, number),
  constraint attempts_number_check CHECK ((number > 0)),
  constraint attempts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'graded'::text, 'expired'::text]))),
  constraint attempts_check CHECK (((status = 'open'::text) = (submitted_at IS NULL)))
);
create table learning.enrollments (
  tenant_id text not null,
  user_id text not null,
  channel_id uuid not null,
  id uuid not null default gen_random_uuid(),
  user_email text not null,
  as_admin boolean not null default false,
  status text not null,
  source text not null,
  enrolled_at timestamp(3) with time zone not null default statement_timestamp(),
  last_activity_at timestamp(3) with time zone not null default statement_timestamp(),
  completed_at timestamp(3) with time zone,
  constraint enrollments_pkey PRIMARY KEY (tenant_id, user_id, channel_id),
  constraint enrollments_status_check CHECK ((status = ANY (ARRAY['active'::text, 'completed'::text]))),
  constraint enrollments_source_check CHECK ((source = ANY (ARRAY['self'::text, 'auto'::text]))),
  constraint enrollments_check CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL)))
) with (fillfactor=70);
create table learning.enrollment_counts (
  tenant_id text not null,
  channel_id uuid not null,
  learners integer not null,
  constraint enrollment_counts_pkey PRIMARY KEY (tenant_id, channel_id)
) with (fillfactor=50);
create table learning.progress (
  tenant_id text not null,
  user_id text not null,
  episode_id uuid not null,
  position_ms integer not null,
  watched int4multirange not null,
  rewatched int4multirange not null default '{}'::int4multirange,
  last_beat int4multirange not null default '{}'::int4multirange,
  claimed_ms integer,
  progress numeric(4,3) not null,
  first_beat_at timestamp(3) with time zone not null default clock_timestamp(),
  completed_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint progress_pkey PRIMARY KEY (tenant_id, user_id, episode_id),
  constraint progress_progress_check CHECK (((progress >= (0)::numeric) AND (progress <= (1)::numeric)))
) with (fillfactor=70);
create table learning.activity_days (
  tenant_id text not null,
  user_id text not null,
  day date not null,
  channel_id uuid not null,
  watched_ms bigint not null,
  constraint activity_days_pkey PRIMARY KEY (tenant_id, user_id, day, channel_id)
) with (fillfactor=70);
create table learning.suggestions (
  tenant_id text not null,
  id uuid not null,
  agent_type text not null,
  kind text not null,
  status text not null default 'pending'::text,
  severity text not null,
  title text not null,
  body text not null,
  evidence jsonb not null,
  channel_id uuid not null,
  target_type text not null,
  target_id uuid not null,
  target_title text not null,
  target_stamp text not null,
  patch jsonb,
  confidence numeric not null,
  source text not null,
  model text,
  run_id uuid not null,
  fingerprint text not null,
  metric numeric,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  reviewed_by text,
  reviewed_at timestamp(3) with time zone,
  review_note text not null default ''::text,
  constraint suggestions_pkey PRIMARY KEY (tenant_id, id),
  constraint suggestions_agent_type_check CHECK ((agent_type = ANY (ARRAY['content'::text, 'engagement'::text]))),
  constraint suggestions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'applied'::text, 'expired'::text]))),
  constraint suggestions_severity_check CHECK ((severity = ANY (ARRAY['info'::text, 'warning'::text, 'critical'::text]))),
  constraint suggestions_target_type_check CHECK ((target_type = ANY (ARRAY['channel'::text, 'episode'::text, 'video'::text, 'homework'::text, 'test'::text, 'question'::text]))),
  constraint suggestions_confidence_check CHECK (((confidence >= (0)::numeric) AND (confidence <= (1)::numeric))),
  constraint suggestions_source_check CHECK ((source = ANY (ARRAY['heuristic'::text, 'llm'::text])))
);
create table learning.agent_runs (
  tenant_id text not null,
  agent_type text not null,
  run_id uuid not null,
  started_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  last_run_at timestamp(3) with time zone,
  next_before timestamp(3) with time zone,
  next_id uuid,
  constraint agent_runs_pkey PRIMARY KEY (tenant_id, agent_type),
  constraint agent_runs_agent_type_check CHECK ((agent_type = ANY (ARRAY['content'::text, 'engagement'::text])))
);
create table learning.channel_tenants (
  channel_id uuid not null,
  tenant_id text not null,
  constraint channel_tenants_pkey PRIMARY KEY (channel_id)
);
create table learning.search_entries (
  tenant_id text not null,
  id uuid not null,
  place integer not null,
  channel_id uuid not null,
  seconds numeric,
  text text not null,
  size integer not null,
  words tsvector not null,
  constraint search_entries_pkey PRIMARY KEY (tenant_id, id, place)
);
create table learning.extra_attempts (
  tenant_id text not null,
  test_id uuid not null,
  user_id text not null,
  extra_attempts integer not null,
  granted_by text not null,
  granted_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint extra_attempts_pkey PRIMARY KEY (tenant_id, test_id, user_id),
  constraint extra_attempts_extra_attempts_check CHECK (((extra_attempts >= 0) AND (extra_attempts <= 100)))
);
create table learning.reset_attempts (
  tenant_id text not null,
  id uuid not null,
  test_id uuid not null,
  user_id text not null,
  attempt jsonb not null,
  reset_by text not null,
  reset_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint reset_attempts_pkey PRIMARY KEY (tenant_id, id)
);
create table learning.homework_drafts (
  tenant_id text not null,
  user_id text not null,
  homework_id uuid not null,
  submissions integer not null,
  fields jsonb not null,
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint homework_drafts_pkey PRIMARY KEY (tenant_id, user_id, homework_id)
);
create table learning.letters (
  tenant_id text not null,
  letter_id uuid not null,
  kind text not null,
  user_id text not null,
  sender_id text,
  bodies jsonb,
  unsubscribe_url text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  done_at timestamp(3) with time zone,
  constraint letters_pkey PRIMARY KEY (tenant_id, letter_id)
);
create table learning.files (
  tenant_id text not null,
  id uuid not null,
  channel_id uuid not null,
  homework_id uuid,
  submission_id uuid,
  user_id text not null,
  purpose text not null,
  name text not null,
  mime_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  checked_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint files_pkey PRIMARY KEY (tenant_id, id),
  constraint files_purpose_check CHECK ((purpose = ANY (ARRAY['picture'::text, 'captions'::text, 'attachment'::text]))),
  constraint files_size_bytes_check CHECK ((size_bytes > 0)),
  constraint files_check CHECK (((purpose = 'attachment'::text) = (homework_id IS NOT NULL)))
);
create table learning.file_pieces (
  tenant_id text not null,
  file_id uuid not null,
  place integer not null,
  content bytea not null,
  constraint file_pieces_pkey PRIMARY KEY (tenant_id, file_id, place)
);
create table learning.file_totals (
  tenant_id text not null,
  bytes bigint not null,
  constraint file_totals_pkey PRIMARY KEY (tenant_id),
  constraint file_totals_bytes_check CHECK ((bytes >= 0))
);
create table learning.notes (
  tenant_id text not null,
  user_id text not null,
  id uuid not null,
  episode_id uuid not null,
  at_ms integer not null,
  text text not null,
  client_id text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint notes_pkey PRIMARY KEY (tenant_id, user_id, id),
  constraint notes_at_ms_check CHECK ((at_ms >= 0))
);
create table learning.posts (
  tenant_id text not null,
  id uuid not null,
  episode_id uuid not null,
  question_id uuid,
  user_id text not null,
  as_editor boolean not null,
  text text not null,
  at_ms integer,
  client_id text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  edited_at timestamp(3) with time zone,
  hidden_at timestamp(3) with time zone,
  hidden_by text,
  deleted_at timestamp(3) with time zone,
  constraint posts_pkey PRIMARY KEY (tenant_id, id),
  constraint posts_at_ms_check CHECK ((at_ms >= 0))
);
create table learning.notifications (
  tenant_id text not null,
  user_id text not null,
  id uuid not null default gen_random_uuid(),
  kind text not null,
  channel_id uuid not null,
  episode_id uuid not null,
  target_id uuid not null,
  count integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  read_at timestamp(3) with time zone,
  is_hidden boolean not null default false,
  is_to_mail boolean not null default false,
  constraint notifications_pkey PRIMARY KEY (tenant_id, user_id, id),
  constraint notifications_kind_check CHECK ((kind = ANY (ARRAY['graded'::text, 'due'::text, 'episode'::text, 'answer'::text])))
);
create table learning.notification_settings (
  tenant_id text not null,
  user_id text not null,
  kind text not null,
  in_page boolean not null,
  by_mail boolean not null,
  constraint notification_settings_pkey PRIMARY KEY (tenant_id, user_id, kind)
);
create table learning.calendars (
  tenant_id text not null,
  user_id text not null,
  token_hash bytea not null,
  language text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint calendars_pkey PRIMARY KEY (tenant_id, user_id)
);
create table learning.deadlines (
  tenant_id text not null,
  work_id uuid not null,
  user_id text not null,
  until timestamp(3) with time zone not null,
  set_by text not null,
  set_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint deadlines_pkey PRIMARY KEY (tenant_id, work_id, user_id)
);
create table learning.certificates (
  tenant_id text not null,
  user_id text not null,
  channel_id uuid not null,
  certificate_id uuid not null,
  person_name text not null,
  channel_title text not null,
  issuer text not null,
  issued_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint certificates_pkey PRIMARY KEY (tenant_id, user_id, channel_id)
);
create table learning.episode_changes (
  tenant_id text not null,
  episode_id uuid not null,
  name text not null,
  version integer not null,
  value jsonb,
  base jsonb,
  changed_by text not null,
  changed_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint episode_changes_pkey PRIMARY KEY (tenant_id, episode_id, name)
);

CREATE FUNCTION learning.count_released(tenant text, channel uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (count(*))::integer AS count
    FROM learning.episodes e
   WHERE ((e.tenant_id = count_released.tenant) AND (e.channel_id = count_released.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at));
END;
CREATE FUNCTION learning.sum_released(tenant text, channel uuid)
 RETURNS numeric
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(sum(v.duration_seconds), (0)::numeric) AS "coalesce"
    FROM (learning.episodes e
      JOIN learning.videos v ON (((v.tenant_id = e.tenant_id) AND (v.episode_id = e.id))))
   WHERE ((e.tenant_id = sum_released.tenant) AND (e.channel_id = sum_released.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at));
END;
CREATE FUNCTION learning.is_editor(tenant text, person text, channel uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (EXISTS (SELECT FROM learning.channel_editors WHERE ((channel_editors.tenant_id = is_editor.tenant) AND (channel_editors.user_id = is_editor.person) AND (channel_editors.channel_id = is_editor.channel))));
CREATE FUNCTION learning.progress_in(tenant text, person text, channel uuid)
 RETURNS TABLE(percent numeric, completed integer, total integer, next_episode_id uuid)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (count(*) = 0) THEN (0)::numeric
             WHEN (count(w.completed_at) = count(*)) THEN (100)::numeric
             ELSE LEAST(99.99, round(((100)::numeric * avg(
             CASE
                 WHEN (w.completed_at IS NOT NULL) THEN (1)::numeric
                 ELSE COALESCE(w.progress, (0)::numeric)
             END)), 2))
         END AS "least",
     (count(w.completed_at))::integer AS count,
     (count(*))::integer AS count,
     (array_agg(e.id ORDER BY e."position", e.id) FILTER (WHERE (w.completed_at IS NULL)))[1] AS array_agg
    FROM (learning.episodes e
      LEFT JOIN learning.progress w ON (((w.tenant_id = progress_in.tenant) AND (w.user_id = progress_in.person) AND (w.episode_id = e.id))))
   WHERE ((e.tenant_id = progress_in.tenant) AND (e.channel_id = progress_in.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at));
END;
CREATE FUNCTION learning.is_enrolled(tenant text, person text, channel uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM learning.enrollments e
           WHERE ((e.tenant_id = is_enrolled.tenant) AND (e.user_id = is_enrolled.person) AND (e.channel_id = is_enrolled.channel)))) AS "exists";
END;
CREATE FUNCTION learning.uncompleted_before(tenant text, person text, channel uuid, place integer, episode uuid)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (w.completed_at IS NULL) THEN previous.title
             ELSE NULL::text
         END AS "case"
    FROM (( SELECT e.id,
             e.title
            FROM learning.episodes e
           WHERE ((e.tenant_id = uncompleted_before.tenant) AND (e.channel_id = uncompleted_before.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at) AND (ROW(e."position", e.id) < ROW(uncompleted_before.place, uncompleted_before.episode)))
           ORDER BY e."position" DESC, e.id DESC
          LIMIT 1) previous
      LEFT JOIN learning.progress w ON (((w.tenant_id = uncompleted_before.tenant) AND (w.user_id = uncompleted_before.person) AND (w.episode_id = previous.id))));
END;
CREATE FUNCTION learning.index_channel(tenant text, channel uuid)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 DELETE FROM learning.search_entries s
   WHERE ((s.tenant_id = index_channel.tenant) AND (s.id = index_channel.channel) AND (s.place = '-1'::integer));
 INSERT INTO learning.search_entries (tenant_id, id, place, channel_id, text, size, words)  SELECT c.tenant_id,
             c.id,
             '-1'::integer,
             c.id,
             '',
             cardinality(string_to_array(foundation.words(c.title), ' '::text)) AS cardinality,
             learning.search_vector(c.tenant_id, c.id, c.title, concat_ws(' '::text, c.category, array_to_string(c.tags, ' '::text)), c.description) AS search_vector
            FROM learning.channels c
           WHERE ((c.tenant_id = index_channel.tenant) AND (c.id = index_channel.channel) AND (c.deleted_at IS NULL));
END;
CREATE FUNCTION learning.index_episode(tenant text, episode uuid)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 DELETE FROM learning.search_entries s
   WHERE ((s.tenant_id = index_episode.tenant) AND (s.id = index_episode.episode) AND (s.place = 0));
 INSERT INTO learning.search_entries (tenant_id, id, place, channel_id, text, size, words)  SELECT e.tenant_id,
             e.id,
             0,
             e.channel_id,
             '',
             cardinality(string_to_array(foundation.words(e.title), ' '::text)) AS cardinality,
             learning.search_vector(e.tenant_id, e.channel_id, e.title, array_to_string(e.authors, ' '::text), e.description) AS search_vector
            FROM learning.episodes e
           WHERE ((e.tenant_id = index_episode.tenant) AND (e.id = index_episode.episode) AND (e.deleted_at IS NULL));
END;
CREATE FUNCTION learning.index_video(tenant text, episode uuid)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 DELETE FROM learning.search_entries s
   WHERE ((s.tenant_id = index_video.tenant) AND (s.id = index_video.episode) AND (s.place > 0));
 INSERT INTO learning.search_entries (tenant_id, id, place, channel_id, seconds, text, size, words)  SELECT e.tenant_id,
             e.id,
             found.place,
             e.channel_id,
             found.seconds,
             found.text,
             cardinality(string_to_array(foundation.words(found.title), ' '::text)) AS cardinality,
             learning.search_vector(e.tenant_id, e.channel_id, found.title, ''::text, found.spoken) AS search_vector
            FROM ((learning.episodes e
              JOIN learning.videos v ON (((v.tenant_id = e.tenant_id) AND (v.episode_id = e.id))))
              CROSS JOIN LATERAL ( SELECT (every.n)::integer AS place,
                     ((every.chapter ->> 'start_seconds'::text))::numeric AS seconds,
                     (every.chapter ->> 'title'::text) AS text,
                     (every.chapter ->> 'title'::text) AS title,
                     ''::text AS spoken
                    FROM jsonb_array_elements(v.chapters) WITH ORDINALITY every(chapter, n)
                 UNION ALL
                  SELECT (1001 + pieces_of.piece),
                     pieces_of.seconds,
                     pieces_of.text,
                     ''::text,
                     pieces_of.text
                    FROM learning.pieces_of(v.transcript) pieces_of(piece, seconds, text)) found)
           WHERE ((e.tenant_id = index_video.tenant) AND (e.id = index_video.episode) AND (e.deleted_at IS NULL));
END;

CREATE INDEX channels_listed ON learning.channels USING btree (tenant_id, created_at DESC, id DESC) WHERE is_listed;
CREATE INDEX channels_live ON learning.channels USING btree (tenant_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX channels_by_external_id ON learning.channels USING btree (tenant_id, owner_id, external_id) WHERE ((deleted_at IS NULL) AND (external_id IS NOT NULL));
CREATE INDEX channel_editors_own ON learning.channel_editors USING btree (tenant_id, user_id, created_at DESC, channel_id DESC);
CREATE INDEX channel_editors_unlisted ON learning.channel_editors USING btree (tenant_id, user_id, created_at DESC, channel_id DESC) WHERE is_unlisted;
CREATE INDEX channel_editors_by_channel ON learning.channel_editors USING btree (tenant_id, channel_id);
CREATE INDEX episodes_live_in_order ON learning.episodes USING btree (tenant_id, channel_id, "position", id) WHERE (deleted_at IS NULL);
CREATE INDEX homework_live_in_order ON learning.homework USING btree (tenant_id, episode_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX submissions_current ON learning.submissions USING btree (tenant_id, homework_id, user_id) WHERE is_current;
CREATE INDEX submissions_queue ON learning.submissions USING btree (tenant_id, homework_id, ((status = 'submitted'::text)) DESC, submitted_at DESC, id DESC) WHERE is_current;
CREATE INDEX tests_live_in_order ON learning.tests USING btree (tenant_id, episode_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX questions_in_order ON learning.questions USING btree (tenant_id, test_id, "position", id);
CREATE UNIQUE INDEX attempts_by_client_id ON learning.attempts USING btree (tenant_id, test_id, user_id, client_id) WHERE (client_id IS NOT NULL);
CREATE UNIQUE INDEX attempts_open_once ON learning.attempts USING btree (tenant_id, test_id, user_id) WHERE (status = 'open'::text);
CREATE INDEX attempts_to_regrade ON learning.attempts USING btree (tenant_id, test_id, graded_version, id);
CREATE INDEX enrollments_by_channel ON learning.enrollments USING btree (tenant_id, channel_id, user_id);
CREATE INDEX progress_by_episode ON learning.progress USING btree (tenant_id, episode_id, user_id);
CREATE INDEX activity_days_by_channel ON learning.activity_days USING btree (tenant_id, channel_id, day);
CREATE UNIQUE INDEX suggestions_open ON learning.suggestions USING btree (tenant_id, fingerprint) WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));
CREATE INDEX suggestions_in_order ON learning.suggestions USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX suggestions_by_channel ON learning.suggestions USING btree (tenant_id, channel_id, created_at DESC, id DESC);
CREATE INDEX suggestions_rejected ON learning.suggestions USING btree (tenant_id, fingerprint, reviewed_at) WHERE (status = 'rejected'::text);
CREATE INDEX channels_by_change ON learning.channels USING btree (tenant_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_word ON learning.channels USING gin (search) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_category ON learning.channels USING btree (tenant_id, category, created_at DESC, id DESC) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_language ON learning.channels USING btree (tenant_id, language, created_at DESC, id DESC) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_level ON learning.channels USING btree (tenant_id, level, created_at DESC, id DESC) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_status ON learning.channels USING btree (tenant_id, status, created_at DESC, id DESC) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_tag ON learning.channels USING gin (tags) WHERE (deleted_at IS NULL);
CREATE INDEX channels_deleted ON learning.channels USING btree (tenant_id, id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX suggestions_by_status ON learning.suggestions USING btree (tenant_id, status, created_at DESC, id DESC) INCLUDE (agent_type, channel_id);
CREATE INDEX suggestions_by_kind ON learning.suggestions USING btree (tenant_id, kind, created_at DESC, id DESC) INCLUDE (channel_id);
CREATE INDEX search_entries_by_word ON learning.search_entries USING gin (words) WITH (gin_pending_list_limit='256');
CREATE INDEX channels_by_title ON learning.channels USING btree (tenant_id, foundation.fold(title), id) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_learners ON learning.enrollment_counts USING btree (tenant_id, learners DESC, channel_id DESC) WHERE (learners > 0);
CREATE INDEX reset_attempts_by_person ON learning.reset_attempts USING btree (tenant_id, user_id, id);
CREATE INDEX extra_attempts_by_person ON learning.extra_attempts USING btree (tenant_id, user_id, test_id);
CREATE INDEX letters_by_sender ON learning.letters USING btree (tenant_id, sender_id, created_at);
CREATE INDEX letters_by_user ON learning.letters USING btree (tenant_id, user_id);
CREATE INDEX letters_done ON learning.letters USING btree (tenant_id, done_at);
CREATE INDEX files_by_channel ON learning.files USING btree (tenant_id, channel_id, user_id);
CREATE INDEX files_by_person ON learning.files USING btree (tenant_id, user_id);
CREATE INDEX files_by_check ON learning.files USING btree (tenant_id, checked_at, id);
CREATE INDEX notes_by_time ON learning.notes USING btree (tenant_id, user_id, created_at, id);
CREATE INDEX notes_by_episode ON learning.notes USING btree (tenant_id, episode_id, user_id);
CREATE UNIQUE INDEX notes_by_client ON learning.notes USING btree (tenant_id, user_id, client_id) WHERE (client_id IS NOT NULL);
CREATE INDEX questions_of_episode ON learning.posts USING btree (tenant_id, episode_id, created_at, id) WHERE (question_id IS NULL);
CREATE INDEX answers_of_question ON learning.posts USING btree (tenant_id, question_id, created_at, id);
CREATE INDEX posts_by_person ON learning.posts USING btree (tenant_id, user_id, created_at);
CREATE UNIQUE INDEX posts_by_client ON learning.posts USING btree (tenant_id, user_id, client_id) WHERE (client_id IS NOT NULL);
CREATE INDEX notifications_by_time ON learning.notifications USING btree (tenant_id, user_id, created_at, id);
CREATE UNIQUE INDEX notifications_once ON learning.notifications USING btree (tenant_id, user_id, kind, target_id) WHERE (kind = ANY (ARRAY['due'::text, 'episode'::text]));
CREATE INDEX notifications_by_channel ON learning.notifications USING btree (tenant_id, channel_id);
CREATE INDEX notifications_by_age ON learning.notifications USING btree (tenant_id, created_at);
CREATE INDEX notifications_to_mail ON learning.notifications USING btree (tenant_id, created_at, id) WHERE is_to_mail;
CREATE UNIQUE INDEX calendars_by_token ON learning.calendars USING btree (tenant_id, token_hash);
CREATE INDEX episodes_to_announce ON learning.episodes USING btree (tenant_id, id) WHERE ((announced_at IS NULL) AND (deleted_at IS NULL) AND (status = 'published'::text));
CREATE INDEX homework_by_due ON learning.homework USING btree (tenant_id, due_at) WHERE ((deleted_at IS NULL) AND (status = 'published'::text));
CREATE INDEX tests_by_close ON learning.tests USING btree (tenant_id, closes_at) WHERE ((deleted_at IS NULL) AND (status = 'published'::text));
CREATE INDEX deadlines_by_end ON learning.deadlines USING btree (tenant_id, until);
CREATE INDEX deadlines_by_person ON learning.deadlines USING btree (tenant_id, user_id, work_id);
CREATE UNIQUE INDEX certificates_by_id ON learning.certificates USING btree (tenant_id, channel_id, certificate_id);
CREATE INDEX episode_changes_by_person ON learning.episode_changes USING btree (tenant_id, changed_by);

alter table learning.channel_editors add constraint channel_editors_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.episodes add constraint episodes_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.videos add constraint videos_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE;
alter table learning.homework add constraint homework_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE;
alter table learning.submissions add constraint submissions_tenant_id_homework_id_fkey FOREIGN KEY (tenant_id, homework_id) REFERENCES learning.homework(tenant_id, id) ON DELETE CASCADE;
alter table learning.replaced_grades add constraint replaced_grades_tenant_id_submission_id_fkey FOREIGN KEY (tenant_id, submission_id) REFERENCES learning.submissions(tenant_id, id) ON DELETE CASCADE;
alter table learning.tests add constraint tests_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE;
alter table learning.questions add constraint questions_tenant_id_test_id_fkey FOREIGN KEY (tenant_id, test_id) REFERENCES learning.tests(tenant_id, id) ON DELETE CASCADE;
alter table learning.question_versions add constraint question_versions_tenant_id_question_id_fkey FOREIGN KEY (tenant_id, question_id) REFERENCES learning.questions(tenant_id, id) ON DELETE CASCADE;
alter table learning.attempts add constraint attempts_tenant_id_test_id_fkey FOREIGN KEY (tenant_id, test_id) REFERENCES learning.tests(tenant_id, id) ON DELETE CASCADE;
alter table learning.enrollments add constraint enrollments_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.enrollment_counts add constraint enrollment_counts_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.progress add constraint progress_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE;
alter table learning.activity_days add constraint activity_days_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.suggestions add constraint suggestions_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.extra_attempts add constraint extra_attempts_tenant_id_test_id_fkey FOREIGN KEY (tenant_id, test_id) REFERENCES learning.tests(tenant_id, id) ON DELETE CASCADE;
alter table learning.reset_attempts add constraint reset_attempts_tenant_id_test_id_fkey FOREIGN KEY (tenant_id, test_id) REFERENCES learning.tests(tenant_id, id) ON DELETE CASCADE;
alter table learning.homework_drafts add constraint homework_drafts_tenant_id_homework_id_fkey FOREIGN KEY (tenant_id, homework_id) REFERENCES learning.homework(tenant_id, id) ON DELETE CASCADE;
alter table learning.files add constraint files_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.file_pieces add constraint file_pieces_tenant_id_file_id_fkey FOREIGN KEY (tenant_id, file_id) REFERENCES learning.files(tenant_id, id) ON DELETE CASCADE;
alter table learning.notes add constraint notes_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE;
alter table learning.posts add constraint posts_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE;
alter table learning.posts add constraint posts_tenant_id_question_id_fkey FOREIGN KEY (tenant_id, question_id) REFERENCES learning.posts(tenant_id, id) ON DELETE CASCADE;
alter table learning.homework add constraint homework_weight CHECK (((weight >= (0)::numeric) AND (weight <= (1000)::numeric))) NOT VALID;
alter table learning.tests add constraint tests_weight CHECK (((weight >= (0)::numeric) AND (weight <= (1000)::numeric))) NOT VALID;
alter table learning.notifications add constraint notifications_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.certificates add constraint certificates_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE;
alter table learning.episode_changes add constraint episode_changes_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE;

alter table learning.file_pieces alter column content set storage external;

CREATE TRIGGER enrollments_added AFTER INSERT ON learning.enrollments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION learning.enrollments_added();
CREATE TRIGGER channels_made AFTER INSERT ON learning.channels REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION learning.channels_made();
CREATE TRIGGER search_added AFTER INSERT ON learning.channels FOR EACH ROW EXECUTE FUNCTION learning.search_changed('channel');
CREATE TRIGGER search_changed AFTER UPDATE OF title, description, category, tags ON learning.channels FOR EACH ROW WHEN (((((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description)) OR (old.category IS DISTINCT FROM new.category)) OR (old.tags IS DISTINCT FROM new.tags))) EXECUTE FUNCTION learning.search_changed('channel');
CREATE TRIGGER search_deleted AFTER UPDATE OF deleted_at ON learning.channels FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION learning.search_changed('gone');
CREATE TRIGGER search_removed AFTER DELETE ON learning.channels FOR EACH ROW EXECUTE FUNCTION learning.search_changed('gone');
CREATE TRIGGER search_added AFTER INSERT ON learning.episodes FOR EACH ROW EXECUTE FUNCTION learning.search_changed('episode');
CREATE TRIGGER search_changed AFTER UPDATE OF title, description, authors ON learning.episodes FOR EACH ROW WHEN ((((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description)) OR (old.authors IS DISTINCT FROM new.authors))) EXECUTE FUNCTION learning.search_changed('episode');
CREATE TRIGGER search_moved AFTER UPDATE OF channel_id, deleted_at ON learning.episodes FOR EACH ROW WHEN (((old.channel_id IS DISTINCT FROM new.channel_id) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION learning.search_changed('moved');
CREATE TRIGGER search_removed AFTER DELETE ON learning.episodes FOR EACH ROW EXECUTE FUNCTION learning.search_changed('lost');
CREATE TRIGGER search_added AFTER INSERT ON learning.videos FOR EACH ROW WHEN (((new.chapters <> '[]'::jsonb) OR (new.transcript <> ''::text))) EXECUTE FUNCTION learning.search_changed('video');
CREATE TRIGGER search_changed AFTER UPDATE OF chapters, transcript ON learning.videos FOR EACH ROW WHEN (((old.chapters IS DISTINCT FROM new.chapters) OR (old.transcript IS DISTINCT FROM new.transcript))) EXECUTE FUNCTION learning.search_changed('video');
