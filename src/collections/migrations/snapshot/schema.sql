-- The schema collections of an empty database, in place of the migrations below (docs/decisions/schema-snapshot.md).
-- Written by test/schema.test.ts --write: edit the migrations, not this file.
-- 0001_sessions.sql 127e0e39c5e20e803e34915f63520db45c0d83720b8f709fd0074687821d6a44
-- 0002_collections.sql 777efa1cd88edb198d9b7e7d8050d2ee8b84a56348b3bc3899b584ef282d0710
-- 0003_trees.sql fbe6945398a5bf5f549898360ff7b56a2797db6004f314c12b16cdc0e08e8bc4
-- 0004_bulk.sql 45d894638a56fc2e6e57a78f122ee0283d2fd0bd440340ccc4e812a16113d190
-- 0005_job_powers.sql a8029dca7d302213538d9cb9fabd9529423eb7a9e93e54148b994ea49446f845
-- 0006_imports.sql bbbfcc6f994ebb9a4a4d0c6e53a9da5661e9f0d2e62c8d46824355b7e977e5fa
-- 0030_search.sql 53950e34a11589a1f8125fbe4d4c43ea1d27521474d17a7e360d56096ddcc646
-- 0040_lists.sql de64a84cbe9742c470fda82e991b0a549d16675a174a89107657cc911d926ae7
-- 0095_tenants_of_links.sql 9e12f19963eab9e9e8b74ced1c6cbb9dac754d1b127bb9c16dc2711789126d24
-- 0096_members_by_tenant.sql 4eb85281498f323ffc5a491e6ee3bfe61e609a724ad0683ade714e8d43d02487
-- 0097_lines_by_tenant.sql 7c409c6fac8782fbc6e4791d5933eafbc3c8c3063ee0a971714adaf90d73a070
-- 0098_keys_by_tenant.sql 1fda7afd0b69a1681e8651f6d736a4c049e125ee6093594d08d35ef230775ec4
-- 0099_links_by_tenant.sql 23b71afa12340fc1bcff1d566efc3bb2a337919ce4513a0982e4e05d08aaa3c4
-- 0103_item_changes.sql 74955ba1c86aaeff060654d9b5abe9f71d2940f1655da611a32a2f44bf142a23
-- 0104_collection_changes.sql 65be3a653bb40b1e8ba595fbe07ab0e32ad7eadf71958c9323c1ec7d53a28962
-- 0105_links_in_order.sql 779855d327147da3b62fa97da3df4a48c1831beeef14dc42ed609c4d926bcf33
-- 0130_events.sql 1acf7a28023b6e5b4e25e6436d69b0651ae358cb957881b8887b04c8a490d23b
-- 0131_collections_of_jobs.sql cd3b7984d603bd90673ddfaef2bd0f573e49647718e164cc716ff7af74652fbe
-- 0144_links_with_tenant.sql ac34a32df6ce5f79a337feebfab696438603e53385b04110fb938e5e361907d6
-- 0145_views.sql 1c8ad68421ca21337682de53d5cf52a18ee1482d2e35ca4d8e2ca250fce75f46
-- 0195_job_errors_in_order.sql 58ec50bfee72949ed3c8f506a17bc53c824371bdca1ddc54d9a5578847264c70
-- Bodies of functions name tables that are made below.
set local check_function_bodies = off;

create schema collections;

create type collections.role as enum ('viewer', 'editor', 'admin');

CREATE FUNCTION collections.folded(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (octet_length(value) = char_length(value)) THEN lower((value COLLATE "C")) ELSE foundation.fold(value) END;
CREATE FUNCTION collections.search_vector(name text, other text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  named text := foundation.words(name);
  told text := foundation.words(other);
begin
  if named <> '' then named := replace(named, ' ', ':1A ') || ':1A '; end if;
  if told <> '' then told := replace(told, ' ', ':2 ') || ':2'; end if;
  return (named || told)::tsvector;
end $function$;
CREATE FUNCTION collections.metadata_text(metadata jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare texts text := jsonb_path_query_array(metadata, 'lax $.*[*] ? (@.type() == "string")');
begin
  if strpos(texts, E'\\') = 0 then return texts; end if;
  return (select string_agg(value #>> '{}', ' ')
            from jsonb_path_query(metadata, 'lax $.*[*] ? (@.type() == "string")') as value);
end $function$;
CREATE FUNCTION collections.tenant_filled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.tenant_id := (select node.tenant_id from collections.collections as node
                     where node.id = (to_jsonb(new) ->> tg_argv[0])::uuid);
  return new;
end $function$;
CREATE FUNCTION collections.fill_members(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with batch as (
    select collection_id, user_id from collections.members
     where (collection_id, user_id) > (coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
                                       coalesce(substr(after, 38), '00000000-0000-0000-0000-000000000000')::uuid)
     order by collection_id, user_id limit most for no key update),
  filled as (
    update collections.members as one set tenant_id = node.tenant_id
      from batch join collections.collections as node on node.id = batch.collection_id
     where one.collection_id = batch.collection_id and one.user_id = batch.user_id and one.tenant_id is null
    returning one.collection_id)
  select (select collection_id || '|' || user_id from batch order by collection_id desc, user_id desc limit 1),
         (select count(*) from filled) $function$;
CREATE FUNCTION collections.fill_lines(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with batch as (
    select descendant_id, ancestor_id from collections.collection_ancestors
     where (descendant_id, ancestor_id) > (coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
                                           coalesce(substr(after, 38), '00000000-0000-0000-0000-000000000000')::uuid)
     order by descendant_id, ancestor_id limit most for no key update),
  filled as (
    update collections.collection_ancestors as one set tenant_id = node.tenant_id
      from batch join collections.collections as node on node.id = batch.descendant_id
     where one.descendant_id = batch.descendant_id and one.ancestor_id = batch.ancestor_id and one.tenant_id is null
    returning one.descendant_id)
  select (select descendant_id || '|' || ancestor_id from batch order by descendant_id desc, ancestor_id desc limit 1),
         (select count(*) from filled) $function$;
CREATE FUNCTION collections.fill_keys(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with batch as (
    select root_id, external_key from collections.item_keys
     where (root_id, external_key) > (coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
                                       coalesce(substr(after, 38), ''))
     order by root_id, external_key limit most for no key update),
  filled as (
    update collections.item_keys as one set tenant_id = node.tenant_id
      from batch join collections.collections as node on node.id = batch.root_id
     where one.root_id = batch.root_id and one.external_key = batch.external_key and one.tenant_id is null
    returning one.root_id)
  select (select root_id || '|' || external_key from batch order by root_id desc, external_key desc limit 1),
         (select count(*) from filled) $function$;
CREATE FUNCTION collections.fill_links(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with batch as (
    select collection_id, item_id from collections.collection_items
     where (collection_id, item_id) > (coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
                                       coalesce(substr(after, 38), '00000000-0000-0000-0000-000000000000')::uuid)
     order by collection_id, item_id limit most for no key update),
  filled as (
    update collections.collection_items as one set tenant_id = node.tenant_id
      from batch join collections.collections as node on node.id = batch.collection_id
     where one.collection_id = batch.collection_id and one.item_id = batch.item_id and one.tenant_id is null
    returning one.collection_id)
  select (select collection_id || '|' || item_id from batch order by collection_id desc, item_id desc limit 1),
         (select count(*) from filled) $function$;
CREATE FUNCTION collections.change_id()
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select (lpad(to_hex(now.us / 1000), 12, '0') || '7' || lpad(to_hex(now.us % 1000 * 4), 3, '0')
          || right(gen_random_uuid()::text, 17))::uuid
    from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us) as now $function$;
CREATE FUNCTION collections.collections_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, kind)
  select later.tenant_id, later.id, 'updated' from later join earlier using (id) where later.version <> earlier.version;
  return null;
end $function$;
CREATE FUNCTION collections.lines_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, kind)
  select tenant_id, descendant_id, case when bool_or(ancestor_id = descendant_id) then 'created' end
    from added group by tenant_id, descendant_id;
  return null;
end $function$;
CREATE FUNCTION collections.lines_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, lost_by)
  select tenant_id, descendant_id, array_agg(ancestor_id) from removed where counts group by tenant_id, descendant_id;
  return null;
end $function$;
CREATE FUNCTION collections.members_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select tenant_id, collection_id, user_id, 'member_added' from added;
  return null;
end $function$;
CREATE FUNCTION collections.members_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select removed.tenant_id, coalesce(line.descendant_id, removed.collection_id), removed.user_id,
         case when coalesce(line.descendant_id, removed.collection_id) = removed.collection_id then 'member_removed' end
    from removed
    left join collections.collection_ancestors as line
      on line.tenant_id = removed.tenant_id and line.ancestor_id = removed.collection_id and line.counts;
  return null;
end $function$;
CREATE FUNCTION collections.members_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select later.tenant_id, later.collection_id, later.user_id, 'member_changed'
    from later join earlier using (tenant_id, collection_id, user_id) where later.role <> earlier.role;
  return null;
end $function$;

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
  item_count integer not null default 0,
  name_folded text collate "C" not null generated always as (collections.folded(name)) stored,
  search tsvector not null generated always as (collections.search_vector(name, ((COALESCE(description, ''::text) || ' '::text) || COALESCE(external_key, ''::text)))) stored,
  constraint collections_pkey PRIMARY KEY (id),
  constraint collections_depth_check CHECK (((depth >= 0) AND (depth <= 9))),
  constraint collections_check CHECK (((inherit_reach >= 0) AND (inherit_reach <= depth))),
  constraint collections_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint collections_description_check CHECK ((char_length(description) <= 5000)),
  constraint collections_external_key_check CHECK (((char_length(external_key) >= 1) AND (char_length(external_key) <= 128))),
  constraint collections_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint collections_root_has_no_parent CHECK (((parent_id IS NULL) = (depth = 0))),
  constraint collections_cut_reaches_nothing CHECK ((inherit_members OR (inherit_reach = 0))),
  constraint collections_item_count_check CHECK ((item_count >= 0))
);
create table collections.collection_ancestors (
  ancestor_id uuid not null,
  descendant_id uuid not null,
  distance smallint not null,
  counts boolean not null,
  tenant_id uuid,
  constraint collection_ancestors_pkey PRIMARY KEY (descendant_id, ancestor_id) INCLUDE (distance),
  constraint collection_ancestors_distance_check CHECK (((distance >= 0) AND (distance <= 9))),
  constraint collection_ancestors_have_tenant CHECK ((tenant_id IS NOT NULL))
);
create table collections.members (
  collection_id uuid not null,
  user_id uuid not null,
  role collections.role not null,
  invited_by uuid,
  joined_at timestamp(3) with time zone not null default clock_timestamp(),
  tenant_id uuid,
  constraint members_pkey PRIMARY KEY (collection_id, user_id),
  constraint members_have_tenant CHECK ((tenant_id IS NOT NULL))
);
create table collections.items (
  id uuid not null,
  tenant_id uuid not null,
  name text not null,
  description text,
  external_key text,
  metadata jsonb not null default '{}'::jsonb,
  created_by uuid,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  name_folded text collate "C" not null generated always as (collections.folded(name)) stored,
  search tsvector not null generated always as (collections.search_vector(name, ((((COALESCE(description, ''::text) || ' '::text) || COALESCE(external_key, ''::text)) || ' '::text) || collections.metadata_text(metadata)))) stored,
  constraint items_pkey PRIMARY KEY (id),
  constraint items_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 300))),
  constraint items_description_check CHECK ((char_length(description) <= 5000)),
  constraint items_external_key_check CHECK (((char_length(external_key) >= 1) AND (char_length(external_key) <= 128))),
  constraint items_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text))
);
create table collections.collection_items (
  collection_id uuid not null,
  item_id uuid not null,
  added_at timestamp(3) with time zone not null default clock_timestamp(),
  added_by uuid,
  tenant_id uuid,
  constraint collection_items_pkey PRIMARY KEY (collection_id, item_id),
  constraint collection_items_have_tenant CHECK ((tenant_id IS NOT NULL))
);
create table collections.item_keys (
  root_id uuid not null,
  external_key text not null,
  item_id uuid not null,
  tenant_id uuid,
  constraint item_keys_pkey PRIMARY KEY (root_id, external_key),
  constraint item_keys_have_tenant CHECK ((tenant_id IS NOT NULL))
);
create table collections.idempotency_keys (
  user_id uuid not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  headers jsonb not null,
  body text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint idempotency_keys_pkey PRIMARY KEY (user_id, route, key),
  constraint idempotency_keys_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 128)))
);
create table collections.jobs (
  job_id uuid not null,
  tenant_id uuid not null,
  user_id uuid not null,
  state text not null default 'queued'::text,
  phase text not null default 'reading'::text,
  options jsonb not null,
  file_name text not null,
  file_size integer not null,
  file_sha256 text not null,
  rows_read integer not null default 0,
  rows_total integer,
  rows_done integer not null default 0,
  read_counts jsonb not null default '{}'::jsonb,
  counts jsonb not null default '{}'::jsonb,
  error_code text,
  error_detail text,
  is_due boolean constraint jobs_is_enqueued_not_null not null default false,
  starts smallint not null default 0,
  lease_token uuid,
  staged_rows integer,
  layout jsonb,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  is_site_admin boolean not null default false,
  cancel_requested_at timestamp(3) with time zone,
  collection_ids uuid[] not null default '{}'::uuid[],
  constraint jobs_pkey PRIMARY KEY (job_id),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'validating'::text, 'processing'::text, 'completed'::text, 'completed_with_errors'::text, 'failed'::text, 'cancelled'::text]))),
  constraint jobs_phase_check CHECK ((phase = ANY (ARRAY['reading'::text, 'validating'::text, 'collections'::text, 'items'::text, 'done'::text])))
);
create table collections.job_files (
  job_id uuid not null,
  place integer constraint job_files_part_not_null not null,
  content bytea constraint job_files_bytes_not_null not null,
  constraint job_files_pkey PRIMARY KEY (job_id, place)
);
create table collections.job_errors (
  job_id uuid not null,
  level text not null,
  seq bigint not null generated always as identity,
  origin text not null,
  sheet text not null,
  "row" integer,
  "column" text,
  header text,
  code text not null,
  message text not null,
  value text,
  cells text,
  constraint job_errors_pkey PRIMARY KEY (job_id, level, seq),
  constraint job_errors_level_check CHECK ((level = ANY (ARRAY['error'::text, 'warning'::text]))),
  constraint job_errors_origin_check CHECK ((origin = ANY (ARRAY['reading'::text, 'applying'::text])))
);
create table collections.job_chunks (
  job_id uuid not null,
  seq bigint not null generated always as identity,
  sheet smallint not null,
  rows integer[] not null,
  targets uuid[] not null,
  constraint job_chunks_pkey PRIMARY KEY (job_id, seq)
);
create unlogged table collections.staged_rows (
  job_id uuid not null,
  sheet smallint not null,
  "row" integer not null,
  data text,
  cells text not null,
  constraint staged_rows_pkey PRIMARY KEY (job_id, sheet, "row")
);
create unlogged table collections.staged_places (
  job_id uuid not null,
  level smallint not null,
  "row" integer not null,
  parent_row integer,
  constraint staged_places_pkey PRIMARY KEY (job_id, level, "row")
);
create table collections.item_changes (
  tenant_id uuid not null,
  item_id uuid not null,
  change_id uuid not null default collections.change_id(),
  kind text not null,
  version integer,
  collection_ids uuid[],
  before jsonb,
  after jsonb,
  changed_by uuid,
  changed_at timestamp(3) with time zone not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id(),
  constraint item_changes_pkey PRIMARY KEY (tenant_id, item_id, change_id),
  constraint item_changes_kind_check CHECK ((kind = ANY (ARRAY['created'::text, 'updated'::text, 'added'::text, 'removed'::text, 'deleted'::text])))
);
create table collections.collection_changes (
  tenant_id uuid not null,
  change_id uuid not null default collections.change_id(),
  collection_id uuid not null,
  lost_by uuid[],
  user_id uuid,
  changed_at timestamp(3) with time zone not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id(),
  kind text,
  constraint collection_changes_pkey PRIMARY KEY (tenant_id, xid, change_id)
);
create table collections.event_cursors (
  tenant_id uuid not null,
  xid xid8 not null,
  change_id uuid not null,
  constraint event_cursors_pkey PRIMARY KEY (tenant_id)
);
create table collections.views (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  name text not null,
  query text not null,
  created_by uuid,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint views_pkey PRIMARY KEY (tenant_id, id),
  constraint views_tenant_id_collection_id_name_key UNIQUE (tenant_id, collection_id, name),
  constraint views_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
  constraint views_query_check CHECK ((char_length(query) <= 2000))
);

CREATE INDEX sessions_by_sso_session ON collections.sessions USING btree (sso_session_id);
CREATE INDEX sessions_by_expiry ON collections.sessions USING btree (expires_at);
CREATE UNIQUE INDEX collections_by_external_key ON collections.collections USING btree (root_id, external_key) WHERE (external_key IS NOT NULL);
CREATE INDEX collections_by_change ON collections.collections USING btree (tenant_id, updated_at DESC, id DESC);
CREATE INDEX collections_by_root ON collections.collections USING btree (root_id);
CREATE INDEX collections_by_word ON collections.collections USING gin (search);
CREATE INDEX collections_by_metadata ON collections.collections USING gin (metadata jsonb_path_ops);
CREATE INDEX items_by_word ON collections.items USING gin (search);
CREATE INDEX items_by_metadata ON collections.items USING gin (metadata jsonb_path_ops);
CREATE INDEX collection_items_by_item ON collections.collection_items USING btree (item_id);
CREATE INDEX item_keys_by_item ON collections.item_keys USING btree (item_id);
CREATE INDEX idempotency_keys_by_age ON collections.idempotency_keys USING btree (created_at);
CREATE INDEX sessions_by_user ON collections.sessions USING btree (user_id);
CREATE UNIQUE INDEX jobs_doubles ON collections.jobs USING btree (user_id, file_sha256, options) WHERE (state = ANY (ARRAY['queued'::text, 'validating'::text, 'processing'::text]));
CREATE INDEX jobs_by_user ON collections.jobs USING btree (user_id, created_at DESC, job_id DESC);
CREATE INDEX jobs_by_tenant ON collections.jobs USING btree (tenant_id, created_at DESC, job_id DESC);
CREATE INDEX jobs_by_expiry ON collections.jobs USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX items_by_name ON collections.items USING btree (tenant_id, name_folded, id);
CREATE INDEX items_by_creation ON collections.items USING btree (tenant_id, created_at, id);
CREATE INDEX items_by_change ON collections.items USING btree (tenant_id, updated_at, id);
CREATE UNIQUE INDEX members_tenant_key ON collections.members USING btree (tenant_id, collection_id, user_id);
CREATE INDEX members_by_person ON collections.members USING btree (user_id, tenant_id, collection_id) INCLUDE (role);
CREATE INDEX members_leading ON collections.members USING btree (collection_id, tenant_id) WHERE (role = 'admin'::collections.role);
CREATE UNIQUE INDEX collection_ancestors_tenant_key ON collections.collection_ancestors USING btree (tenant_id, descendant_id, ancestor_id) INCLUDE (distance);
CREATE INDEX collection_ancestors_below ON collections.collection_ancestors USING btree (ancestor_id, distance) INCLUDE (descendant_id, counts, tenant_id);
CREATE UNIQUE INDEX item_keys_tenant_key ON collections.item_keys USING btree (tenant_id, root_id, external_key);
CREATE UNIQUE INDEX collection_items_tenant_key ON collections.collection_items USING btree (tenant_id, collection_id, item_id);
CREATE UNIQUE INDEX items_tenant_key ON collections.items USING btree (tenant_id, id);
CREATE UNIQUE INDEX collections_tenant_key ON collections.collections USING btree (tenant_id, id);
CREATE UNIQUE INDEX collections_tenant_external_key ON collections.collections USING btree (tenant_id, root_id, external_key) WHERE (external_key IS NOT NULL);
CREATE INDEX collections_children ON collections.collections USING btree (parent_id) INCLUDE (id, inherit_members, tenant_id);
CREATE INDEX item_changes_in_order ON collections.item_changes USING btree (tenant_id, xid, change_id);
CREATE INDEX collection_changes_by_person ON collections.collection_changes USING btree (user_id, tenant_id, xid) WHERE (user_id IS NOT NULL);
CREATE INDEX collection_items_in_order ON collections.collection_items USING btree (collection_id, added_at DESC, item_id DESC) INCLUDE (tenant_id);
CREATE INDEX job_errors_in_order ON collections.job_errors USING btree (job_id, level, COALESCE(array_position(ARRAY['Collections'::text, 'Items'::text], initcap(sheet)), 3), sheet, COALESCE("row", '-1'::integer), seq);

alter table collections.collections add constraint collections_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES collections.collections(id);
alter table collections.collections add constraint collections_root_id_fkey FOREIGN KEY (root_id) REFERENCES collections.collections(id);
alter table collections.collection_ancestors add constraint collection_ancestors_ancestor_id_fkey FOREIGN KEY (ancestor_id) REFERENCES collections.collections(id) ON DELETE CASCADE;
alter table collections.collection_ancestors add constraint collection_ancestors_descendant_id_fkey FOREIGN KEY (descendant_id) REFERENCES collections.collections(id) ON DELETE CASCADE;
alter table collections.members add constraint members_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections.collections(id) ON DELETE CASCADE;
alter table collections.collection_items add constraint collection_items_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections.collections(id) ON DELETE CASCADE;
alter table collections.collection_items add constraint collection_items_item_id_fkey FOREIGN KEY (item_id) REFERENCES collections.items(id);
alter table collections.item_keys add constraint item_keys_root_id_fkey FOREIGN KEY (root_id) REFERENCES collections.collections(id) ON DELETE CASCADE;
alter table collections.item_keys add constraint item_keys_item_id_fkey FOREIGN KEY (item_id) REFERENCES collections.items(id) ON DELETE CASCADE;
alter table collections.job_files add constraint job_files_job_id_fkey FOREIGN KEY (job_id) REFERENCES collections.jobs(job_id) ON DELETE CASCADE;
alter table collections.job_errors add constraint job_errors_job_id_fkey FOREIGN KEY (job_id) REFERENCES collections.jobs(job_id) ON DELETE CASCADE;
alter table collections.job_chunks add constraint job_chunks_job_id_fkey FOREIGN KEY (job_id) REFERENCES collections.jobs(job_id) ON DELETE CASCADE;
alter table collections.collection_changes add constraint collection_changes_kind CHECK ((kind = ANY (ARRAY['created'::text, 'updated'::text, 'member_added'::text, 'member_changed'::text, 'member_removed'::text]))) NOT VALID;
alter table collections.views add constraint views_tenant_id_collection_id_fkey FOREIGN KEY (tenant_id, collection_id) REFERENCES collections.collections(tenant_id, id) ON DELETE CASCADE;

alter table collections.collections alter column tenant_id set statistics 0;
alter table collections.collection_ancestors alter column tenant_id set statistics 0;
alter table collections.members alter column tenant_id set statistics 0;
alter table collections.items alter column tenant_id set statistics 0;
alter table collections.collection_items alter column tenant_id set statistics 0;
alter table collections.item_keys alter column tenant_id set statistics 0;
alter table collections.job_files alter column content set storage external;
alter table collections.item_changes alter column tenant_id set statistics 0;
alter table collections.collection_changes alter column tenant_id set statistics 0;

CREATE TRIGGER tenant_filled BEFORE INSERT ON collections.members FOR EACH ROW WHEN ((new.tenant_id IS NULL)) EXECUTE FUNCTION collections.tenant_filled('collection_id');
CREATE TRIGGER tenant_filled BEFORE INSERT ON collections.collection_ancestors FOR EACH ROW WHEN ((new.tenant_id IS NULL)) EXECUTE FUNCTION collections.tenant_filled('descendant_id');
CREATE TRIGGER tenant_filled BEFORE INSERT ON collections.item_keys FOR EACH ROW WHEN ((new.tenant_id IS NULL)) EXECUTE FUNCTION collections.tenant_filled('root_id');
CREATE TRIGGER tenant_filled BEFORE INSERT ON collections.collection_items FOR EACH ROW WHEN ((new.tenant_id IS NULL)) EXECUTE FUNCTION collections.tenant_filled('collection_id');
CREATE TRIGGER collections_changed AFTER UPDATE ON collections.collections REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION collections.collections_changed();
CREATE TRIGGER lines_added AFTER INSERT ON collections.collection_ancestors REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION collections.lines_added();
CREATE TRIGGER lines_removed AFTER DELETE ON collections.collection_ancestors REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION collections.lines_removed();
CREATE TRIGGER members_added AFTER INSERT ON collections.members REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION collections.members_added();
CREATE TRIGGER members_removed AFTER DELETE ON collections.members REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION collections.members_removed();
CREATE TRIGGER members_changed AFTER UPDATE ON collections.members REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION collections.members_changed();
