-- no-transaction
-- The first of two releases that make the keys of collections begin with the tenant (docs/scaling.md): the four tables
-- without a tenant get one. The release before writes rows without it while nodes are exchanged. Each
-- statement by itself, so that no table is locked while another is read.
alter table collections.members add column if not exists tenant_id uuid;
alter table collections.collection_ancestors add column if not exists tenant_id uuid;
alter table collections.item_keys add column if not exists tenant_id uuid;
alter table collections.collection_items add column if not exists tenant_id uuid;

-- Without statistics of the tenants a plan takes any of them for a 200th of the table. With them it takes one that they do not
-- know yet, such as a new one after its first import, for a single row, and joins all of its rows with each other.
alter table collections.members alter column tenant_id set statistics 0;
alter table collections.collection_ancestors alter column tenant_id set statistics 0;
alter table collections.item_keys alter column tenant_id set statistics 0;
alter table collections.collection_items alter column tenant_id set statistics 0;
alter table collections.collections alter column tenant_id set statistics 0;
alter table collections.items alter column tenant_id set statistics 0;
do $$ begin -- Before PostgreSQL 18 the last ones stay.
  if to_regproc('pg_catalog.pg_clear_attribute_stats') is not null then
    perform pg_clear_attribute_stats('collections', 'collections', 'tenant_id', false);
    perform pg_clear_attribute_stats('collections', 'items', 'tenant_id', false);
  end if;
end $$;

-- The argument is the column that names the collection.
create or replace function collections.tenant_filled() returns trigger language plpgsql as $$
begin
  new.tenant_id := (select node.tenant_id from collections.collections as node
                     where node.id = (to_jsonb(new) ->> tg_argv[0])::uuid);
  return new;
end $$;
create or replace trigger tenant_filled before insert on collections.members
  for each row when (new.tenant_id is null) execute function collections.tenant_filled('collection_id');
create or replace trigger tenant_filled before insert on collections.collection_ancestors
  for each row when (new.tenant_id is null) execute function collections.tenant_filled('descendant_id');
create or replace trigger tenant_filled before insert on collections.item_keys
  for each row when (new.tenant_id is null) execute function collections.tenant_filled('root_id');
create or replace trigger tenant_filled before insert on collections.collection_items
  for each row when (new.tenant_id is null) execute function collections.tenant_filled('collection_id');

-- One batch each, in the order of the primary key, in which requests lock these rows as well. A key is a uuid, a bar and
-- the second column.
create or replace function collections.fill_members(after text, most int, out last text, out changed bigint)
  language sql as $$
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
         (select count(*) from filled) $$;
create or replace function collections.fill_lines(after text, most int, out last text, out changed bigint)
  language sql as $$
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
         (select count(*) from filled) $$;
create or replace function collections.fill_keys(after text, most int, out last text, out changed bigint)
  language sql as $$
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
         (select count(*) from filled) $$;
create or replace function collections.fill_links(after text, most int, out last text, out changed bigint)
  language sql as $$
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
         (select count(*) from filled) $$;

insert into foundation.backfills (step, expected)
select 'collections.fill_members', greatest(reltuples, 0)::bigint from pg_class
 where oid = 'collections.members'::regclass and exists (select from collections.members)
union all
select 'collections.fill_lines', greatest(reltuples, 0)::bigint from pg_class
 where oid = 'collections.collection_ancestors'::regclass and exists (select from collections.collection_ancestors)
union all
select 'collections.fill_keys', greatest(reltuples, 0)::bigint from pg_class
 where oid = 'collections.item_keys'::regclass and exists (select from collections.item_keys)
union all
select 'collections.fill_links', greatest(reltuples, 0)::bigint from pg_class
 where oid = 'collections.collection_items'::regclass and exists (select from collections.collection_items)
on conflict do nothing;
