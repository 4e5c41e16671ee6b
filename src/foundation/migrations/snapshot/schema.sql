-- The schema foundation of an empty database, in place of the migrations below (docs/decisions/schema-snapshot.md).
-- Written by test/schema.test.ts --write: edit the migrations, not this file.
-- 0001_foundation.sql 04855eaae22ece5ca04cbeafc32d587412d9e72319b699534d694f36c01cda91
-- 0002_jobs.sql 7533b272047c49574c57f2e1b6357cea57aecc2ac0582ebeda33c14165732f23
-- 0003_job_indexes.sql 8dbbdce64a74e878bd77880803f15c3004492f0f046620b491dec7d2b5ebf7ab
-- 0004_jobs.sql 79ecc05582ce8e2fe1f6f2ff95f0c744a775f0ea160fe9436744d344fb69cb12
-- 0006_search.sql 7bea7ebba02886ab64d18819f3c2637cfded899bcf7c607615d791fa9a3547c9
-- 0020_fold_ascii.sql b0ed757b6f5a69fd085290c75249d8b5a2c564ddf671b863c3e5e011a08d32d1
-- 0071_traces.sql b85b6f020df6b86f046e266ef36f42648560be0ef1bb23645899f5fde43474cb
-- 0090_backfills.sql 7fec481f3601ccfa999647a30d8fc53b4a096c41ff972787f296ecd6a6198780
-- 0096_backups.sql 8eeb71e4e09de5f93eb257ab2b9d4e1c2dfa70329849a278cd385682b3729a3e
-- Bodies of functions name tables that are made below.
set local check_function_bodies = off;

create schema foundation;

CREATE FUNCTION foundation.fold(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  if octet_length(value) = char_length(value) then return lower(value collate "C"); end if;
  return normalize(regexp_replace(
    translate(lower(normalize(value, nfkd) collate "und-x-icu"),
      'ᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿ',
      'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿ'),
    U&'[\0300-\036F\0483-\0487\0591-\05BD\05BF\05C1\05C2\05C4\05C5\0610-\061A\064B-\065F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g'), nfkc);
end $function$;
CREATE FUNCTION foundation.iso(value timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
RETURN to_char((value AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);
CREATE FUNCTION foundation.words(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare words text;
begin
  if octet_length(value) = char_length(value) then
    words := regexp_replace(lower(value collate "C"), '[^a-z0-9]+', ' ', 'g');
  else
    words := foundation.fold(value);
    if words ~ '[\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]' then
      words := regexp_replace(words, '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g');
    end if;
    words := regexp_replace(words collate "und-x-icu", '[^[:alnum:]]+', ' ', 'g');
  end if;
  if octet_length(words) > 2046 then
    words := regexp_replace(words, '([^ ]{200})[^ ]+', '\1', 'g');
  end if;
  return btrim(words);
end $function$;
CREATE FUNCTION foundation.search_query(value text, is_each_unfinished boolean DEFAULT false)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (COALESCE((replace(NULLIF(foundation.words(value), ''::text), ' '::text, CASE WHEN is_each_unfinished THEN ':* & '::text ELSE ' & '::text END) || ':*'::text), ''::text))::tsquery;
CREATE FUNCTION foundation.backfill(most integer, only_step text DEFAULT NULL::text)
 RETURNS TABLE(step text, is_done boolean)
 LANGUAGE plpgsql
AS $function$
declare
  one foundation.backfills;
  last text;
  more bigint;
begin
  select * into one from foundation.backfills b
   where b.finished_at is null and (only_step is null or b.step = only_step)
   order by b.started_at, b.step limit 1 for update skip locked;
  if not found then return; end if;
  execute format('select last, changed from %s($1, $2)', one.step) into last, more using one.after, most;
  update foundation.backfills b
     set after = coalesce(last, b.after), changed = b.changed + more,
         finished_at = case when last is null then clock_timestamp() end
   where b.step = one.step;
  return query select one.step, last is null;
end $function$;

create table foundation.migrations (
  source text not null,
  number integer not null,
  name text not null,
  sha256 text not null,
  applied_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint migrations_pkey PRIMARY KEY (source, number)
);
create table foundation.jobs (
  job_id uuid not null,
  kind text not null,
  priority smallint not null default 1,
  payload jsonb not null default '{}'::jsonb,
  state text not null default 'pending'::text,
  delays integer[] not null default '{}'::integer[],
  is_endless boolean not null default false,
  lease_seconds integer not null default 10,
  attempts integer not null default 0,
  claims integer not null default 0,
  next_delay integer generated always as (delays[
CASE
    WHEN is_endless THEN LEAST((attempts + 1), cardinality(delays))
    ELSE (attempts + 1)
END]) stored,
  run_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  last_error text,
  created_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  finished_at timestamp(3) with time zone,
  trace text,
  constraint jobs_pkey PRIMARY KEY (job_id),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text, 'held'::text]))),
  constraint jobs_lease_seconds_check CHECK ((lease_seconds > 0)),
  constraint jobs_check CHECK (((lease_token IS NULL) = (lease_until IS NULL))),
  constraint jobs_check1 CHECK (((NOT is_endless) OR (cardinality(delays) > 0)))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
create table foundation.backfills (
  step text not null,
  expected bigint not null,
  after text,
  changed bigint not null default 0,
  started_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  constraint backfills_pkey PRIMARY KEY (step)
);
create table foundation.backups (
  created_at timestamp(3) with time zone not null,
  constraint backups_pkey PRIMARY KEY (created_at)
);

CREATE INDEX jobs_due ON foundation.jobs USING btree (priority, run_at, job_id) WHERE (state = 'pending'::text);
CREATE INDEX jobs_done_by_time ON foundation.jobs USING btree (finished_at, job_id) WHERE (state = 'done'::text);
CREATE INDEX jobs_failed ON foundation.jobs USING btree (kind, state, finished_at, job_id) WHERE (state = ANY (ARRAY['failed'::text, 'held'::text]));
