-- Sign-in through the identity providers of partner sites (OpenID Connect and SAML).

create table sso.connections (
  connection_id      uuid primary key,
  site_id            uuid not null references sso.sites on delete cascade,
  type               text not null check (type in ('oidc', 'saml')),
  name               text not null,
  status             text not null default 'active' check (status in ('active', 'disabled')),
  issuer             text,
  client_id          text,
  client_secret_enc  bytea,
  metadata_url       text,
  metadata_xml       text,
  attribute_mapping  jsonb not null default '{}',
  role_attribute     text,
  role_mapping       jsonb not null default '[]',
  version            int not null default 1,
  created_at         timestamptz(3) not null default clock_timestamp(),
  updated_at         timestamptz(3) not null default clock_timestamp(),
  check (type <> 'oidc' or (issuer is not null and client_id is not null and metadata_url is null and metadata_xml is null)),
  check (type <> 'saml' or (issuer is null and client_id is null and num_nonnulls(metadata_url, metadata_xml) = 1))
);
create index connections_by_site -- which connections does this site have, the oldest first?
  on sso.connections (site_id, created_at, connection_id);

-- E-mail domains that lead to a connection. Only a verified one does, or lets an account be linked.
create table sso.connection_domains (
  site_id        uuid not null references sso.sites on delete cascade,
  domain         text not null,
  connection_id  uuid not null references sso.connections on delete cascade,
  challenge      text not null,
  verified_at    timestamptz(3),
  verified_by    text check (verified_by in ('dns', 'operator')),
  created_at     timestamptz(3) not null default clock_timestamp(),
  primary key (site_id, domain),
  check ((verified_at is null) = (verified_by is null))
);
create index connection_domains_by_connection -- which domains lead to this connection?
  on sso.connection_domains (connection_id, domain);

-- What the provider last published about itself: metadata and keys, for the time its source is down.
create table sso.connection_documents (
  connection_id  uuid not null references sso.connections on delete cascade,
  url            text not null,
  body           text not null,
  fetched_at     timestamptz(3) not null default clock_timestamp(),
  primary key (connection_id, url)
);

-- Sign-ins under way. A row is gone once it is spent. secret_enc is sealed: nonce, PKCE verifier, where it leads.
create table sso.sign_in_attempts (
  state_hash     bytea primary key,
  connection_id  uuid not null references sso.connections on delete cascade,
  kind           text not null check (kind in ('oidc', 'saml', 'ticket')),
  browser_hash   bytea not null,
  secret_enc     bytea not null,
  created_at     timestamptz(3) not null default clock_timestamp(),
  expires_at     timestamptz(3) not null
);
create index sign_in_attempts_by_end -- which were never finished and can go?
  on sso.sign_in_attempts (expires_at);
create index sign_in_attempts_by_connection -- which go with this connection?
  on sso.sign_in_attempts (connection_id);

-- What a provider may say once: assertions, logout requests, logout tokens. Kept for as long as it would be believed.
create table sso.connection_messages (
  connection_id  uuid not null references sso.connections on delete cascade,
  message_id     text not null,
  expires_at     timestamptz(3) not null,
  primary key (connection_id, message_id)
);
create index connection_messages_by_end -- which would be refused for their age anyway?
  on sso.connection_messages (expires_at);

-- Who somebody is at a provider. Never the e-mail address, which two providers may give to two people.
create table sso.identities (
  identity_id    uuid primary key,
  connection_id  uuid not null references sso.connections on delete cascade,
  issuer         text not null,
  subject        text not null,
  user_id        uuid not null references sso.users on delete cascade,
  created_at     timestamptz(3) not null default clock_timestamp(),
  last_used_at   timestamptz(3) not null default clock_timestamp(),
  constraint identities_by_subject unique (connection_id, issuer, subject)
);
create index identities_by_user -- which identities does this person have?
  on sso.identities (user_id);

-- Which sign-ins came from an identity, so that the provider's logout ends their sessions.
create table sso.identity_sign_ins (
  login_id     uuid primary key,
  identity_id  uuid not null references sso.identities on delete cascade,
  idp_session  text,
  created_at   timestamptz(3) not null default clock_timestamp()
);
create index identity_sign_ins_by_identity -- which sign-ins does the provider end?
  on sso.identity_sign_ins (identity_id, created_at);
