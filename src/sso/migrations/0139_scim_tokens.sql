-- Bearer tokens with which the directory of an enterprise connection provisions people (SCIM 2.0). Only their hashes are
-- kept. A revoked token is deleted; the audit log remembers it.
create table sso.scim_tokens (
  token_id       uuid primary key,
  connection_id  uuid not null references sso.connections on delete cascade,
  token_hash     bytea not null unique,
  name           text not null,
  hint           text not null,
  created_at     timestamptz(3) not null default clock_timestamp(),
  expires_at     timestamptz(3),
  last_used_at   timestamptz(3)
);
create index scim_tokens_by_connection -- which tokens does this connection have, the oldest first?
  on sso.scim_tokens (connection_id, created_at, token_id);
