-- Partner sites whose servers speak OpenID Connect instead of our own sign-in routes.

-- A site that is a client. client_id is its site_code; of the secret only the SHA-256 is kept.
create table sso.openid_clients (
  site_id                    uuid primary key references sso.sites on delete cascade,
  secret_hash                bytea not null,
  redirect_uris              text[] not null check (cardinality(redirect_uris) between 1 and 20),
  post_logout_redirect_uris  text[] not null default '{}' check (cardinality(post_logout_redirect_uris) <= 20),
  backchannel_logout_uri     text,
  version                    int not null default 1,
  created_at                 timestamptz(3) not null default clock_timestamp(),
  updated_at                 timestamptz(3) not null default clock_timestamp()
);

-- One-time codes on their way from a browser to a client's token request. A spent one stays until it would have expired
-- anyway, because its second presentation ends the session. token_enc is sealed under a key that only the code yields.
create table sso.openid_codes (
  code_hash       bytea primary key,
  session_id      uuid not null references sso.sessions on delete cascade,
  site_id         uuid not null references sso.sites on delete cascade,
  token_enc       bytea not null,
  redirect_uri    text not null,
  code_challenge  text not null,
  nonce           text,
  scope           text not null,
  created_at      timestamptz(3) not null default clock_timestamp(),
  spent_at        timestamptz(3)
);
create index openid_codes_by_session -- which codes go with this session?
  on sso.openid_codes (session_id);
create index openid_codes_by_age -- which are too old to be told from unknown ones?
  on sso.openid_codes (created_at);
create index openid_codes_by_site -- which codes go with this site?
  on sso.openid_codes (site_id);
