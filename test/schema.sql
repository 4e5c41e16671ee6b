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
create table sso.memberships (
  user_id uuid not null,
  site_id uuid not null,
  role text not null,
  external_id text,
  suspended_at timestamp(3) with time zone,
  joined_at timestamp(3) with time zone not null default clock_timestamp(),
  assigned_by uuid,
  assigned_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint memberships_pkey PRIMARY KEY (user_id, site_id),
  constraint memberships_by_external_id UNIQUE (site_id, external_id),
  constraint memberships_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint memberships_site_id_role_fkey FOREIGN KEY (site_id, role) REFERENCES sso.roles(site_id, role),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
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
create table sso.signing_keys (
  kid text not null,
  environment text not null,
  alg text not null,
  purpose text not null,
  state text not null,
  public_jwk jsonb not null,
  private_enc bytea not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  activated_at timestamp(3) with time zone,
  retiring_at timestamp(3) with time zone,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_active_since CHECK (((state = 'standby'::text) OR (activated_at IS NOT NULL))),
  constraint signing_keys_alg_check CHECK ((alg = 'RS256'::text)),
  constraint signing_keys_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint signing_keys_purpose_check CHECK ((purpose = ANY (ARRAY['access'::text, 'logout'::text]))),
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
  constraint users_pkey PRIMARY KEY (user_id),
  constraint users_registration_site_id_fkey FOREIGN KEY (registration_site_id) REFERENCES sso.sites(site_id),
  constraint users_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint users_reachable CHECK (((status = 'deleted'::text) OR ((email IS NOT NULL) AND (email_fold IS NOT NULL)))),
  constraint users_registration_source_check CHECK ((registration_source = ANY (ARRAY['register'::text, 'admin'::text, 'bulk_import'::text, 'sso_jit'::text]))),
  constraint users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text])))
);

CREATE INDEX collection_ancestors_downwards ON collections.collection_ancestors USING btree (ancestor_id, distance) INCLUDE (descendant_id);
CREATE INDEX collections_by_change ON collections.collections USING btree (tenant_id, updated_at DESC, id DESC);
CREATE UNIQUE INDEX collections_by_external_key ON collections.collections USING btree (root_id, external_key) WHERE (external_key IS NOT NULL);
CREATE INDEX collections_by_parent ON collections.collections USING btree (parent_id);
CREATE INDEX members_admins ON collections.members USING btree (collection_id) WHERE (role = 'admin'::collections.role);
CREATE INDEX members_by_user ON collections.members USING btree (user_id, collection_id) INCLUDE (role);
CREATE INDEX sessions_by_expiry ON collections.sessions USING btree (expires_at);
CREATE INDEX sessions_by_sso_session ON collections.sessions USING btree (sso_session_id);
CREATE INDEX jobs_done_by_time ON foundation.jobs USING btree (finished_at, job_id) WHERE (state = 'done'::text);
CREATE INDEX jobs_due ON foundation.jobs USING btree (priority, run_at, job_id) WHERE (state = 'pending'::text);
CREATE INDEX channel_editors_by_channel ON learning.channel_editors USING btree (tenant_id, channel_id);
CREATE INDEX channel_editors_own ON learning.channel_editors USING btree (tenant_id, user_id, created_at DESC, channel_id DESC);
CREATE INDEX channel_editors_unlisted ON learning.channel_editors USING btree (tenant_id, user_id, created_at DESC, channel_id DESC) WHERE is_unlisted;
CREATE UNIQUE INDEX channels_by_external_id ON learning.channels USING btree (tenant_id, owner_id, external_id) WHERE ((deleted_at IS NULL) AND (external_id IS NOT NULL));
CREATE UNIQUE INDEX channels_by_id ON learning.channels USING btree (id);
CREATE INDEX channels_by_word ON learning.channels USING gin (search) WHERE (deleted_at IS NULL);
CREATE INDEX channels_listed ON learning.channels USING btree (tenant_id, created_at DESC, id DESC) WHERE is_listed;
CREATE INDEX channels_live ON learning.channels USING btree (tenant_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX episodes_live_in_order ON learning.episodes USING btree (tenant_id, channel_id, "position", id) WHERE (deleted_at IS NULL);
CREATE INDEX memberships_by_site ON sso.memberships USING btree (site_id, user_id);
CREATE UNIQUE INDEX roles_one_default ON sso.roles USING btree (site_id) WHERE is_default;
CREATE INDEX sessions_by_site ON sso.sessions USING btree (site_id, session_id);
CREATE INDEX sessions_by_user ON sso.sessions USING btree (user_id, created_at DESC, session_id DESC);
CREATE UNIQUE INDEX signing_keys_one_active ON sso.signing_keys USING btree (environment, purpose) WHERE (state = 'active'::text);
CREATE INDEX site_keys_live_by_site ON sso.site_keys USING btree (site_id, created_at) WHERE (revoked_at IS NULL);
CREATE INDEX sites_by_tenant ON sso.sites USING btree (tenant_id, site_id);
CREATE INDEX tenants_by_founder ON sso.tenants USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE UNIQUE INDEX users_by_email ON sso.users USING btree (environment, email_fold) WHERE (status <> 'deleted'::text);
CREATE UNIQUE INDEX users_by_username ON sso.users USING btree (environment, username_fold) WHERE (status <> 'deleted'::text);

CREATE TRIGGER channels_added AFTER INSERT ON learning.channels REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION learning.channels_added();
CREATE TRIGGER channels_changed AFTER UPDATE ON learning.channels REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION learning.channels_changed();
CREATE TRIGGER channels_removed AFTER DELETE ON learning.channels REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION learning.channels_removed();
CREATE TRIGGER channels_shown BEFORE INSERT OR UPDATE ON learning.channels FOR EACH ROW EXECUTE FUNCTION learning.show_channel();
