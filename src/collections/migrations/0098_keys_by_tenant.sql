-- no-transaction
-- after backfill: collections.fill_keys
alter table collections.item_keys drop constraint if exists item_keys_have_tenant;
alter table collections.item_keys add constraint item_keys_have_tenant check (tenant_id is not null) not valid;
alter table collections.item_keys validate constraint item_keys_have_tenant;
drop index concurrently if exists collections.item_keys_tenant_key;
create unique index concurrently item_keys_tenant_key on collections.item_keys (tenant_id, root_id, external_key);
