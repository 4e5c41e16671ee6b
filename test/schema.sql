-- What all migrations produce. Written by test/schema.test.ts --write; edit the migrations, not this file.

create type collections.role as enum ('viewer', 'editor', 'admin');

CREATE OR REPLACE FUNCTION foundation.fold(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN NORMALIZE(regexp_replace(translate(lower((NORMALIZE(value, NFKD) COLLATE "und-x-icu")), 'ᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿ'::text, 'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿ'::text), '[̀-ͯ҃-֑҇-ֽֿׁׂׅׄؐ-ًؚ-ٟ᪰-᫿᷀-᷿⃐-⃿︠-︯]'::text, ''::text, 'g'::text), NFKC);
CREATE OR REPLACE FUNCTION foundation.iso(value timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
RETURN to_char((value AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);
CREATE OR REPLACE FUNCTION learning.channels_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform learning.count_channels(tenant_id, count(*) filter (where is_listed), count(*) filter (where deleted_at is null))
     from added group by tenant_id;
  insert into learning.channel_editors (tenant_id, user_id, channel_id, created_at, is_unlisted)
  select distinct added.tenant_id, editor, added.id, added.created_at, not added.is_listed
    from added, unnest(added.owner_id || added.instructor_ids) as editor
   where added.deleted_at is null;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION learning.channels_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform learning.count_channels(tenant_id, sum(listed), sum(live))
     from (select tenant_id, is_listed::int as listed, (deleted_at is null)::int as live from after
           union all
           select tenant_id, -is_listed::int, -(deleted_at is null)::int from before) as moved
    group by tenant_id;
  if exists (select from before join after using (tenant_id, id)
              where (before.owner_id, before.instructor_ids, before.is_listed, before.deleted_at)
                 is distinct from (after.owner_id, after.instructor_ids, after.is_listed, after.deleted_at)) then
    delete from learning.channel_editors using before
     where channel_editors.tenant_id = before.tenant_id and channel_editors.channel_id = before.id;
    insert into learning.channel_editors (tenant_id, user_id, channel_id, created_at, is_unlisted)
    select distinct after.tenant_id, editor, after.id, after.created_at, not after.is_listed
      from after, unnest(after.owner_id || after.instructor_ids) as editor
     where after.deleted_at is null;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION learning.channels_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform learning.count_channels(tenant_id, -count(*) filter (where is_listed), -count(*) filter (where deleted_at is null))
     from removed group by tenant_id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION learning.count_channels(tenant text, listed_by bigint, live_by bigint)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO learning.channel_counts (tenant_id, slot, listed, live)  SELECT count_channels.tenant AS tenant,
             (pg_backend_pid() % 16),
             count_channels.listed_by AS listed_by,
             count_channels.live_by AS live_by
           WHERE ((count_channels.listed_by <> 0) OR (count_channels.live_by <> 0)) ON CONFLICT(tenant_id, slot) DO UPDATE SET listed = (channel_counts.listed + excluded.listed), live = (channel_counts.live + excluded.live);
END;
CREATE OR REPLACE FUNCTION learning.count_released(tenant text, channel uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (count(*))::integer AS count
    FROM learning.episodes e
   WHERE ((e.tenant_id = count_released.tenant) AND (e.channel_id = count_released.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at));
END;
CREATE OR REPLACE FUNCTION learning.is_released(status text, release_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((status = 'published'::text) AND ((release_at IS NULL) OR (release_at <= statement_timestamp())));
CREATE OR REPLACE FUNCTION learning.search_query(value text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (COALESCE((SELECT string_agg((((''''::text || word.word) || ''''::text) || CASE WHEN (word.word = last.last_word) THEN ':*'::text ELSE ''::text END), ' & '::text) AS string_agg FROM unnest(learning.words(search_query.value)) word(word), (SELECT (regexp_match(foundation.fold(search_query.value), ('([[:alnum:]]+)[^[:alnum:]]*$'::text COLLATE "und-x-icu")))[1] AS regexp_match) last(last_word)), ''::text))::tsquery;
CREATE OR REPLACE FUNCTION learning.show_channel()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select left(row_to_json(shown)::text, -1) into new.shown from (
    select new.id, new.title, new.description, new.language, new.category, new.level, new.tags, new.thumbnail_url,
           new.status, new.enrollment, new.visibility, new.sequential, new.completion_threshold, new.passing_percent,
           new.grade_weights, new.instructor_ids, new.owner_id, new.external_id, new.version,
           foundation.iso(new.published_at) as published_at, foundation.iso(new.created_at) as created_at,
           foundation.iso(new.updated_at) as updated_at) as shown;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION learning.sum_released(tenant text, channel uuid)
 RETURNS numeric
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(sum(v.duration_seconds), (0)::numeric) AS "coalesce"
    FROM (learning.episodes e
      JOIN learning.videos v ON (((v.tenant_id = e.tenant_id) AND (v.episode_id = e.id))))
   WHERE ((e.tenant_id = sum_released.tenant) AND (e.channel_id = sum_released.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at));
END;
CREATE OR REPLACE FUNCTION learning.words(value text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN COALESCE((SELECT array_agg(DISTINCT "left"(word.word, 200)) AS array_agg FROM regexp_split_to_table(regexp_replace(foundation.fold(words.value), '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text), ('[^[:alnum:]]+'::text COLLATE "und-x-icu")) word(word) WHERE (word.word <> ''::text)), '{}'::text[]);
CREATE OR REPLACE FUNCTION sso.audit_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform sso.count_audit(environment, site_id, action, -count(*)) from removed group by environment, site_id, action;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.audit_written()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sso.audit_counts (environment, site_id, action, slot, lines)
  select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, pg_backend_pid() % 16, count(*)
    from added group by 1, 2, 3
      on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.count_audit(of_environment text, of_site uuid, of_action text, by bigint)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO sso.audit_counts (environment, site_id, action, slot, lines)
   VALUES (count_audit.of_environment, COALESCE(count_audit.of_site, '00000000-0000-0000-0000-000000000000'::uuid), count_audit.of_action, (pg_backend_pid() % 16), count_audit.by) ON CONFLICT(site_id, environment, action, slot) DO UPDATE SET lines = (audit_counts.lines + excluded.lines);
END;
CREATE OR REPLACE FUNCTION sso.count_members(site uuid, env text, members_by bigint)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO sso.member_counts (site_id, environment, slot, members)  SELECT count_members.site AS site,
             count_members.env AS env,
             (pg_backend_pid() % 16),
             count_members.members_by AS members_by ON CONFLICT(site_id, environment, slot) DO UPDATE SET members = (member_counts.members + excluded.members);
END;
CREATE OR REPLACE FUNCTION sso.count_people(env text, people_by bigint)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO sso.user_counts (environment, slot, people)  SELECT count_people.env AS env,
             (pg_backend_pid() % 16),
             count_people.people_by AS people_by
           WHERE (count_people.people_by <> 0) ON CONFLICT(environment, slot) DO UPDATE SET people = (user_counts.people + excluded.people);
END;
CREATE OR REPLACE FUNCTION sso.member_joins()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select environment, created_at into new.environment, new.user_created_at from sso.users where user_id = new.user_id;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION sso.members_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform sso.count_members(site_id, environment, members)
     from (select site_id, environment, count(*) as members from added
            group by site_id, environment order by site_id, environment) as joined;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.members_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform sso.count_members(site_id, environment, -members)
     from (select site_id, environment, count(*) as members from removed
            group by site_id, environment order by site_id, environment) as gone;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.people_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform sso.count_people(environment, count(*) filter (where status <> 'deleted')) from added group by environment;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.people_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform sso.count_people(environment, -count(*) filter (where status <> 'deleted')) from removed group by environment;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.person_erased()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform sso.count_people(new.environment, (new.status <> 'deleted')::int - (old.status <> 'deleted')::int);
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.search_query(value text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (COALESCE((SELECT string_agg(((''''::text || word.word) || ''':*'::text), ' & '::text) AS string_agg FROM unnest(sso.words(search_query.value)) word(word)), ''::text))::tsquery;
CREATE OR REPLACE FUNCTION sso.session_version_rose()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sso.session_bumps (user_id, session_version) values (new.user_id, new.session_version)
  on conflict (xid, user_id) do update set session_version = excluded.session_version;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.words(value text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN COALESCE((SELECT array_agg(DISTINCT "left"(word.word, 200)) AS array_agg FROM regexp_split_to_table(regexp_replace(foundation.fold(words.value), '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text), ('[^[:alnum:]]+'::text COLLATE "und-x-icu")) word(word) WHERE (word.word <> ''::text)), '{}'::text[]);

create table collections.collection_ancestors (
  ancestor_id uuid not null,
  descendant_id uuid not null,
  distance smallint not null,
  constraint collection_ancestors_pkey PRIMARY KEY (descendant_id, ancestor_id) INCLUDE (distance),
  constraint collection_ancestors_ancestor_id_fkey FOREIGN KEY (ancestor_id) REFERENCES collections.collections(id) ON DELETE CASCADE,
  constraint collection_ancestors_descendant_id_fkey FOREIGN KEY (descendant_id) REFERENCES collections.collections(id) ON DELETE CASCADE,
  constraint collection_ancestors_distance_check CHECK (((distance >= 0) AND (distance <= 9)))
);
create table collections.collections (
  id uuid not null,
  tenant_id uuid not null,
  parent_id uuid,
  root_id uuid not null,
  depth smallint not null,
  inherit_members boolean not null default true,
  inherit_reach smallint not null,
  name text not null,
  description text,
  type text not null default 'general'::text,
  external_key text,
  metadata jsonb not null default '{}'::jsonb,
  created_by uuid,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint collections_pkey PRIMARY KEY (id),
  constraint collections_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES collections.collections(id),
  constraint collections_root_id_fkey FOREIGN KEY (root_id) REFERENCES collections.collections(id),
  constraint collections_check CHECK (((inherit_reach >= 0) AND (inherit_reach <= depth))),
  constraint collections_cut_reaches_nothing CHECK ((inherit_members OR (inherit_reach = 0))),
  constraint collections_depth_check CHECK (((depth >= 0) AND (depth <= 9))),
  constraint collections_description_check CHECK ((char_length(description) <= 5000)),
  constraint collections_external_key_check CHECK (((char_length(external_key) >= 1) AND (char_length(external_key) <= 128))),
  constraint collections_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint collections_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint collections_root_has_no_parent CHECK (((parent_id IS NULL) = (depth = 0)))
);
create table collections.members (
  collection_id uuid not null,
  user_id uuid not null,
  role collections.role not null,
  invited_by uuid,
  joined_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint members_pkey PRIMARY KEY (collection_id, user_id),
  constraint members_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections.collections(id) ON DELETE CASCADE
);
create table collections.sessions (
  token_hash bytea not null,
  user_id uuid not null,
  tenant_id uuid not null,
  sso_session_id uuid not null,
  session_version integer not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null default (clock_timestamp() + '12:00:00'::interval),
  constraint sessions_pkey PRIMARY KEY (token_hash)
);
create table foundation.jobs (
  job_id uuid not null,
  kind text not null,
  lane text not null,
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
END]),
  run_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  last_error text,
  created_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  finished_at timestamp(3) with time zone,
  constraint jobs_pkey PRIMARY KEY (job_id),
  constraint jobs_check CHECK (((lease_token IS NULL) = (lease_until IS NULL))),
  constraint jobs_check1 CHECK (((NOT is_endless) OR (cardinality(delays) > 0))),
  constraint jobs_lease_seconds_check CHECK ((lease_seconds > 0)),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text, 'held'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
create table foundation.migrations (
  source text not null,
  number integer not null,
  name text not null,
  sha256 text not null,
  applied_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint migrations_pkey PRIMARY KEY (source, number)
);
create table learning.channel_counts (
  tenant_id text not null,
  slot smallint not null,
  listed integer not null,
  live integer not null,
  constraint channel_counts_pkey PRIMARY KEY (tenant_id, slot)
) with (fillfactor=50);
create table learning.channel_editors (
  tenant_id text not null,
  user_id text not null,
  channel_id uuid not null,
  created_at timestamp(3) with time zone not null,
  is_unlisted boolean not null,
  constraint channel_editors_pkey PRIMARY KEY (tenant_id, user_id, channel_id),
  constraint channel_editors_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE
);
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
  is_listed boolean not null generated always as (((deleted_at IS NULL) AND (status = 'published'::text) AND (visibility <> 'private'::text))),
  shown text not null,
  search tsvector not null generated always as (array_to_tsvector(learning.words(((title || ' '::text) || description)))),
  constraint channels_pkey PRIMARY KEY (tenant_id, id),
  constraint channels_completion_threshold_check CHECK (((completion_threshold >= 0.5) AND (completion_threshold <= (1)::numeric))),
  constraint channels_enrollment_check CHECK ((enrollment = ANY (ARRAY['open'::text, 'closed'::text]))),
  constraint channels_level_check CHECK ((level = ANY (ARRAY['all'::text, 'beginner'::text, 'intermediate'::text, 'advanced'::text]))),
  constraint channels_passing_percent_check CHECK (((passing_percent >= (0)::numeric) AND (passing_percent <= (100)::numeric))),
  constraint channels_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint channels_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'tenant'::text, 'private'::text])))
);
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
  shown text not null default ''::text,
  constraint episodes_pkey PRIMARY KEY (tenant_id, id),
  constraint episodes_id_once UNIQUE (id),
  constraint episodes_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE,
  constraint episodes_season_check CHECK (((season >= 1) AND (season <= 1000))),
  constraint episodes_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text])))
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
  trackable boolean not null generated always as ((kind <> 'embed'::text)),
  has_captions boolean not null generated always as ((jsonb_array_length(captions) > 0)),
  has_transcript boolean not null generated always as ((transcript <> ''::text)),
  constraint videos_pkey PRIMARY KEY (tenant_id, episode_id),
  constraint videos_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE,
  constraint videos_completion_threshold_check CHECK (((completion_threshold >= 0.5) AND (completion_threshold <= (1)::numeric))),
  constraint videos_duration_seconds_check CHECK (((duration_seconds > (0)::numeric) AND (duration_seconds <= (86400)::numeric))),
  constraint videos_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'hls'::text, 'embed'::text])))
);
create table sso.audit_counts (
  site_id uuid not null,
  environment text not null,
  action text not null,
  slot smallint not null,
  lines bigint not null,
  constraint audit_counts_pkey PRIMARY KEY (site_id, environment, action, slot)
) with (fillfactor=50);
create table sso.audit_log (
  audit_id uuid not null,
  occurred_at timestamp(3) with time zone not null default clock_timestamp(),
  action text not null,
  environment text not null,
  site_id uuid,
  actor_user_id uuid,
  subject_user_id uuid,
  ip_address text,
  user_agent text,
  details jsonb not null default '{}'::jsonb,
  constraint audit_log_pkey PRIMARY KEY (audit_id),
  constraint audit_log_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);
create table sso.deprecation_notices (
  route text not null,
  since date not null,
  sunset date not null,
  announced_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint deprecation_notices_pkey PRIMARY KEY (route, since, sunset)
);
create table sso.erasure_sites (
  site_id uuid not null,
  erased_at timestamp(3) with time zone not null,
  user_id uuid not null,
  constraint erasure_sites_pkey PRIMARY KEY (site_id, erased_at, user_id),
  constraint erasure_sites_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.erasures(user_id) ON DELETE CASCADE
);
create table sso.erasures (
  user_id uuid not null,
  environment text not null,
  reason_code text not null,
  ccpa_drop_request boolean not null,
  gdpr_erasure_request boolean not null,
  erased_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint erasures_pkey PRIMARY KEY (user_id),
  constraint erasures_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);
create table sso.member_counts (
  site_id uuid not null,
  environment text not null,
  slot smallint not null,
  members integer not null,
  constraint member_counts_pkey PRIMARY KEY (site_id, environment, slot)
) with (fillfactor=50);
create table sso.memberships (
  user_id uuid not null,
  site_id uuid not null,
  role text not null,
  external_id text,
  suspended_at timestamp(3) with time zone,
  joined_at timestamp(3) with time zone not null default clock_timestamp(),
  assigned_by uuid,
  assigned_at timestamp(3) with time zone not null default clock_timestamp(),
  environment text not null,
  user_created_at timestamp(3) with time zone not null,
  constraint memberships_pkey PRIMARY KEY (user_id, site_id),
  constraint memberships_by_external_id UNIQUE (site_id, external_id),
  constraint memberships_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint memberships_site_id_role_fkey FOREIGN KEY (site_id, role) REFERENCES sso.roles(site_id, role),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.messages (
  message_id uuid not null,
  environment text not null,
  site_id uuid,
  user_id uuid not null,
  channel text not null,
  kind text not null,
  recipient text not null,
  body_enc bytea,
  status text not null,
  failure text,
  job_id uuid,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  constraint messages_pkey PRIMARY KEY (message_id),
  constraint messages_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint messages_body_until_it_left CHECK (((body_enc IS NULL) = (status = ANY (ARRAY['sent'::text, 'failed'::text])))),
  constraint messages_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint messages_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint messages_sandbox_stays CHECK (((environment = 'sandbox'::text) = (status = 'logged'::text))),
  constraint messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'logged'::text])))
);
create table sso.mfa_challenges (
  token_hash bytea not null,
  user_id uuid not null,
  site_id uuid not null,
  methods text[] not null,
  login_id uuid not null,
  auth_methods text[] not null,
  device_name text,
  attempts integer not null default 0,
  email_code_hmac bytea,
  email_sent_at timestamp(3) with time zone,
  webauthn_challenge text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  constraint mfa_challenges_pkey PRIMARY KEY (token_hash),
  constraint mfa_challenges_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint mfa_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.mfa_factors (
  factor_id uuid not null,
  user_id uuid not null,
  type text not null,
  name text,
  secret_enc bytea,
  last_used_step bigint,
  credential_id text,
  public_key bytea,
  sign_count bigint,
  transports text[],
  email text,
  enrol_challenge text,
  enrol_code_hmac bytea,
  enrol_attempts integer not null default 0,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  activated_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  constraint mfa_factors_pkey PRIMARY KEY (factor_id),
  constraint mfa_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint mfa_factors_email_has_address CHECK (((type <> 'email'::text) OR (email IS NOT NULL))),
  constraint mfa_factors_totp_has_seed CHECK (((type <> 'totp'::text) OR (secret_enc IS NOT NULL))),
  constraint mfa_factors_type_check CHECK ((type = ANY (ARRAY['totp'::text, 'webauthn'::text, 'email'::text]))),
  constraint mfa_factors_webauthn_has_key CHECK (((type <> 'webauthn'::text) OR (activated_at IS NULL) OR ((credential_id IS NOT NULL) AND (public_key IS NOT NULL) AND (sign_count IS NOT NULL))))
);
create table sso.one_time_tokens (
  token_hash bytea not null,
  user_id uuid not null,
  site_id uuid,
  purpose text not null,
  email_fold text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  spent_at timestamp(3) with time zone,
  constraint one_time_tokens_pkey PRIMARY KEY (token_hash),
  constraint one_time_tokens_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['email_verification'::text, 'password_reset'::text, 'invitation'::text])))
);
create table sso.recovery_codes (
  user_id uuid not null,
  code_hmac bytea not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  used_at timestamp(3) with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hmac),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  generation integer not null,
  issued_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  successor_hash bytea,
  consumed_ip text,
  consumed_ua_hash bytea,
  idempotency_hash bytea,
  response_enc bytea,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_in_line UNIQUE (session_id, generation),
  constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE,
  constraint refresh_tokens_spent_has_successor CHECK (((consumed_at IS NULL) = (successor_hash IS NULL)))
) with (fillfactor=80);
create table sso.roles (
  site_id uuid not null,
  role text not null,
  name text not null,
  description text not null,
  permissions text[] not null,
  is_admin boolean not null default false,
  is_default boolean not null default false,
  constraint roles_pkey PRIMARY KEY (site_id, role),
  constraint roles_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE
);
create table sso.session_bumps (
  xid xid8 not null default pg_current_xact_id(),
  user_id uuid not null,
  session_version integer not null,
  revoked_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint session_bumps_pkey PRIMARY KEY (xid, user_id)
);
create table sso.sessions (
  session_id uuid not null,
  login_id uuid not null,
  user_id uuid not null,
  site_id uuid not null,
  auth_methods text[] not null,
  auth_time timestamp(3) with time zone not null default clock_timestamp(),
  ip_address text,
  user_agent text,
  device_name text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_seen_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  revoke_reason text,
  constraint sessions_pkey PRIMARY KEY (session_id),
  constraint sessions_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint sessions_end_has_reason CHECK (((revoked_at IS NULL) = (revoke_reason IS NULL)))
) with (fillfactor=80);
create table sso.sign_in_codes (
  code_hash bytea not null,
  session_id uuid not null,
  token_enc bytea not null,
  expires_at timestamp(3) with time zone not null,
  constraint sign_in_codes_pkey PRIMARY KEY (code_hash),
  constraint sign_in_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE
);
create table sso.signing_keys (
  kid text not null,
  environment text not null,
  alg text not null,
  purpose text not null,
  state text not null,
  public_jwk jsonb not null,
  private_enc bytea,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  activated_at timestamp(3) with time zone,
  retiring_at timestamp(3) with time zone,
  activates_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_active_since CHECK (((state = ANY (ARRAY['standby'::text, 'revoked'::text])) OR (activated_at IS NOT NULL))),
  constraint signing_keys_alg_check CHECK ((alg = 'RS256'::text)),
  constraint signing_keys_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint signing_keys_private_until_revoked CHECK (((state = 'revoked'::text) = (private_enc IS NULL))),
  constraint signing_keys_purpose_check CHECK ((purpose = ANY (ARRAY['access'::text, 'logout'::text]))),
  constraint signing_keys_retiring_since CHECK (((state <> 'retiring'::text) OR (retiring_at IS NOT NULL))),
  constraint signing_keys_revoked_since CHECK (((state = 'revoked'::text) = (revoked_at IS NOT NULL))),
  constraint signing_keys_state_check CHECK ((state = ANY (ARRAY['standby'::text, 'active'::text, 'retiring'::text, 'revoked'::text])))
);
create table sso.site_keys (
  key_hash bytea not null,
  site_id uuid not null,
  hint text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint site_keys_pkey PRIMARY KEY (key_hash),
  constraint site_keys_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE
);
create table sso.sites (
  site_id uuid not null,
  tenant_id uuid not null,
  site_code text not null,
  name text not null,
  domain text not null,
  environment text not null,
  callback_url text,
  token_signing text not null default 'HS256'::text,
  hs_generation integer not null default 1,
  refresh_reuse_policy text not null default 'tolerant'::text,
  trust_client_ip boolean not null default false,
  plan text not null default 'starter'::text,
  retention_days integer,
  session_max_days integer,
  is_first_party boolean not null default false,
  webhook_secret_enc bytea not null,
  webhook_secret_old_enc bytea,
  webhook_switch_at timestamp(3) with time zone,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  hs_rotated_at timestamp(3) with time zone,
  constraint sites_pkey PRIMARY KEY (site_id),
  constraint sites_by_code UNIQUE (site_code),
  constraint sites_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id),
  constraint sites_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint sites_plan_check CHECK ((plan = ANY (ARRAY['starter'::text, 'business'::text, 'enterprise'::text]))),
  constraint sites_refresh_reuse_policy_check CHECK ((refresh_reuse_policy = ANY (ARRAY['tolerant'::text, 'strict'::text]))),
  constraint sites_retention_days_check CHECK ((retention_days > 0)),
  constraint sites_session_max_days_check CHECK ((session_max_days > 0)),
  constraint sites_token_signing_check CHECK ((token_signing = ANY (ARRAY['HS256'::text, 'RS256'::text, 'dual'::text])))
);
create table sso.tenants (
  tenant_id uuid not null,
  name text not null,
  environment text not null,
  production_tenant_id uuid,
  created_by uuid,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint tenants_pkey PRIMARY KEY (tenant_id),
  constraint tenants_one_twin UNIQUE (production_tenant_id),
  constraint tenants_production_tenant_id_fkey FOREIGN KEY (production_tenant_id) REFERENCES sso.tenants(tenant_id),
  constraint tenants_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint tenants_twin_is_sandbox CHECK (((production_tenant_id IS NULL) OR (environment = 'sandbox'::text)))
);
create table sso.user_counts (
  environment text not null,
  slot smallint not null,
  people integer not null,
  constraint user_counts_pkey PRIMARY KEY (environment, slot)
) with (fillfactor=50);
create table sso.users (
  user_id uuid not null,
  environment text not null,
  email text,
  email_fold text,
  email_verified boolean not null default false,
  email_proven_at timestamp(3) with time zone,
  username text,
  username_fold text,
  password_hash text,
  phone text,
  display_name text,
  given_name text,
  family_name text,
  locale text,
  time_zone text,
  avatar_url text,
  metadata jsonb not null default '{}'::jsonb,
  status text not null default 'active'::text,
  session_version integer not null default 1,
  version integer not null default 1,
  registration_site_id uuid,
  registration_source text not null,
  last_login_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  phone_verified boolean not null default false,
  search tsvector not null generated always as (array_to_tsvector(sso.words(((((((((COALESCE(email, ''::text) || ' '::text) || COALESCE(username, ''::text)) || ' '::text) || COALESCE(display_name, ''::text)) || ' '::text) || COALESCE(given_name, ''::text)) || ' '::text) || COALESCE(family_name, ''::text))))),
  display_name_fold text not null generated always as (foundation.fold(COALESCE(display_name, ''::text))),
  constraint users_pkey PRIMARY KEY (user_id),
  constraint users_registration_site_id_fkey FOREIGN KEY (registration_site_id) REFERENCES sso.sites(site_id),
  constraint users_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint users_reachable CHECK (((status = 'deleted'::text) OR ((email IS NOT NULL) AND (email_fold IS NOT NULL)))),
  constraint users_registration_source_check CHECK ((registration_source = ANY (ARRAY['register'::text, 'admin'::text, 'bulk_import'::text, 'sso_jit'::text]))),
  constraint users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text])))
);
create table sso.webhook_attempts (
  delivery_id uuid not null,
  claim integer not null,
  started_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  response_status integer,
  error text,
  retry_after text,
  duration_ms integer,
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, claim),
  constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES sso.webhook_deliveries(delivery_id) ON DELETE CASCADE
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02);
create table sso.webhook_deliveries (
  delivery_id uuid not null,
  event_id uuid not null,
  webhook_id uuid not null,
  site_id uuid not null,
  event_type text not null,
  run integer not null default 1,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  max_attempts integer not null,
  next_attempt_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  delivered_at timestamp(3) with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  constraint webhook_deliveries_runs UNIQUE (event_id, webhook_id, run),
  constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES sso.webhook_events(event_id) ON DELETE CASCADE,
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES sso.webhook_endpoints(webhook_id) ON DELETE CASCADE,
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'held'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
create table sso.webhook_endpoints (
  webhook_id uuid not null,
  site_id uuid not null,
  url text not null,
  events text[] not null,
  description text,
  all_sites boolean not null default false,
  status text not null default 'active'::text,
  auto_disable boolean not null default false,
  consecutive_failures integer not null default 0,
  failing_since timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (webhook_id),
  constraint webhook_endpoints_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
create table sso.webhook_events (
  event_id uuid not null,
  fact_id uuid,
  site_id uuid not null,
  subject_user_id uuid,
  event_type text not null,
  body bytea,
  erased_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint webhook_events_pkey PRIMARY KEY (event_id),
  constraint webhook_events_once_per_site UNIQUE (fact_id, site_id),
  constraint webhook_events_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint webhook_events_blank_is_erased CHECK (((body IS NOT NULL) OR (erased_at IS NOT NULL)))
);
create table sso.webhook_facts (
  fact_id uuid not null,
  event_type text not null,
  environment text not null,
  subject_user_id uuid,
  site_ids uuid[],
  origin_site_id uuid,
  data json,
  data_public json,
  erased_at timestamp(3) with time zone,
  occurred_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint webhook_facts_pkey PRIMARY KEY (fact_id),
  constraint webhook_facts_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
) with (fillfactor=80);

CREATE INDEX collection_ancestors_downwards ON collections.collection_ancestors USING btree (ancestor_id, distance) INCLUDE (descendant_id);
CREATE INDEX collections_by_change ON collections.collections USING btree (tenant_id, updated_at DESC, id DESC);
CREATE UNIQUE INDEX collections_by_external_key ON collections.collections USING btree (root_id, external_key) WHERE (external_key IS NOT NULL);
CREATE INDEX collections_by_parent ON collections.collections USING btree (parent_id);
CREATE INDEX members_admins ON collections.members USING btree (collection_id) WHERE (role = 'admin'::collections.role);
CREATE INDEX members_by_user ON collections.members USING btree (user_id, collection_id) INCLUDE (role);
CREATE INDEX sessions_by_expiry ON collections.sessions USING btree (expires_at);
CREATE INDEX sessions_by_sso_session ON collections.sessions USING btree (sso_session_id);
CREATE INDEX jobs_by_lane ON foundation.jobs USING btree (lane, priority, run_at, job_id) WHERE (state = 'pending'::text);
CREATE INDEX jobs_done_by_time ON foundation.jobs USING btree (finished_at, job_id) WHERE (state = 'done'::text);
CREATE INDEX jobs_due ON foundation.jobs USING btree (priority, run_at, job_id) WHERE (state = 'pending'::text);
CREATE INDEX jobs_failed ON foundation.jobs USING btree (kind, state, finished_at, job_id) WHERE (state = ANY (ARRAY['failed'::text, 'held'::text]));
CREATE INDEX channel_editors_by_channel ON learning.channel_editors USING btree (tenant_id, channel_id);
CREATE INDEX channel_editors_own ON learning.channel_editors USING btree (tenant_id, user_id, created_at DESC, channel_id DESC);
CREATE INDEX channel_editors_unlisted ON learning.channel_editors USING btree (tenant_id, user_id, created_at DESC, channel_id DESC) WHERE is_unlisted;
CREATE UNIQUE INDEX channels_by_external_id ON learning.channels USING btree (tenant_id, owner_id, external_id) WHERE ((deleted_at IS NULL) AND (external_id IS NOT NULL));
CREATE UNIQUE INDEX channels_by_id ON learning.channels USING btree (id);
CREATE INDEX channels_by_word ON learning.channels USING gin (search) WHERE (deleted_at IS NULL);
CREATE INDEX channels_listed ON learning.channels USING btree (tenant_id, created_at DESC, id DESC) WHERE is_listed;
CREATE INDEX channels_live ON learning.channels USING btree (tenant_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX episodes_live_in_order ON learning.episodes USING btree (tenant_id, channel_id, "position", id) WHERE (deleted_at IS NULL);
CREATE INDEX audit_counts_by_environment ON sso.audit_counts USING btree (environment, action);
CREATE INDEX audit_log_by_action ON sso.audit_log USING btree (site_id, action, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_actor ON sso.audit_log USING btree (actor_user_id) WHERE (actor_user_id IS NOT NULL);
CREATE INDEX audit_log_by_environment ON sso.audit_log USING btree (environment, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_site ON sso.audit_log USING btree (site_id, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_subject ON sso.audit_log USING btree (subject_user_id, occurred_at DESC, audit_id DESC) WHERE (subject_user_id IS NOT NULL);
CREATE INDEX erasure_sites_by_user ON sso.erasure_sites USING btree (user_id);
CREATE INDEX memberships_by_role ON sso.memberships USING btree (site_id, role, user_id);
CREATE INDEX memberships_newest ON sso.memberships USING btree (site_id, user_created_at DESC, user_id DESC);
CREATE INDEX messages_by_time ON sso.messages USING btree (environment, created_at, message_id) WHERE (status <> 'queued'::text);
CREATE INDEX messages_by_user ON sso.messages USING btree (user_id, kind, created_at);
CREATE INDEX messages_logged_by_site ON sso.messages USING btree (site_id, created_at DESC, message_id DESC) WHERE (status = 'logged'::text);
CREATE INDEX messages_queued ON sso.messages USING btree (created_at, message_id) WHERE (status = 'queued'::text);
CREATE INDEX mfa_challenges_by_end ON sso.mfa_challenges USING btree (expires_at, token_hash);
CREATE INDEX mfa_challenges_by_user ON sso.mfa_challenges USING btree (user_id);
CREATE UNIQUE INDEX mfa_factors_by_credential ON sso.mfa_factors USING btree (credential_id) WHERE (credential_id IS NOT NULL);
CREATE INDEX mfa_factors_by_user ON sso.mfa_factors USING btree (user_id, created_at, factor_id);
CREATE UNIQUE INDEX mfa_factors_one_email ON sso.mfa_factors USING btree (user_id) WHERE ((type = 'email'::text) AND (activated_at IS NOT NULL));
CREATE INDEX mfa_factors_unfinished ON sso.mfa_factors USING btree (created_at, factor_id) WHERE (activated_at IS NULL);
CREATE INDEX one_time_tokens_by_end ON sso.one_time_tokens USING btree (expires_at);
CREATE INDEX one_time_tokens_by_user ON sso.one_time_tokens USING btree (user_id, purpose) WHERE (spent_at IS NULL);
CREATE INDEX refresh_tokens_by_end ON sso.refresh_tokens USING btree (expires_at, token_hash);
CREATE INDEX refresh_tokens_with_answer ON sso.refresh_tokens USING btree (token_hash) WHERE (response_enc IS NOT NULL);
CREATE UNIQUE INDEX roles_one_default ON sso.roles USING btree (site_id) WHERE is_default;
CREATE INDEX session_bumps_by_time ON sso.session_bumps USING btree (revoked_at);
CREATE INDEX sessions_by_site ON sso.sessions USING btree (site_id, session_id);
CREATE INDEX sessions_by_user ON sso.sessions USING btree (user_id, created_at DESC, session_id DESC);
CREATE INDEX sign_in_codes_by_end ON sso.sign_in_codes USING btree (expires_at);
CREATE INDEX sign_in_codes_by_session ON sso.sign_in_codes USING btree (session_id);
CREATE UNIQUE INDEX signing_keys_one_active ON sso.signing_keys USING btree (environment, purpose) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX signing_keys_one_standby ON sso.signing_keys USING btree (environment, purpose) WHERE (state = 'standby'::text);
CREATE UNIQUE INDEX site_keys_by_hint ON sso.site_keys USING btree (site_id, hint) WHERE (revoked_at IS NULL);
CREATE INDEX site_keys_live_by_site ON sso.site_keys USING btree (site_id, created_at) WHERE (revoked_at IS NULL);
CREATE INDEX sites_by_tenant ON sso.sites USING btree (tenant_id, site_id);
CREATE INDEX tenants_by_founder ON sso.tenants USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE UNIQUE INDEX users_by_email ON sso.users USING btree (environment, email_fold) WHERE (status <> 'deleted'::text);
CREATE INDEX users_by_name ON sso.users USING btree (environment, display_name_fold, user_id) WHERE (status <> 'deleted'::text);
CREATE UNIQUE INDEX users_by_username ON sso.users USING btree (environment, username_fold) WHERE (status <> 'deleted'::text);
CREATE INDEX users_by_word ON sso.users USING gin (search) WITH (fastupdate=off) WHERE (status <> 'deleted'::text);
CREATE INDEX users_newest ON sso.users USING btree (environment, created_at DESC, user_id DESC) WHERE (status <> 'deleted'::text);
CREATE INDEX users_of_sandbox_by_age ON sso.users USING btree (created_at, user_id) WHERE (environment = 'sandbox'::text);
CREATE INDEX webhook_deliveries_by_endpoint ON sso.webhook_deliveries USING btree (webhook_id, created_at DESC, delivery_id DESC);
CREATE INDEX webhook_deliveries_by_site ON sso.webhook_deliveries USING btree (site_id, created_at DESC, delivery_id DESC);
CREATE UNIQUE INDEX webhook_endpoints_by_url ON sso.webhook_endpoints USING btree (site_id, url) WHERE (deleted_at IS NULL);
CREATE INDEX webhook_endpoints_of_all_sites ON sso.webhook_endpoints USING btree (site_id) WHERE (all_sites AND (deleted_at IS NULL));
CREATE INDEX webhook_events_by_subject ON sso.webhook_events USING btree (subject_user_id) WHERE (erased_at IS NULL);
CREATE INDEX webhook_events_by_time ON sso.webhook_events USING btree (created_at, event_id);
CREATE INDEX webhook_facts_told ON sso.webhook_facts USING btree (occurred_at, fact_id) WHERE (data IS NULL);
CREATE INDEX webhook_facts_waiting_by_subject ON sso.webhook_facts USING btree (subject_user_id) WHERE (data IS NOT NULL);

CREATE TRIGGER channels_added AFTER INSERT ON learning.channels REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION learning.channels_added();
CREATE TRIGGER channels_changed AFTER UPDATE ON learning.channels REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION learning.channels_changed();
CREATE TRIGGER channels_removed AFTER DELETE ON learning.channels REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION learning.channels_removed();
CREATE TRIGGER channels_shown BEFORE INSERT OR UPDATE ON learning.channels FOR EACH ROW EXECUTE FUNCTION learning.show_channel();
CREATE TRIGGER audit_removed AFTER DELETE ON sso.audit_log REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION sso.audit_removed();
CREATE TRIGGER audit_written AFTER INSERT ON sso.audit_log REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sso.audit_written();
CREATE TRIGGER member_joins BEFORE INSERT ON sso.memberships FOR EACH ROW EXECUTE FUNCTION sso.member_joins();
CREATE TRIGGER members_added AFTER INSERT ON sso.memberships REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sso.members_added();
CREATE TRIGGER members_removed AFTER DELETE ON sso.memberships REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION sso.members_removed();
CREATE TRIGGER people_added AFTER INSERT ON sso.users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sso.people_added();
CREATE TRIGGER people_removed AFTER DELETE ON sso.users REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION sso.people_removed();
CREATE TRIGGER person_erased AFTER UPDATE OF status ON sso.users FOR EACH ROW WHEN (((old.status = 'deleted'::text) IS DISTINCT FROM (new.status = 'deleted'::text))) EXECUTE FUNCTION sso.person_erased();
CREATE TRIGGER session_version_rose AFTER UPDATE OF session_version ON sso.users FOR EACH ROW WHEN ((old.session_version < new.session_version)) EXECUTE FUNCTION sso.session_version_rose();
