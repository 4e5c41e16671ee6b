-- no-transaction
-- which items are in these collections, and when was each added? With the tenant beside the order, this index alone answers, as
-- collection_items_newest did for one collection, also for the nodes of the release before.
drop index concurrently if exists collections.collection_items_in_order;
create index concurrently collection_items_in_order
  on collections.collection_items (collection_id, added_at desc, item_id desc) include (tenant_id);
drop index concurrently if exists collections.collection_items_newest;
