-- Groups of the directory of a connection, and who is in them. The role mapping of the connection refers to their names.
create table sso.scim_groups (
  group_id       uuid primary key,
  connection_id  uuid not null references sso.connections on delete cascade,
  display_name   text not null,
  name_fold      text not null,
  external_id    text,
  version        int not null default 1,
  created_at     timestamptz(3) not null default clock_timestamp(),
  updated_at     timestamptz(3) not null default clock_timestamp(),
  constraint scim_groups_of_connection unique (connection_id, group_id),
  constraint scim_groups_by_name unique (connection_id, name_fold),
  constraint scim_groups_by_external_id unique (connection_id, external_id)
);

create table sso.scim_members (
  connection_id  uuid not null,
  group_id       uuid not null,
  user_id        uuid not null,
  primary key (connection_id, group_id, user_id),
  foreign key (connection_id, group_id) references sso.scim_groups (connection_id, group_id) on delete cascade,
  foreign key (connection_id, user_id) references sso.scim_users (connection_id, user_id) on delete cascade
);
create index scim_members_by_user -- in which groups of the directory is this person?
  on sso.scim_members (connection_id, user_id, group_id);
