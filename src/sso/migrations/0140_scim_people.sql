-- People as the directory of a connection describes them (SCIM 2.0). `resource` holds what the directory said and is what
-- it reads again, so a directory learns nothing of what a person told us or other sites. is_created: the directory made
-- the account, so its sign-in may be linked to it before the address is proven.
create table sso.scim_users (
  connection_id   uuid not null references sso.connections on delete cascade,
  user_id         uuid not null references sso.users on delete cascade,
  user_name       text not null,
  user_name_fold  text not null,
  external_id     text,
  resource        jsonb not null,
  is_created      boolean not null,
  version         int not null default 1,
  created_at      timestamptz(3) not null default clock_timestamp(),
  updated_at      timestamptz(3) not null default clock_timestamp(),
  primary key (connection_id, user_id),
  constraint scim_users_by_name unique (connection_id, user_name_fold),
  constraint scim_users_by_external_id unique (connection_id, external_id)
);
create index scim_users_by_user -- which directories know this person?
  on sso.scim_users (user_id);
create index scim_users_in_order -- whom does this directory know, in order of arrival?
  on sso.scim_users (connection_id, created_at, user_id);
