-- no-transaction
-- In this index a lookup of one link (tenant, collection, item) skips through all times between: PostgreSQL 18 takes that for as
-- cheap as the unique key, because it believes that hardly a row is of the tenant and of the collection. A page of items by name
-- took 30 s where the items had been added one by one. collection_items_newest gives the order, and cannot be taken for a lookup.
drop index concurrently if exists collections.collection_items_latest;
