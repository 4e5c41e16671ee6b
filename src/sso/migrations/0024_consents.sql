-- What people agreed to at sites of partners, and the sign-ins that wait for it.

-- One row per person and site, also once it was revoked: then nothing is silent any more until they agree anew.
create table sso.consents (
  user_id     uuid not null references sso.users on delete cascade,
  site_id     uuid not null references sso.sites on delete cascade,
  scopes      text[] not null,
  -- On our page; by the password they gave the site itself; by the organisation their account comes from; or, revoked
  -- only, by the site that had made them a member.
  given_by    text not null check (given_by in ('page', 'password', 'organisation', 'site')),
  granted_at  timestamptz(3) not null default clock_timestamp(),
  revoked_at  timestamptz(3),
  primary key (user_id, site_id)
);
create index consents_by_site -- which consents go with this site?
  on sso.consents (site_id);

-- Sign-ins that are proven and wait for consent. A row is gone once it is used. Only the SHA-256 of the token is kept, which
-- the browser has in a cookie. `role` is what an identity provider gives, null for the default one.
create table sso.proven_sign_ins (
  token_hash    bytea primary key,
  user_id       uuid not null references sso.users on delete cascade,
  site_id       uuid not null references sso.sites on delete cascade,
  login_id      uuid not null,
  auth_methods  text[] not null,
  gives_role    boolean not null default false,
  role          text,
  auth_time     timestamptz(3) not null default clock_timestamp(),
  expires_at    timestamptz(3) not null
);
create index proven_sign_ins_by_user -- which of them end with a change of the account?
  on sso.proven_sign_ins (user_id);
create index proven_sign_ins_by_site -- which of them go with this site?
  on sso.proven_sign_ins (site_id);
create index proven_sign_ins_by_end -- which were never used and can go?
  on sso.proven_sign_ins (expires_at);

-- What an OpenID client was granted; null for every other session, which shows its site the whole account.
alter table sso.sessions add column openid_scope text;

-- PKCE (RFC 7636) of the code that carries a hosted sign-in.
alter table sso.sign_in_codes add column code_challenge text;

-- Where visitors may return to beside the callback.
alter table sso.sites add column return_urls text[] not null default '{}' check (cardinality(return_urls) <= 20);
-- When the owner last proved the domain; the pages say so.
alter table sso.sites add column if not exists domain_verified_at timestamptz;
