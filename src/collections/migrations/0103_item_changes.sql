-- A UUIDv7 of the microsecond at which it is asked for, so that changes sort by the clock of this database.
create function collections.change_id() returns uuid language sql volatile as $$
  select (lpad(to_hex(now.us / 1000), 12, '0') || '7' || lpad(to_hex(now.us % 1000 * 4), 3, '0')
          || right(gen_random_uuid()::text, 17))::uuid
    from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us) as now $$;

-- What was done to items in the last 90 days. before and after hold the members that differ, those of metadata one by one, with
-- null for what was not there; a deletion keeps all in before. collection_ids: where it was created, added or removed. No
-- foreign key: a change outlives its item, for programs that mirror.
create table collections.item_changes (
  tenant_id       uuid not null,
  item_id         uuid not null,
  change_id       uuid not null default collections.change_id(),
  kind            text not null check (kind in ('created', 'updated', 'added', 'removed', 'deleted')),
  version         int,
  collection_ids  uuid[],
  before          jsonb,
  after           jsonb,
  changed_by      uuid,
  changed_at      timestamptz(3) not null default clock_timestamp(),
  xid             xid8 not null default pg_current_xact_id(),
  primary key (tenant_id, item_id, change_id)
);
alter table collections.item_changes alter column tenant_id set statistics 0; -- see 0095
create index item_changes_in_order -- what has changed since this transaction, and which are the oldest?
  on collections.item_changes (tenant_id, xid, change_id);
