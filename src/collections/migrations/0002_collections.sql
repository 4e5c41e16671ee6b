-- Collections form trees; whoever is a member of one sees it and, unless inheritance is cut, everything below it.
create type collections.role as enum ('viewer', 'editor', 'admin'); -- in this order: max() is the higher role

-- inherit_reach: from how many levels above memberships count, 0 for a root and where inheritance is cut.
create table collections.collections (
  id               uuid primary key,
  tenant_id        uuid not null,
  parent_id        uuid references collections.collections,
  root_id          uuid not null references collections.collections,
  depth            smallint not null check (depth between 0 and 9),
  inherit_members  boolean not null default true,
  inherit_reach    smallint not null check (inherit_reach between 0 and depth),
  name             text not null check (char_length(name) between 1 and 200),
  description      text check (char_length(description) <= 5000),
  type             text not null default 'general',
  external_key     text check (char_length(external_key) between 1 and 128),
  metadata         jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  created_by       uuid,
  version          int not null default 1,
  created_at       timestamptz(3) not null default clock_timestamp(),
  updated_at       timestamptz(3) not null default clock_timestamp(),
  constraint collections_root_has_no_parent check ((parent_id is null) = (depth = 0)),
  constraint collections_cut_reaches_nothing check (inherit_members or inherit_reach = 0)
);
create index collections_by_parent -- which are the children of this one?
  on collections.collections (parent_id);
create unique index collections_by_external_key -- which collection of the tree has this key?
  on collections.collections (root_id, external_key) where external_key is not null;
create index collections_by_change -- what changed last in this tenant?
  on collections.collections (tenant_id, updated_at desc, id desc);

-- Every pair of a collection and one above it, with a row for itself at distance 0. Names never stand in a path, so a
-- rename writes one row.
create table collections.collection_ancestors (
  ancestor_id    uuid not null references collections.collections on delete cascade,
  descendant_id  uuid not null references collections.collections on delete cascade,
  distance       smallint not null check (distance between 0 and 9),
  primary key (descendant_id, ancestor_id) include (distance)
);
create index collection_ancestors_downwards -- what stands below this one?
  on collections.collection_ancestors (ancestor_id, distance) include (descendant_id);

create table collections.members (
  collection_id  uuid not null references collections.collections on delete cascade,
  user_id        uuid not null,
  role           collections.role not null,
  invited_by     uuid,
  joined_at      timestamptz(3) not null default clock_timestamp(),
  primary key (collection_id, user_id)
);
create index members_by_user -- what is this person a member of?
  on collections.members (user_id, collection_id) include (role);
create index members_admins -- who administers this one?
  on collections.members (collection_id) where role = 'admin';
