-- SAML: which signature a response must carry, and keys of ours that providers encrypt assertions for.

alter table sso.connections
  add column required_signature text not null default 'either'
    check (required_signature in ('either', 'assertion', 'response', 'both'));

-- The key without an end stands in our metadata. The one before it still decrypts until its end.
create table sso.connection_keys (
  key_id         uuid primary key,
  connection_id  uuid not null references sso.connections on delete cascade,
  certificate    text not null,
  private_enc    bytea not null,
  created_at     timestamptz(3) not null default clock_timestamp(),
  ends_at        timestamptz(3)
);
create unique index connection_keys_current -- which key do providers encrypt for?
  on sso.connection_keys (connection_id) where ends_at is null;
create index connection_keys_by_connection -- which keys can decrypt for this connection, the newest first?
  on sso.connection_keys (connection_id, created_at desc, key_id);
create index connection_keys_by_end -- which decrypt no longer?
  on sso.connection_keys (ends_at) where ends_at is not null;
