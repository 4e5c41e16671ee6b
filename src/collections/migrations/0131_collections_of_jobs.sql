-- The first collections that an import made or changed, or that its items went into: where its summary leads to.
alter table collections.jobs add column collection_ids uuid[] not null default '{}';
