-- no-transaction
-- after backfill: collections.fill_lines
alter table collections.collection_ancestors drop constraint if exists collection_ancestors_have_tenant;
alter table collections.collection_ancestors add constraint collection_ancestors_have_tenant check (tenant_id is not null) not valid;
alter table collections.collection_ancestors validate constraint collection_ancestors_have_tenant;
drop index concurrently if exists collections.collection_ancestors_tenant_key;
create unique index concurrently collection_ancestors_tenant_key on collections.collection_ancestors (tenant_id, descendant_id, ancestor_id) include (distance);
-- what stands below this one, and where do its members count?
drop index concurrently if exists collections.collection_ancestors_below;
create index concurrently collection_ancestors_below on collections.collection_ancestors (ancestor_id, distance) include (descendant_id, counts, tenant_id);
drop index concurrently if exists collections.collection_ancestors_downwards;
