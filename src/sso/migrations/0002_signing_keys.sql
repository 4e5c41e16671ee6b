-- The RSA keys that sign access tokens, per environment. Keys of sites (HS256) are derived and have no row.
-- standby is published, active signs, retiring still verifies, revoked counts no longer.
create table sso.signing_keys (
  kid           text primary key,
  environment   text not null check (environment in ('sandbox', 'production')),
  alg           text not null check (alg = 'RS256'),
  purpose       text not null check (purpose in ('access', 'logout')),
  state         text not null check (state in ('standby', 'active', 'retiring', 'revoked')),
  public_jwk    jsonb not null,
  private_enc   bytea not null,
  created_at    timestamptz(3) not null default clock_timestamp(),
  activated_at  timestamptz(3),
  retiring_at   timestamptz(3),
  constraint signing_keys_active_since check (state = 'standby' or activated_at is not null)
);
create unique index signing_keys_one_active -- which key signs?
  on sso.signing_keys (environment, purpose) where state = 'active';
