-- What the provider of a connection said about the person who came last, sealed: whoever sets up the mapping sees what
-- it makes of it. At most one row for each connection, for a day.
create table sso.connection_claims (
  connection_id uuid primary key references sso.connections on delete cascade,
  claims_enc    bytea not null,
  told_at       timestamptz(3) not null default clock_timestamp(),
  expires_at    timestamptz(3) not null
);
create index connection_claims_expired -- which may no longer be kept?
  on sso.connection_claims (expires_at, connection_id);
