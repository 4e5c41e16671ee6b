-- no-transaction
-- after backfill: collections.fill_links
alter table collections.collection_items drop constraint if exists collection_items_have_tenant;
alter table collections.collection_items add constraint collection_items_have_tenant check (tenant_id is not null) not valid;
alter table collections.collection_items validate constraint collection_items_have_tenant;
drop index concurrently if exists collections.collection_items_tenant_key;
create unique index concurrently collection_items_tenant_key on collections.collection_items (tenant_id, collection_id, item_id);
-- what was added to this collection last? The tenant comes first: behind the order, PostgreSQL would think that hardly a row
-- is of both, and sort. The release before walks collection_items_newest, which goes with it.
drop index concurrently if exists collections.collection_items_latest;
create index concurrently collection_items_latest
  on collections.collection_items (tenant_id, collection_id, added_at desc, item_id desc);
-- Collections and items have had their tenant from the start.
drop index concurrently if exists collections.items_tenant_key;
create unique index concurrently items_tenant_key on collections.items (tenant_id, id);
drop index concurrently if exists collections.collections_tenant_key;
create unique index concurrently collections_tenant_key on collections.collections (tenant_id, id);
drop index concurrently if exists collections.collections_tenant_external_key;
create unique index concurrently collections_tenant_external_key on collections.collections (tenant_id, root_id, external_key)
  where external_key is not null;
-- which are the children of this one, and which of them inherit?
drop index concurrently if exists collections.collections_children;
create index concurrently collections_children on collections.collections (parent_id) include (id, inherit_members, tenant_id);
drop index concurrently if exists collections.collections_by_parent;
