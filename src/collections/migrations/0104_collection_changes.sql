-- Beside item_changes, what programs that mirror have to know of collections. A row says that a collection was made, changed or
-- moved; lost_by: through which collections above it nobody sees it any more; user_id: whose membership began or ended, where
-- it ends one row for each collection that it opened. By triggers, so that no way of writing is missed, nor the release before.
create table collections.collection_changes (
  tenant_id      uuid not null,
  change_id      uuid not null default collections.change_id(),
  collection_id  uuid not null,
  lost_by        uuid[],
  user_id        uuid,
  changed_at     timestamptz(3) not null default clock_timestamp(),
  xid            xid8 not null default pg_current_xact_id(),
  primary key (tenant_id, xid, change_id)
);
alter table collections.collection_changes alter column tenant_id set statistics 0; -- see 0095
create index collection_changes_by_person -- whose access changed?
  on collections.collection_changes (user_id, tenant_id, xid) where user_id is not null;

create function collections.collections_changed() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id)
  select later.tenant_id, later.id from later join earlier using (id) where later.version <> earlier.version;
  return null;
end $$;
create trigger collections_changed after update on collections.collections
  referencing old table as earlier new table as later for each statement execute function collections.collections_changed();

create function collections.lines_added() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id) select distinct tenant_id, descendant_id from added;
  return null;
end $$;
create trigger lines_added after insert on collections.collection_ancestors
  referencing new table as added for each statement execute function collections.lines_added();

create function collections.lines_removed() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id, lost_by)
  select tenant_id, descendant_id, array_agg(ancestor_id) from removed where counts group by tenant_id, descendant_id;
  return null;
end $$;
create trigger lines_removed after delete on collections.collection_ancestors
  referencing old table as removed for each statement execute function collections.lines_removed();

create function collections.members_added() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id)
  select tenant_id, collection_id, user_id from added;
  return null;
end $$;
create trigger members_added after insert on collections.members
  referencing new table as added for each statement execute function collections.members_added();

create function collections.members_removed() returns trigger language plpgsql as $$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id)
  select removed.tenant_id, coalesce(line.descendant_id, removed.collection_id), removed.user_id
    from removed
    left join collections.collection_ancestors as line
      on line.tenant_id = removed.tenant_id and line.ancestor_id = removed.collection_id and line.counts;
  return null;
end $$;
create trigger members_removed after delete on collections.members
  referencing old table as removed for each statement execute function collections.members_removed();
