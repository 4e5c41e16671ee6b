-- The order and filters of a list of items under a name, for everybody who sees the collection.
create table collections.views (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  name text not null check (char_length(name) between 1 and 80),
  query text not null check (char_length(query) <= 2000),
  created_by uuid,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  -- which views has this collection, by name?
  unique (tenant_id, collection_id, name),
  foreign key (tenant_id, collection_id) references collections.collections (tenant_id, id) on delete cascade
);
