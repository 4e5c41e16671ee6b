-- Sign-ins through this service: an opaque token of 12 hours, bound to the session of the sso that its login opened.
create schema collections;

-- Only the SHA-256 of a token is kept. sso_session_id and user_id are ids of the sso and no foreign keys: it may run
-- in another process with another database.
create table collections.sessions (
  token_hash       bytea primary key,
  user_id          uuid not null,
  tenant_id        uuid not null,
  sso_session_id   uuid not null,
  session_version  int not null,
  created_at       timestamptz(3) not null default clock_timestamp(),
  expires_at       timestamptz(3) not null default clock_timestamp() + interval '12 hours'
);
create index sessions_by_sso_session -- which tokens end with this session of the sso?
  on collections.sessions (sso_session_id);
create index sessions_by_expiry -- which tokens are over?
  on collections.sessions (expires_at);
