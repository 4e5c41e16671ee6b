-- What happened to a collection or to somebody's membership, for the webhooks of sites that ask (docs/decisions/events-of-collections.md).
-- Null where it says no more than that mirrors have to look again, and in rows of the release before.
alter table collections.collection_changes add column kind text;
-- Rows that are there have none, so nothing has to be read.
alter table collections.collection_changes add constraint collection_changes_kind
  check (kind in ('created', 'updated', 'member_added', 'member_changed', 'member_removed')) not valid;

create or replace function collections.collections_changed() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id, kind)
  select later.tenant_id, later.id, 'updated' from later join earlier using (id) where later.version <> earlier.version;
  return null;
end $$;

-- A collection that is made gets the line to itself; one that moves keeps it.
create or replace function collections.lines_added() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id, kind)
  select tenant_id, descendant_id, case when bool_or(ancestor_id = descendant_id) then 'created' end
    from added group by tenant_id, descendant_id;
  return null;
end $$;

create or replace function collections.members_added() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select tenant_id, collection_id, user_id, 'member_added' from added;
  return null;
end $$;

create or replace function collections.members_removed() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select removed.tenant_id, coalesce(line.descendant_id, removed.collection_id), removed.user_id,
         case when coalesce(line.descendant_id, removed.collection_id) = removed.collection_id then 'member_removed' end
    from removed
    left join collections.collection_ancestors as line
      on line.tenant_id = removed.tenant_id and line.ancestor_id = removed.collection_id and line.counts;
  return null;
end $$;

create function collections.members_changed() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select later.tenant_id, later.collection_id, later.user_id, 'member_changed'
    from later join earlier using (tenant_id, collection_id, user_id) where later.role <> earlier.role;
  return null;
end $$;
create trigger members_changed after update on collections.members
  referencing old table as earlier new table as later for each statement execute function collections.members_changed();

-- How far the changes of a tenant have been handed on as events; a row only while a site of it asks for them.
create table collections.event_cursors (
  tenant_id  uuid not null primary key,
  xid        xid8 not null,
  change_id  uuid not null
);
