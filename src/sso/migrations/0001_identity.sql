-- Who exists: tenants, their sites, the people of the network, what they may do where, and their sign-ins.
create schema sso;

-- The partition of the sibling services. A sandbox tenant may be the twin of a production tenant.
create table sso.tenants (
  tenant_id             uuid primary key,
  name                  text not null,
  environment           text not null check (environment in ('sandbox', 'production')),
  production_tenant_id  uuid references sso.tenants,
  created_by            uuid,
  created_at            timestamptz(3) not null default clock_timestamp(),
  constraint tenants_one_twin unique (production_tenant_id),
  constraint tenants_twin_is_sandbox check (production_tenant_id is null or environment = 'sandbox')
);
create index tenants_by_founder -- how many tenants did this person found?
  on sso.tenants (created_by) where created_by is not null;

-- One partner application in one environment. hs_generation numbers the key that signs its HS256 tokens.
create table sso.sites (
  site_id                 uuid primary key,
  tenant_id               uuid not null references sso.tenants,
  site_code               text not null,
  name                    text not null,
  domain                  text not null,
  environment             text not null check (environment in ('sandbox', 'production')),
  callback_url            text,
  token_signing           text not null default 'HS256' check (token_signing in ('HS256', 'RS256', 'dual')),
  hs_generation           int not null default 1,
  refresh_reuse_policy    text not null default 'tolerant' check (refresh_reuse_policy in ('tolerant', 'strict')),
  trust_client_ip         boolean not null default false,
  plan                    text not null default 'starter' check (plan in ('starter', 'business', 'enterprise')),
  retention_days          int check (retention_days > 0),
  session_max_days        int check (session_max_days > 0),
  is_first_party          boolean not null default false,
  webhook_secret_enc      bytea not null,
  webhook_secret_old_enc  bytea,
  webhook_switch_at       timestamptz(3),
  version                 int not null default 1,
  created_at              timestamptz(3) not null default clock_timestamp(),
  updated_at              timestamptz(3) not null default clock_timestamp(),
  deleted_at              timestamptz(3),
  constraint sites_by_code unique (site_code)
);
create index sites_by_tenant -- which sites make up this tenant?
  on sso.sites (tenant_id, site_id);

-- Only the SHA-256 of a key is kept; `hint` are its last four characters.
create table sso.site_keys (
  key_hash      bytea primary key,
  site_id       uuid not null references sso.sites on delete cascade,
  hint          text not null,
  created_at    timestamptz(3) not null default clock_timestamp(),
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3)
);
create index site_keys_live_by_site -- which keys of this site work?
  on sso.site_keys (site_id, created_at) where revoked_at is null;

-- People are network-wide within their environment. A deleted one keeps nothing but the id.
create table sso.users (
  user_id               uuid primary key,
  environment           text not null check (environment in ('sandbox', 'production')),
  email                 text,
  email_fold            text,
  email_verified        boolean not null default false,
  email_proven_at       timestamptz(3),
  username              text,
  username_fold         text,
  password_hash         text,
  phone                 text,
  display_name          text,
  given_name            text,
  family_name           text,
  locale                text,
  time_zone             text,
  avatar_url            text,
  metadata              jsonb not null default '{}',
  status                text not null default 'active' check (status in ('active', 'suspended', 'deleted')),
  session_version       int not null default 1,
  version               int not null default 1,
  registration_site_id  uuid references sso.sites,
  registration_source   text not null check (registration_source in ('register', 'admin', 'bulk_import', 'sso_jit')),
  last_login_at         timestamptz(3),
  created_at            timestamptz(3) not null default clock_timestamp(),
  updated_at            timestamptz(3) not null default clock_timestamp(),
  constraint users_reachable check (status = 'deleted' or (email is not null and email_fold is not null))
);
create unique index users_by_email -- whose address is this?
  on sso.users (environment, email_fold) where status <> 'deleted';
create unique index users_by_username -- whose name is this?
  on sso.users (environment, username_fold) where status <> 'deleted';

create table sso.roles (
  site_id      uuid not null references sso.sites on delete cascade,
  role         text not null,
  name         text not null,
  description  text not null,
  permissions  text[] not null,
  is_admin     boolean not null default false,
  is_default   boolean not null default false,
  primary key (site_id, role)
);
create unique index roles_one_default -- what does a new member become?
  on sso.roles (site_id) where is_default;

-- A person at a site has exactly one role. Whoever adds a row holds the lock of the users row.
create table sso.memberships (
  user_id       uuid not null references sso.users on delete cascade,
  site_id       uuid not null references sso.sites on delete cascade,
  role          text not null,
  external_id   text,
  suspended_at  timestamptz(3),
  joined_at     timestamptz(3) not null default clock_timestamp(),
  assigned_by   uuid,
  assigned_at   timestamptz(3) not null default clock_timestamp(),
  primary key (user_id, site_id),
  foreign key (site_id, role) references sso.roles,
  constraint memberships_by_external_id unique (site_id, external_id)
);
create index memberships_by_site -- who belongs to this site?
  on sso.memberships (site_id, user_id);

-- A sign-in is a session, and the session is the family of its refresh tokens: ending it is one update of one row.
-- Sessions of one hosted sign-in share login_id. Ended ones stay until retention.
create table sso.sessions (
  session_id     uuid primary key,
  login_id       uuid not null,
  user_id        uuid not null references sso.users on delete cascade,
  site_id        uuid not null references sso.sites on delete cascade,
  auth_methods   text[] not null,
  auth_time      timestamptz(3) not null default clock_timestamp(),
  ip_address     text,
  user_agent     text,
  device_name    text,
  created_at     timestamptz(3) not null default clock_timestamp(),
  last_seen_at   timestamptz(3) not null default clock_timestamp(),
  expires_at     timestamptz(3) not null,
  revoked_at     timestamptz(3),
  revoke_reason  text,
  constraint sessions_end_has_reason check ((revoked_at is null) = (revoke_reason is null))
) with (fillfactor = 80);
create index sessions_by_user -- which sessions does this person have, newest first?
  on sso.sessions (user_id, created_at desc, session_id desc);
create index sessions_by_site -- which sessions does this site hold?
  on sso.sessions (site_id, session_id);

-- Only the SHA-256 of a token is kept. response_enc is the sealed answer for Idempotency-Key; the database alone
-- cannot open it.
create table sso.refresh_tokens (
  token_hash        bytea primary key,
  session_id        uuid not null references sso.sessions on delete cascade,
  generation        int not null,
  issued_at         timestamptz(3) not null default clock_timestamp(),
  expires_at        timestamptz(3) not null,
  consumed_at       timestamptz(3),
  successor_hash    bytea,
  consumed_ip       text,
  consumed_ua_hash  bytea,
  idempotency_hash  bytea,
  response_enc      bytea,
  constraint refresh_tokens_in_line unique (session_id, generation),
  constraint refresh_tokens_spent_has_successor check ((consumed_at is null) = (successor_hash is null))
) with (fillfactor = 80);

-- Who did what to whom. No foreign keys: the record outlives what it speaks of.
create table sso.audit_log (
  audit_id         uuid primary key,
  occurred_at      timestamptz(3) not null default clock_timestamp(),
  action           text not null,
  environment      text not null check (environment in ('sandbox', 'production')),
  site_id          uuid,
  actor_user_id    uuid,
  subject_user_id  uuid,
  ip_address       text,
  user_agent       text,
  details          jsonb not null default '{}'
);
