-- The schema sso of an empty database, in place of the migrations below (docs/decisions/schema-snapshot.md).
-- Written by test/schema.test.ts --write: edit the migrations, not this file.
-- 0001_identity.sql 187a5867df28f273659543afeb130e434af71a591a394280486841b00f95f900
-- 0002_signing_keys.sql 69d3b28c7a781e39ef29ac715541d1b173e4897e15ea38be7396f1feff29e392
-- 0003_mfa.sql 1975205702c09db97e2cbf971a2aa0b3808701a8b9efb495aabc7a9846af8126
-- 0004_users.sql 27b6b6af9e0b951ac6875f61e40ba6503f6b9937f7bdbfb2d6c57d249cb79218
-- 0005_sites.sql a14c27b545da55a20e2a244c190098ac0d07b55270745dc52df3deb79677dcde
-- 0006_rotation.sql 23c5f6f501744a85b04494e55e6f53eb01ae46853a2f7071695299392d5d906a
-- 0007_messages.sql 36ce6c820b3c57fba2cd1ac8612aa81fea01ee87cd04946953be5df7696e2f3d
-- 0008_operations.sql a83dff81f604cb637d6b3fda94bbd51db0fa6afabf3ac800e8d59e9b3e170c49
-- 0009_hosted.sql 098eaef3e8d4444049ce652b5147f128dde1b2a8e3b2b3f7e8eddd691c0caaef
-- 0010_webhooks.sql c982d46bc7ab290311b1de83630839214dd88d7fcdc710092f692c4c8bcd5614
-- 0011_bulk.sql 11679b3d6bc12a6dc91a7404e0d08d2f9d3f52ee0d9a35ca55d9aeb635591299
-- 0012_payments.sql 549deddeca687865fcb674247fae1214a448b25f1087481d0736ea1d5eecdac3
-- 0014_enterprise.sql 02df6e026b4c565a0f042e782b4c8d2c4a5367ad915d3ffdcf2e59dfe16abd04
-- 0015_openid.sql ff8a528afabc5fba48de51a7efd8ab198307f5f953293e865c24aa36e8e1b6e6
-- 0016_fresh_proof.sql dc0d1fbbcc48bc4d09ce9443eaccb00ac05169dceaa0ad897b7923013bacb320
-- 0019_imports.sql d8980babc337ddb4b4e79d44c658a5025a6103d32ec3e90f0248855064044a0d
-- 0020_webhook_trust.sql 79f339ac14000cd6cab41c02e2fe1864b0c6b97baeb919f8a1f7c9e68b48c2a1
-- 0021_site_approval.sql 54ae5dcf58158b56695ed7bdf8c963c6bba4c321251dc057bb53c1e76b439c5d
-- 0022_federation.sql c25e01a2c2eea8b7cf676ae0fbbaccbff2c061decc79c57d8fa637c4c77b4752
-- 0023_factors_and_machines.sql 74b286332420c1e967aba89b0880a68882ec6a09f6f3eed26f49d03d76a52c7f
-- 0024_consents.sql 735fe505a67079d0c30b1337a29203713d77076e4ecc05df37fd3935375472ad
-- 0025_sms_codes.sql 53cf3327ea024f4d847e8a752768075732dad7beca3bb439ddf7f14d2ebdad25
-- 0026_counters.sql d369d375b9959e57e935d9b24875147db8b400693aa7e3c183997c8025c55cc5
-- 0027_imports.sql b0aeb4af2651aa13837bbae76c3e0ec4941a8938a06cb20d2ffa341563645f97
-- 0028_webhooks.sql 0f58ddcd69d33251341284535bf588961a64f236f435d17f2c8f2ae3916d8d02
-- 0030_search.sql 36096697f849b95893538aa0a2c71d22f3e1e356c5db0b5e0391d003cd24cc2c
-- 0041_optional_pkce.sql c3345a30302dfef4d1924cb5164762c5fdbbc524a366d007961f58f20f919ee9
-- 0070_deliveries_in_place.sql 507213a0c2e5e3214e7d893ff2509944db222c8df1bc833bfe1e1fd15962e084
-- 0071_traces.sql b715ef71fd6286dbf75835cab339c218f673ff15830e92bb36ab272a026d3baa
-- 0090_audit_months_ready.sql ced1d32518c9bff9bde261e61d7ed949422db01be7e36fb6d73168c1669972c6
-- 0091_audit_months.sql d37a769d48320005998428e87bb6060460f11e2ded65b226834628cbdbf047d5
-- 0095_messages_sent_again.sql 36f5fd81bc188b82e1de49696b614692f62aa0e936b3bd8d44f0878bee0fd62c
-- 0100_branding.sql 72a11adf5e5addbed15183cb16eb5de191ff238ce63348982dee31311ddf261c
-- 0122_connection_claims.sql acc090dcec739d5e348416777768eaf6c1540b028b9876df6c83e72220c9a7b2
-- 0139_scim_tokens.sql c8287099998176b281e36a7d3e759ef869e12e8456be02a8f9afac268ee81099
-- 0140_scim_people.sql 798fdd9486f9fff7599bc37dafdd7741e28cc9b3aa765b45482f6533ecadb70a
-- 0141_scim_groups.sql 12c4a6677f053aca9245284030acfea6e3b0a272e237821d7859cc7245dfa4be
-- 0143_passkeys.sql ac775b681d76cd254236d85498b00e61cb9ad79f8f7e4600cd90071cbab79ca0
-- 0170_proven_before.sql bf164fbe12285f21fef3c74a50b860d98801e3db707f500e0dcd7de39d1c3fc9
-- 0195_bulk_errors_by_kind.sql cf766e8c7402ebe2e620fe34bd5ab76f57be67a584b2e44fe7382ff6088f8e2e
-- Bodies of functions name tables that are made below.
set local check_function_bodies = off;

create schema sso;

CREATE FUNCTION sso.member_joins()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select environment, created_at into new.environment, new.user_created_at from sso.users where user_id = new.user_id;
  return new;
end $function$;
CREATE FUNCTION sso.session_version_rose()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sso.session_bumps (user_id, session_version) values (new.user_id, new.session_version)
  on conflict (xid, user_id) do update set session_version = excluded.session_version;
  return null;
end $function$;
CREATE FUNCTION sso.count_members()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sso.member_counts (site_id, environment, slot, members)
  select site_id, environment, pg_backend_pid() % 16, count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed group by site_id, environment order by site_id, environment
      on conflict (site_id, environment, slot) do update set members = member_counts.members + excluded.members;
  return null;
end $function$;
CREATE FUNCTION sso.count_audit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sso.audit_counts (environment, site_id, action, slot, lines)
  select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, pg_backend_pid() % 16,
         count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed group by 1, 2, 3 order by 2, 1, 3
      on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines;
  return null;
end $function$;
CREATE FUNCTION sso.turn_audit_months(as_of timestamp with time zone, kept_days integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '300ms'
AS $function$
declare
  border timestamptz := as_of - make_interval(days => greatest(kept_days, (select max(retention_days) from sso.sites)));
  month record;
  newest timestamptz;
  lines bigint;
  gone bigint := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('sso.audit_months', 0)) then return 0; end if;

  -- The last part gets an end before its month begins. It has lines by then only if nobody turned in time; they stay
  -- where they are, and it ends with the month of the newest.
  loop
    select name, begins into strict month from sso.audit_months where ends is null;
    exit when month.begins >= date_trunc('month', as_of) + interval '2 months';
    execute format('alter table sso.audit_log detach partition sso.%I', month.name);
    execute format('select max(occurred_at) from sso.%I', month.name) into newest;
    newest := date_trunc('month', greatest(month.begins, newest)) + interval '1 month';
    execute format('alter table sso.audit_log attach partition sso.%I for values from (%L) to (%L)',
                   month.name, month.begins, newest);
    execute format('create table sso.%I partition of sso.audit_log for values from (%L) to (maxvalue)',
                   to_char(newest, '"audit_log_"YYYY_MM'), newest);
  end loop;

  select max(ends) into border from sso.audit_months where begins is not null and ends <= border;
  if border is null then return 0; end if;
  for month in select name from sso.audit_months where ends <= border loop
    -- Meanwhile only those wait who write to these old lines. No trigger counts in slot 16, so nobody waits for that.
    execute format('lock table sso.%I in share row exclusive mode', month.name);
    execute format($count$
      with old as (select environment, site_id, action, count(*) as lines from sso.%I group by 1, 2, 3),
           counted as (
             insert into sso.audit_counts (environment, site_id, action, slot, lines)
             select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, 16, -lines from old
                 on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines)
      select coalesce(sum(lines), 0) from old $count$, month.name) into lines;
    gone := gone + lines;
  end loop;
  for month in select name from sso.audit_months where ends <= border loop
    execute format('drop table sso.%I', month.name);
  end loop;
  execute format('create table sso.audit_log_earlier partition of sso.audit_log for values from (minvalue) to (%L)', border);
  return gone;
end $function$;

create table sso.tenants (
  tenant_id uuid not null,
  name text not null,
  environment text not null,
  production_tenant_id uuid,
  created_by uuid,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint tenants_pkey PRIMARY KEY (tenant_id),
  constraint tenants_one_twin UNIQUE (production_tenant_id),
  constraint tenants_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint tenants_twin_is_sandbox CHECK (((production_tenant_id IS NULL) OR (environment = 'sandbox'::text)))
);
create table sso.sites (
  site_id uuid not null,
  tenant_id uuid not null,
  site_code text not null,
  name text not null,
  domain text not null,
  environment text not null,
  callback_url text,
  token_signing text not null default 'HS256'::text,
  hs_generation integer not null default 1,
  refresh_reuse_policy text not null default 'tolerant'::text,
  trust_client_ip boolean not null default false,
  plan text not null default 'starter'::text,
  retention_days integer,
  session_max_days integer,
  is_first_party boolean not null default false,
  webhook_secret_enc bytea not null,
  webhook_secret_old_enc bytea,
  webhook_switch_at timestamp(3) with time zone,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  hs_rotated_at timestamp(3) with time zone,
  status text not null default 'active'::text,
  domain_verified_at timestamp(3) with time zone,
  created_by uuid,
  require_mfa text not null default 'none'::text,
  return_urls text[] not null default '{}'::text[],
  constraint sites_pkey PRIMARY KEY (site_id),
  constraint sites_by_code UNIQUE (site_code),
  constraint sites_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint sites_token_signing_check CHECK ((token_signing = ANY (ARRAY['HS256'::text, 'RS256'::text, 'dual'::text]))),
  constraint sites_refresh_reuse_policy_check CHECK ((refresh_reuse_policy = ANY (ARRAY['tolerant'::text, 'strict'::text]))),
  constraint sites_plan_check CHECK ((plan = ANY (ARRAY['starter'::text, 'business'::text, 'enterprise'::text]))),
  constraint sites_retention_days_check CHECK ((retention_days > 0)),
  constraint sites_session_max_days_check CHECK ((session_max_days > 0)),
  constraint sites_status_check CHECK ((status = ANY (ARRAY['active'::text, 'pending'::text]))),
  constraint sites_require_mfa_check CHECK ((require_mfa = ANY (ARRAY['none'::text, 'admins'::text, 'all'::text]))),
  constraint sites_return_urls_check CHECK ((cardinality(return_urls) <= 20))
);
create table sso.site_keys (
  key_hash bytea not null,
  site_id uuid not null,
  hint text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint site_keys_pkey PRIMARY KEY (key_hash)
);
create table sso.users (
  user_id uuid not null,
  environment text not null,
  email text,
  email_fold text,
  email_verified boolean not null default false,
  email_proven_at timestamp(3) with time zone,
  username text,
  username_fold text,
  password_hash text,
  phone text,
  display_name text,
  given_name text,
  family_name text,
  locale text,
  time_zone text,
  avatar_url text,
  metadata jsonb not null default '{}'::jsonb,
  status text not null default 'active'::text,
  session_version integer not null default 1,
  version integer not null default 1,
  registration_site_id uuid,
  registration_source text not null,
  last_login_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  phone_verified boolean not null default false,
  search tsvector not null generated always as (array_to_tsvector(string_to_array(foundation.words(((((((((COALESCE(email, ''::text) || ' '::text) || COALESCE(username, ''::text)) || ' '::text) || COALESCE(display_name, ''::text)) || ' '::text) || COALESCE(given_name, ''::text)) || ' '::text) || COALESCE(family_name, ''::text))), ' '::text))) stored,
  display_name_fold text collate "und-x-icu" not null generated always as (foundation.fold(COALESCE(display_name, ''::text))) stored,
  is_claimed boolean not null default false,
  constraint users_pkey PRIMARY KEY (user_id),
  constraint users_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text]))),
  constraint users_registration_source_check CHECK ((registration_source = ANY (ARRAY['register'::text, 'admin'::text, 'bulk_import'::text, 'sso_jit'::text]))),
  constraint users_reachable CHECK (((status = 'deleted'::text) OR ((email IS NOT NULL) AND (email_fold IS NOT NULL)))),
  constraint users_verified_is_proven CHECK (((NOT email_verified) OR (email_proven_at IS NOT NULL)))
);
create table sso.roles (
  site_id uuid not null,
  role text not null,
  name text not null,
  description text not null,
  permissions text[] not null,
  is_admin boolean not null default false,
  is_default boolean not null default false,
  constraint roles_pkey PRIMARY KEY (site_id, role)
);
create table sso.memberships (
  user_id uuid not null,
  site_id uuid not null,
  role text not null,
  external_id text,
  suspended_at timestamp(3) with time zone,
  joined_at timestamp(3) with time zone not null default clock_timestamp(),
  assigned_by uuid,
  assigned_at timestamp(3) with time zone not null default clock_timestamp(),
  environment text not null,
  user_created_at timestamp(3) with time zone not null,
  constraint memberships_pkey PRIMARY KEY (user_id, site_id),
  constraint memberships_by_external_id UNIQUE (site_id, external_id)
);
create table sso.sessions (
  session_id uuid not null,
  login_id uuid not null,
  user_id uuid not null,
  site_id uuid not null,
  auth_methods text[] not null,
  auth_time timestamp(3) with time zone not null default clock_timestamp(),
  ip_address text,
  user_agent text,
  device_name text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_seen_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  revoke_reason text,
  proven_at timestamp(3) with time zone,
  proven_methods text[] not null default '{}'::text[],
  openid_scope text,
  constraint sessions_pkey PRIMARY KEY (session_id),
  constraint sessions_end_has_reason CHECK (((revoked_at IS NULL) = (revoke_reason IS NULL)))
) with (fillfactor=80);
create table sso.refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  generation integer not null,
  issued_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  successor_hash bytea,
  consumed_ip text,
  consumed_ua_hash bytea,
  idempotency_hash bytea,
  response_enc bytea,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_in_line UNIQUE (session_id, generation),
  constraint refresh_tokens_spent_has_successor CHECK (((consumed_at IS NULL) = (successor_hash IS NULL)))
) with (fillfactor=80);
create table sso.audit_log_earlier (
  audit_id uuid constraint audit_log_audit_id_not_null not null,
  occurred_at timestamp(3) with time zone constraint audit_log_occurred_at_not_null not null default clock_timestamp(),
  action text constraint audit_log_action_not_null not null,
  environment text constraint audit_log_environment_not_null not null,
  site_id uuid,
  actor_user_id uuid,
  subject_user_id uuid,
  ip_address text,
  user_agent text,
  details jsonb constraint audit_log_details_not_null not null default '{}'::jsonb,
  constraint audit_log_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);
create table sso.signing_keys (
  kid text not null,
  environment text not null,
  alg text not null,
  purpose text not null,
  state text not null,
  public_jwk jsonb not null,
  private_enc bytea,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  activated_at timestamp(3) with time zone,
  retiring_at timestamp(3) with time zone,
  activates_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint signing_keys_alg_check CHECK ((alg = 'RS256'::text)),
  constraint signing_keys_purpose_check CHECK ((purpose = ANY (ARRAY['access'::text, 'logout'::text]))),
  constraint signing_keys_state_check CHECK ((state = ANY (ARRAY['standby'::text, 'active'::text, 'retiring'::text, 'revoked'::text]))),
  constraint signing_keys_active_since CHECK (((state = ANY (ARRAY['standby'::text, 'revoked'::text])) OR (activated_at IS NOT NULL))),
  constraint signing_keys_retiring_since CHECK (((state <> 'retiring'::text) OR (retiring_at IS NOT NULL))),
  constraint signing_keys_private_until_revoked CHECK (((state = 'revoked'::text) = (private_enc IS NULL))),
  constraint signing_keys_revoked_since CHECK (((state = 'revoked'::text) = (revoked_at IS NOT NULL)))
);
create table sso.mfa_factors (
  factor_id uuid not null,
  user_id uuid not null,
  type text not null,
  name text,
  secret_enc bytea,
  last_used_step bigint,
  credential_id text,
  public_key bytea,
  sign_count bigint,
  transports text[],
  email text,
  enrol_challenge text,
  enrol_code_hmac bytea,
  enrol_attempts integer not null default 0,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  activated_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  phone text,
  is_user_verified boolean not null default false,
  constraint mfa_factors_pkey PRIMARY KEY (factor_id),
  constraint mfa_factors_totp_has_seed CHECK (((type <> 'totp'::text) OR (secret_enc IS NOT NULL))),
  constraint mfa_factors_email_has_address CHECK (((type <> 'email'::text) OR (email IS NOT NULL))),
  constraint mfa_factors_webauthn_has_key CHECK (((type <> 'webauthn'::text) OR (activated_at IS NULL) OR ((credential_id IS NOT NULL) AND (public_key IS NOT NULL) AND (sign_count IS NOT NULL)))),
  constraint mfa_factors_type_check CHECK ((type = ANY (ARRAY['totp'::text, 'webauthn'::text, 'email'::text, 'sms'::text]))),
  constraint mfa_factors_sms_has_number CHECK (((type <> 'sms'::text) OR (phone IS NOT NULL)))
);
create table sso.recovery_codes (
  user_id uuid not null,
  code_hmac bytea not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  used_at timestamp(3) with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hmac)
);
create table sso.mfa_challenges (
  token_hash bytea not null,
  user_id uuid not null,
  site_id uuid not null,
  methods text[] not null,
  login_id uuid not null,
  auth_methods text[] not null,
  device_name text,
  attempts integer not null default 0,
  email_code_hmac bytea,
  email_sent_at timestamp(3) with time zone,
  webauthn_challenge text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  session_id uuid,
  sms_code_hmac bytea,
  constraint mfa_challenges_pkey PRIMARY KEY (token_hash)
);
create table sso.member_counts (
  site_id uuid not null,
  environment text not null,
  slot smallint not null,
  members integer not null,
  constraint member_counts_pkey PRIMARY KEY (site_id, environment, slot)
) with (fillfactor=50);
create table sso.erasures (
  user_id uuid not null,
  environment text not null,
  reason_code text not null,
  ccpa_drop_request boolean not null,
  gdpr_erasure_request boolean not null,
  erased_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint erasures_pkey PRIMARY KEY (user_id),
  constraint erasures_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);
create table sso.erasure_sites (
  site_id uuid not null,
  erased_at timestamp(3) with time zone not null,
  user_id uuid not null,
  constraint erasure_sites_pkey PRIMARY KEY (site_id, erased_at, user_id)
);
create table sso.audit_counts (
  site_id uuid not null,
  environment text not null,
  action text not null,
  slot smallint not null,
  lines bigint not null,
  constraint audit_counts_pkey PRIMARY KEY (site_id, environment, action, slot)
) with (fillfactor=50);
create table sso.session_bumps (
  xid xid8 not null default pg_current_xact_id(),
  user_id uuid not null,
  session_version integer not null,
  revoked_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint session_bumps_pkey PRIMARY KEY (xid, user_id)
);
create table sso.messages (
  message_id uuid not null,
  environment text not null,
  site_id uuid,
  user_id uuid not null,
  channel text not null,
  kind text not null,
  recipient text not null,
  body_enc bytea,
  status text not null,
  failure text,
  job_id uuid,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  resent_as uuid,
  constraint messages_pkey PRIMARY KEY (message_id),
  constraint messages_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint messages_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'logged'::text]))),
  constraint messages_sandbox_stays CHECK (((environment = 'sandbox'::text) = (status = 'logged'::text))),
  constraint messages_body_until_it_left CHECK (((body_enc IS NULL) = (status = ANY (ARRAY['sent'::text, 'failed'::text]))))
);
create table sso.one_time_tokens (
  token_hash bytea not null,
  user_id uuid not null,
  site_id uuid,
  purpose text not null,
  email_fold text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  spent_at timestamp(3) with time zone,
  constraint one_time_tokens_pkey PRIMARY KEY (token_hash),
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['email_verification'::text, 'password_reset'::text, 'invitation'::text, 'address_claim'::text])))
);
create table sso.deprecation_notices (
  route text not null,
  since date not null,
  sunset date not null,
  announced_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint deprecation_notices_pkey PRIMARY KEY (route, since, sunset)
);
create table sso.sign_in_codes (
  code_hash bytea not null,
  session_id uuid not null,
  token_enc bytea not null,
  expires_at timestamp(3) with time zone not null,
  code_challenge text,
  constraint sign_in_codes_pkey PRIMARY KEY (code_hash)
);
create table sso.webhook_endpoints (
  webhook_id uuid not null,
  site_id uuid not null,
  url text not null,
  events text[] not null,
  description text,
  all_sites boolean not null default false,
  status text not null default 'active'::text,
  auto_disable boolean not null default false,
  consecutive_failures integer not null default 0,
  failing_since timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  confirmed_at timestamp(3) with time zone,
  last_error text,
  constraint webhook_endpoints_pkey PRIMARY KEY (webhook_id),
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
create table sso.webhook_facts (
  fact_id uuid not null,
  event_type text not null,
  environment text not null,
  subject_user_id uuid,
  site_ids uuid[],
  origin_site_id uuid,
  data json,
  data_public json,
  erased_at timestamp(3) with time zone,
  occurred_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint webhook_facts_pkey PRIMARY KEY (fact_id),
  constraint webhook_facts_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
) with (fillfactor=80);
create table sso.webhook_events (
  event_id uuid not null,
  fact_id uuid,
  site_id uuid not null,
  subject_user_id uuid,
  event_type text not null,
  body bytea,
  erased_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint webhook_events_pkey PRIMARY KEY (event_id),
  constraint webhook_events_once_per_site UNIQUE (fact_id, site_id),
  constraint webhook_events_blank_is_erased CHECK (((body IS NOT NULL) OR (erased_at IS NOT NULL)))
);
create table sso.webhook_deliveries (
  delivery_id uuid not null,
  event_id uuid not null,
  webhook_id uuid not null,
  site_id uuid not null,
  event_type text not null,
  run integer not null default 1,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  max_attempts integer not null,
  next_attempt_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  delivered_at timestamp(3) with time zone,
  priority smallint not null default 1,
  claims integer not null default 0,
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  trace text,
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  constraint webhook_deliveries_runs UNIQUE (event_id, webhook_id, run),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'held'::text]))),
  constraint webhook_deliveries_lease CHECK (((lease_token IS NULL) = (lease_until IS NULL)))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02, fillfactor=50);
create table sso.webhook_attempts (
  delivery_id uuid not null,
  claim integer not null,
  started_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  response_status integer,
  error text,
  retry_after text,
  duration_ms integer,
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, claim)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02);
create table sso.bulk_jobs (
  job_id uuid not null,
  site_id uuid not null,
  created_by uuid not null,
  acts_at uuid,
  status text not null default 'queued'::text,
  failure text,
  is_due boolean not null default false,
  on_conflict text not null,
  dry_run boolean not null,
  emit_events boolean not null,
  delimiter text not null,
  columns text[] not null,
  total_rows integer not null,
  processed_rows integer not null default 0,
  success_count integer not null default 0,
  skipped_count integer not null default 0,
  error_count integer not null default 0,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  started_at timestamp(3) with time zone,
  cancel_requested_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  new_people integer not null default 0,
  over_quota_count integer not null default 0,
  warning_count integer not null default 0,
  lease_token uuid,
  starts smallint not null default 0,
  staged_rows integer,
  constraint bulk_jobs_pkey PRIMARY KEY (job_id),
  constraint bulk_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'completed'::text, 'completed_with_errors'::text, 'failed'::text, 'canceled'::text]))),
  constraint bulk_jobs_on_conflict_check CHECK ((on_conflict = ANY (ARRAY['skip'::text, 'update'::text, 'error'::text]))),
  constraint bulk_jobs_delimiter_check CHECK ((delimiter = ANY (ARRAY[','::text, ';'::text, '	'::text]))),
  constraint bulk_jobs_total_rows_check CHECK ((total_rows >= 0)),
  constraint bulk_jobs_add_up CHECK ((((success_count + skipped_count) + error_count) = processed_rows)),
  constraint bulk_jobs_not_beyond CHECK ((processed_rows <= total_rows)),
  constraint bulk_jobs_end CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['queued'::text, 'processing'::text])))),
  constraint bulk_jobs_failure CHECK (((failure IS NULL) = (status <> 'failed'::text))),
  constraint bulk_jobs_complete CHECK (((status <> ALL (ARRAY['completed'::text, 'completed_with_errors'::text])) OR (processed_rows = total_rows)))
) with (fillfactor=80);
create table sso.bulk_files (
  job_id uuid not null,
  place integer not null,
  content bytea not null,
  constraint bulk_files_pkey PRIMARY KEY (job_id, place)
);
create table sso.bulk_errors (
  job_id uuid not null,
  "row" integer not null,
  place smallint not null,
  line integer not null,
  field text,
  code text not null,
  is_warning boolean not null default false,
  constraint bulk_errors_pkey PRIMARY KEY (job_id, "row", place)
);
create table sso.bulk_erased (
  job_id uuid not null,
  email_digest bytea not null,
  constraint bulk_erased_pkey PRIMARY KEY (job_id, email_digest)
);
create table sso.orders (
  order_id uuid not null,
  site_id uuid not null,
  kind text not null,
  plan text,
  status text not null default 'pending'::text,
  amount integer not null,
  currency text not null default 'USD'::text,
  period_start timestamp(3) with time zone,
  period_end timestamp(3) with time zone,
  registrations integer,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  closed_at timestamp(3) with time zone,
  paid_at timestamp(3) with time zone,
  fulfilled_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  constraint orders_pkey PRIMARY KEY (order_id),
  constraint orders_kind_check CHECK ((kind = ANY (ARRAY['plan'::text, 'registration_usage'::text]))),
  constraint orders_plan_check CHECK ((plan = ANY (ARRAY['starter'::text, 'business'::text, 'enterprise'::text]))),
  constraint orders_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'paid'::text, 'fulfilled'::text, 'failed'::text, 'canceled'::text, 'refunded'::text]))),
  constraint orders_amount_check CHECK ((amount >= 0)),
  constraint orders_currency_check CHECK ((currency = 'USD'::text)),
  constraint orders_registrations_check CHECK ((registrations > 0)),
  constraint orders_plan_or_month CHECK (
CASE kind
    WHEN 'plan'::text THEN ((plan IS NOT NULL) AND (num_nulls(period_start, period_end, registrations, closed_at) = 4))
    ELSE ((plan IS NULL) AND (num_nulls(period_start, period_end, registrations) = 0))
END),
  constraint orders_times_follow_status CHECK (
CASE status
    WHEN 'pending'::text THEN (num_nulls(paid_at, fulfilled_at, ended_at) = 3)
    WHEN 'paid'::text THEN ((paid_at IS NOT NULL) AND (num_nulls(fulfilled_at, ended_at) = 2))
    WHEN 'fulfilled'::text THEN ((num_nulls(paid_at, fulfilled_at) = 0) AND (ended_at IS NULL))
    WHEN 'refunded'::text THEN (num_nulls(paid_at, ended_at) = 0)
    ELSE ((num_nulls(paid_at, fulfilled_at) = 2) AND (ended_at IS NOT NULL))
END)
);
create table sso.billing_ledger (
  user_id uuid not null,
  site_id uuid not null,
  month timestamp(3) with time zone not null,
  email_hmac bytea,
  billed_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint billing_ledger_pkey PRIMARY KEY (user_id),
  constraint billing_ledger_once_a_month UNIQUE (site_id, month, email_hmac)
);
create table sso.payment_events (
  event_id text not null,
  event_type text not null,
  order_id uuid,
  payment_id text,
  outcome text not null,
  received_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint payment_events_pkey PRIMARY KEY (event_id)
);
create table sso.connections (
  connection_id uuid not null,
  site_id uuid not null,
  type text not null,
  name text not null,
  status text not null default 'active'::text,
  issuer text,
  client_id text,
  client_secret_enc bytea,
  metadata_url text,
  metadata_xml text,
  attribute_mapping jsonb not null default '{}'::jsonb,
  role_attribute text,
  role_mapping jsonb not null default '[]'::jsonb,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  required_signature text not null default 'either'::text,
  constraint connections_pkey PRIMARY KEY (connection_id),
  constraint connections_type_check CHECK ((type = ANY (ARRAY['oidc'::text, 'saml'::text]))),
  constraint connections_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint connections_check CHECK (((type <> 'oidc'::text) OR ((issuer IS NOT NULL) AND (client_id IS NOT NULL) AND (metadata_url IS NULL) AND (metadata_xml IS NULL)))),
  constraint connections_check1 CHECK (((type <> 'saml'::text) OR ((issuer IS NULL) AND (client_id IS NULL) AND (num_nonnulls(metadata_url, metadata_xml) = 1)))),
  constraint connections_required_signature_check CHECK ((required_signature = ANY (ARRAY['either'::text, 'assertion'::text, 'response'::text, 'both'::text])))
);
create table sso.connection_domains (
  site_id uuid not null,
  domain text not null,
  connection_id uuid not null,
  challenge text not null,
  verified_at timestamp(3) with time zone,
  verified_by text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint connection_domains_pkey PRIMARY KEY (site_id, domain),
  constraint connection_domains_verified_by_check CHECK ((verified_by = ANY (ARRAY['dns'::text, 'operator'::text]))),
  constraint connection_domains_check CHECK (((verified_at IS NULL) = (verified_by IS NULL)))
);
create table sso.connection_documents (
  connection_id uuid not null,
  url text not null,
  body text not null,
  fetched_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint connection_documents_pkey PRIMARY KEY (connection_id, url)
);
create table sso.sign_in_attempts (
  state_hash bytea not null,
  connection_id uuid not null,
  kind text not null,
  browser_hash bytea not null,
  secret_enc bytea not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (state_hash),
  constraint sign_in_attempts_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'saml'::text, 'ticket'::text])))
);
create table sso.connection_messages (
  connection_id uuid not null,
  message_id text not null,
  expires_at timestamp(3) with time zone not null,
  constraint connection_messages_pkey PRIMARY KEY (connection_id, message_id)
);
create table sso.identities (
  identity_id uuid not null,
  connection_id uuid not null,
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_used_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint identities_pkey PRIMARY KEY (identity_id),
  constraint identities_by_subject UNIQUE (connection_id, issuer, subject)
);
create table sso.identity_sign_ins (
  login_id uuid not null,
  identity_id uuid not null,
  idp_session text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint identity_sign_ins_pkey PRIMARY KEY (login_id)
);
create table sso.openid_clients (
  site_id uuid not null,
  secret_hash bytea not null,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null default '{}'::text[],
  backchannel_logout_uri text,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  scopes text[] not null default '{}'::text[],
  client_session uuid not null default gen_random_uuid(),
  requires_pkce boolean not null default true,
  constraint openid_clients_pkey PRIMARY KEY (site_id),
  constraint openid_clients_post_logout_redirect_uris_check CHECK ((cardinality(post_logout_redirect_uris) <= 20)),
  constraint openid_clients_redirect_uris_check CHECK ((cardinality(redirect_uris) <= 20)),
  constraint openid_clients_of_some_use CHECK (((cardinality(redirect_uris) > 0) OR (cardinality(scopes) > 0)))
);
create table sso.openid_codes (
  code_hash bytea not null,
  session_id uuid not null,
  site_id uuid not null,
  token_enc bytea not null,
  redirect_uri text not null,
  code_challenge text,
  nonce text,
  scope text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  spent_at timestamp(3) with time zone,
  constraint openid_codes_pkey PRIMARY KEY (code_hash)
);
create table sso.email_changes (
  change_id uuid not null,
  user_id uuid not null,
  session_id uuid not null,
  site_id uuid,
  environment text not null,
  old_email text not null,
  old_fold text not null,
  new_email text not null,
  token_hash bytea not null,
  asked_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  done_at timestamp(3) with time zone,
  undo_hash bytea,
  undo_until timestamp(3) with time zone,
  was_clean boolean not null default false,
  constraint email_changes_pkey PRIMARY KEY (change_id),
  constraint email_changes_by_token UNIQUE (token_hash),
  constraint email_changes_by_undo UNIQUE (undo_hash),
  constraint email_changes_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint email_changes_done_has_undo CHECK ((((done_at IS NULL) = (undo_hash IS NULL)) AND ((done_at IS NULL) = (undo_until IS NULL))))
);
create table sso.email_claims (
  user_id uuid not null,
  tenant_id uuid not null,
  email_fold text not null,
  domain text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint email_claims_pkey PRIMARY KEY (user_id, tenant_id)
);
create table sso.import_quotas (
  tenant_id uuid not null,
  people_per_day integer,
  set_by uuid,
  set_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint import_quotas_pkey PRIMARY KEY (tenant_id),
  constraint import_quotas_people_per_day_check CHECK ((people_per_day >= 0))
);
create table sso.import_usage (
  tenant_id uuid not null,
  day date not null,
  people integer not null,
  constraint import_usage_pkey PRIMARY KEY (tenant_id, day),
  constraint import_usage_people_check CHECK ((people >= 0))
);
create table sso.webhook_hosts (
  host text not null,
  free_at timestamp with time zone not null,
  granted integer not null,
  constraint webhook_hosts_pkey PRIMARY KEY (host)
) with (fillfactor=50);
create table sso.connection_keys (
  key_id uuid not null,
  connection_id uuid not null,
  certificate text not null,
  private_enc bytea not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  ends_at timestamp(3) with time zone,
  constraint connection_keys_pkey PRIMARY KEY (key_id)
);
create table sso.consents (
  user_id uuid not null,
  site_id uuid not null,
  scopes text[] not null,
  given_by text not null,
  granted_at timestamp(3) with time zone not null default clock_timestamp(),
  revoked_at timestamp(3) with time zone,
  constraint consents_pkey PRIMARY KEY (user_id, site_id),
  constraint consents_given_by_check CHECK ((given_by = ANY (ARRAY['page'::text, 'password'::text, 'organisation'::text, 'site'::text])))
);
create table sso.proven_sign_ins (
  token_hash bytea not null,
  user_id uuid not null,
  site_id uuid not null,
  login_id uuid not null,
  auth_methods text[] not null,
  gives_role boolean not null default false,
  role text,
  auth_time timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  constraint proven_sign_ins_pkey PRIMARY KEY (token_hash)
);
create table sso.sms_sent (
  counted_hmac bytea not null,
  sent_at timestamp(3) with time zone[] not null,
  constraint sms_sent_pkey PRIMARY KEY (counted_hmac)
);
create unlogged table sso.bulk_rows (
  job_id uuid not null,
  "row" integer not null,
  line integer not null,
  faults jsonb,
  user_id uuid,
  email text,
  email_fold text,
  email_verified boolean,
  username text,
  username_fold text,
  phone text,
  display_name text,
  given_name text,
  family_name text,
  locale text,
  time_zone text,
  external_id text,
  role text,
  password_hash text,
  must_reset_password boolean,
  constraint bulk_rows_pkey PRIMARY KEY (job_id, "row")
);
create table sso.audit_log (
  audit_id uuid constraint audit_log_audit_id_not_null1 not null,
  occurred_at timestamp(3) with time zone constraint audit_log_occurred_at_not_null1 not null default clock_timestamp(),
  action text constraint audit_log_action_not_null1 not null,
  environment text constraint audit_log_environment_not_null1 not null,
  site_id uuid,
  actor_user_id uuid,
  subject_user_id uuid,
  ip_address text,
  user_agent text,
  details jsonb constraint audit_log_details_not_null1 not null default '{}'::jsonb,
  constraint audit_log_pkey PRIMARY KEY (audit_id, occurred_at),
  constraint audit_log_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
) partition by RANGE (occurred_at);
create table sso.branding (
  is_only boolean not null default true,
  name text not null,
  logo_url text,
  color text,
  version integer not null default 1,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint branding_pkey PRIMARY KEY (is_only),
  constraint branding_is_only_check CHECK (is_only),
  constraint branding_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60))),
  constraint branding_color_check CHECK ((color ~ '^#[0-9a-f]{6}$'::text))
);
create table sso.connection_claims (
  connection_id uuid not null,
  claims_enc bytea not null,
  told_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  constraint connection_claims_pkey PRIMARY KEY (connection_id)
);
create table sso.scim_tokens (
  token_id uuid not null,
  connection_id uuid not null,
  token_hash bytea not null,
  name text not null,
  hint text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  constraint scim_tokens_pkey PRIMARY KEY (token_id),
  constraint scim_tokens_token_hash_key UNIQUE (token_hash)
);
create table sso.scim_users (
  connection_id uuid not null,
  user_id uuid not null,
  user_name text not null,
  user_name_fold text not null,
  external_id text,
  resource jsonb not null,
  is_created boolean not null,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint scim_users_pkey PRIMARY KEY (connection_id, user_id),
  constraint scim_users_by_name UNIQUE (connection_id, user_name_fold),
  constraint scim_users_by_external_id UNIQUE (connection_id, external_id)
);
create table sso.scim_groups (
  group_id uuid not null,
  connection_id uuid not null,
  display_name text not null,
  name_fold text not null,
  external_id text,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint scim_groups_pkey PRIMARY KEY (group_id),
  constraint scim_groups_of_connection UNIQUE (connection_id, group_id),
  constraint scim_groups_by_name UNIQUE (connection_id, name_fold),
  constraint scim_groups_by_external_id UNIQUE (connection_id, external_id)
);
create table sso.scim_members (
  connection_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  constraint scim_members_pkey PRIMARY KEY (connection_id, group_id, user_id)
);
create table sso.spent_challenges (
  challenge_hash bytea not null,
  expires_at timestamp(3) with time zone not null,
  constraint spent_challenges_pkey PRIMARY KEY (challenge_hash)
);

CREATE INDEX tenants_by_founder ON sso.tenants USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX sites_by_tenant ON sso.sites USING btree (tenant_id, site_id);
CREATE INDEX site_keys_live_by_site ON sso.site_keys USING btree (site_id, created_at) WHERE (revoked_at IS NULL);
CREATE UNIQUE INDEX users_by_email ON sso.users USING btree (environment, email_fold) WHERE (status <> 'deleted'::text);
CREATE UNIQUE INDEX users_by_username ON sso.users USING btree (environment, username_fold) WHERE (status <> 'deleted'::text);
CREATE UNIQUE INDEX roles_one_default ON sso.roles USING btree (site_id) WHERE is_default;
CREATE INDEX sessions_by_user ON sso.sessions USING btree (user_id, created_at DESC, session_id DESC);
CREATE INDEX sessions_by_site ON sso.sessions USING btree (site_id, session_id);
CREATE UNIQUE INDEX signing_keys_one_active ON sso.signing_keys USING btree (environment, purpose) WHERE (state = 'active'::text);
CREATE INDEX mfa_factors_by_user ON sso.mfa_factors USING btree (user_id, created_at, factor_id);
CREATE UNIQUE INDEX mfa_factors_one_email ON sso.mfa_factors USING btree (user_id) WHERE ((type = 'email'::text) AND (activated_at IS NOT NULL));
CREATE UNIQUE INDEX mfa_factors_by_credential ON sso.mfa_factors USING btree (credential_id) WHERE (credential_id IS NOT NULL);
CREATE INDEX mfa_challenges_by_user ON sso.mfa_challenges USING btree (user_id);
CREATE INDEX mfa_challenges_by_end ON sso.mfa_challenges USING btree (expires_at, token_hash);
CREATE INDEX users_by_name ON sso.users USING btree (environment, display_name_fold, user_id) WHERE (status <> 'deleted'::text);
CREATE INDEX users_newest ON sso.users USING btree (environment, created_at DESC, user_id DESC) WHERE (status <> 'deleted'::text);
CREATE INDEX memberships_newest ON sso.memberships USING btree (site_id, user_created_at DESC, user_id DESC);
CREATE INDEX memberships_by_role ON sso.memberships USING btree (site_id, role, user_id);
CREATE INDEX erasure_sites_by_user ON sso.erasure_sites USING btree (user_id);
CREATE INDEX audit_log_earlier_actor_user_id_idx ON sso.audit_log_earlier USING btree (actor_user_id) WHERE (actor_user_id IS NOT NULL);
CREATE UNIQUE INDEX site_keys_by_hint ON sso.site_keys USING btree (site_id, hint) WHERE (revoked_at IS NULL);
CREATE INDEX audit_log_earlier_site_id_occurred_at_audit_id_idx ON sso.audit_log_earlier USING btree (site_id, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_earlier_site_id_action_occurred_at_audit_id_idx ON sso.audit_log_earlier USING btree (site_id, action, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_earlier_environment_occurred_at_audit_id_idx ON sso.audit_log_earlier USING btree (environment, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_earlier_subject_user_id_occurred_at_audit_id_idx ON sso.audit_log_earlier USING btree (subject_user_id, occurred_at DESC, audit_id DESC) WHERE (subject_user_id IS NOT NULL);
CREATE INDEX audit_counts_by_environment ON sso.audit_counts USING btree (environment, action);
CREATE INDEX session_bumps_by_time ON sso.session_bumps USING btree (revoked_at);
CREATE UNIQUE INDEX signing_keys_one_standby ON sso.signing_keys USING btree (environment, purpose) WHERE (state = 'standby'::text);
CREATE INDEX messages_logged_by_site ON sso.messages USING btree (site_id, created_at DESC, message_id DESC) WHERE (status = 'logged'::text);
CREATE INDEX messages_by_user ON sso.messages USING btree (user_id, kind, created_at);
CREATE INDEX messages_queued ON sso.messages USING btree (created_at, message_id) WHERE (status = 'queued'::text);
CREATE INDEX messages_by_time ON sso.messages USING btree (environment, created_at, message_id) WHERE (status <> 'queued'::text);
CREATE INDEX one_time_tokens_by_user ON sso.one_time_tokens USING btree (user_id, purpose) WHERE (spent_at IS NULL);
CREATE INDEX one_time_tokens_by_end ON sso.one_time_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_by_end ON sso.refresh_tokens USING btree (expires_at, token_hash);
CREATE INDEX refresh_tokens_with_answer ON sso.refresh_tokens USING btree (token_hash) WHERE (response_enc IS NOT NULL);
CREATE INDEX users_of_sandbox_by_age ON sso.users USING btree (created_at, user_id) WHERE (environment = 'sandbox'::text);
CREATE INDEX mfa_factors_unfinished ON sso.mfa_factors USING btree (created_at, factor_id) WHERE (activated_at IS NULL);
CREATE INDEX sign_in_codes_by_session ON sso.sign_in_codes USING btree (session_id);
CREATE INDEX sign_in_codes_by_end ON sso.sign_in_codes USING btree (expires_at);
CREATE UNIQUE INDEX webhook_endpoints_by_url ON sso.webhook_endpoints USING btree (site_id, url) WHERE (deleted_at IS NULL);
CREATE INDEX webhook_endpoints_of_all_sites ON sso.webhook_endpoints USING btree (site_id) WHERE (all_sites AND (deleted_at IS NULL));
CREATE INDEX webhook_facts_waiting_by_subject ON sso.webhook_facts USING btree (subject_user_id) WHERE (data IS NOT NULL);
CREATE INDEX webhook_facts_told ON sso.webhook_facts USING btree (occurred_at, fact_id) WHERE (data IS NULL);
CREATE INDEX webhook_events_by_subject ON sso.webhook_events USING btree (subject_user_id) WHERE (erased_at IS NULL);
CREATE INDEX webhook_events_by_time ON sso.webhook_events USING btree (created_at, event_id);
CREATE INDEX webhook_deliveries_by_site ON sso.webhook_deliveries USING btree (site_id, created_at DESC, delivery_id DESC);
CREATE INDEX webhook_deliveries_by_endpoint ON sso.webhook_deliveries USING btree (webhook_id, created_at DESC, delivery_id DESC);
CREATE INDEX bulk_jobs_newest ON sso.bulk_jobs USING btree (site_id, created_at DESC, job_id DESC);
CREATE UNIQUE INDEX bulk_jobs_one_at_a_time ON sso.bulk_jobs USING btree (site_id) WHERE (is_due AND (finished_at IS NULL));
CREATE INDEX bulk_jobs_unfinished ON sso.bulk_jobs USING btree (site_id, created_at, job_id) WHERE (finished_at IS NULL);
CREATE INDEX bulk_jobs_by_end ON sso.bulk_jobs USING btree (finished_at, job_id) WHERE (finished_at IS NOT NULL);
CREATE UNIQUE INDEX orders_one_a_month ON sso.orders USING btree (site_id, period_start) WHERE (kind = 'registration_usage'::text);
CREATE INDEX orders_by_site ON sso.orders USING btree (site_id, created_at DESC, order_id DESC);
CREATE INDEX orders_newest ON sso.orders USING btree (created_at DESC, order_id DESC);
CREATE INDEX orders_to_close ON sso.orders USING btree (period_end, order_id) WHERE ((kind = 'registration_usage'::text) AND (closed_at IS NULL));
CREATE INDEX orders_by_plan ON sso.orders USING btree (site_id, fulfilled_at DESC, order_id DESC) WHERE ((kind = 'plan'::text) AND (status = 'fulfilled'::text));
CREATE INDEX billing_ledger_with_address ON sso.billing_ledger USING btree (month, user_id) WHERE (email_hmac IS NOT NULL);
CREATE INDEX payment_events_by_order ON sso.payment_events USING btree (order_id, received_at) WHERE (order_id IS NOT NULL);
CREATE INDEX payment_events_by_time ON sso.payment_events USING btree (received_at, event_id);
CREATE INDEX connections_by_site ON sso.connections USING btree (site_id, created_at, connection_id);
CREATE INDEX connection_domains_by_connection ON sso.connection_domains USING btree (connection_id, domain);
CREATE INDEX sign_in_attempts_by_end ON sso.sign_in_attempts USING btree (expires_at);
CREATE INDEX sign_in_attempts_by_connection ON sso.sign_in_attempts USING btree (connection_id);
CREATE INDEX connection_messages_by_end ON sso.connection_messages USING btree (expires_at);
CREATE INDEX identities_by_user ON sso.identities USING btree (user_id);
CREATE INDEX identity_sign_ins_by_identity ON sso.identity_sign_ins USING btree (identity_id, created_at);
CREATE INDEX openid_codes_by_session ON sso.openid_codes USING btree (session_id);
CREATE INDEX openid_codes_by_age ON sso.openid_codes USING btree (created_at);
CREATE INDEX openid_codes_by_site ON sso.openid_codes USING btree (site_id);
CREATE INDEX mfa_challenges_by_session ON sso.mfa_challenges USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE UNIQUE INDEX email_changes_waiting ON sso.email_changes USING btree (user_id) WHERE (done_at IS NULL);
CREATE INDEX email_changes_by_user ON sso.email_changes USING btree (user_id, asked_at, change_id);
CREATE INDEX email_changes_held ON sso.email_changes USING btree (environment, old_fold) WHERE (done_at IS NOT NULL);
CREATE INDEX email_changes_by_end ON sso.email_changes USING btree (COALESCE(undo_until, expires_at), change_id);
CREATE INDEX email_claims_by_tenant ON sso.email_claims USING btree (tenant_id);
CREATE INDEX sites_by_founder ON sso.sites USING btree (created_by) WHERE ((created_by IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX sites_pending ON sso.sites USING btree (created_at, site_id) WHERE ((status = 'pending'::text) AND (deleted_at IS NULL));
CREATE UNIQUE INDEX connection_keys_current ON sso.connection_keys USING btree (connection_id) WHERE (ends_at IS NULL);
CREATE INDEX connection_keys_by_connection ON sso.connection_keys USING btree (connection_id, created_at DESC, key_id);
CREATE INDEX connection_keys_by_end ON sso.connection_keys USING btree (ends_at) WHERE (ends_at IS NOT NULL);
CREATE UNIQUE INDEX openid_clients_by_session ON sso.openid_clients USING btree (client_session);
CREATE INDEX consents_by_site ON sso.consents USING btree (site_id);
CREATE INDEX proven_sign_ins_by_user ON sso.proven_sign_ins USING btree (user_id);
CREATE INDEX proven_sign_ins_by_site ON sso.proven_sign_ins USING btree (site_id);
CREATE INDEX proven_sign_ins_by_end ON sso.proven_sign_ins USING btree (expires_at);
CREATE UNIQUE INDEX mfa_factors_one_sms ON sso.mfa_factors USING btree (user_id) WHERE ((type = 'sms'::text) AND (activated_at IS NOT NULL));
CREATE INDEX sms_sent_by_time ON sso.sms_sent USING btree ((sent_at[1]), counted_hmac);
CREATE INDEX webhook_deliveries_due ON sso.webhook_deliveries USING btree (priority, next_attempt_at, delivery_id) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_due_by_endpoint ON sso.webhook_deliveries USING btree (webhook_id, priority, next_attempt_at, delivery_id) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_failed ON sso.webhook_deliveries USING btree (delivery_id) WHERE (state = 'failed'::text);
CREATE INDEX webhook_endpoints_failing ON sso.webhook_endpoints USING btree (webhook_id) WHERE (consecutive_failures >= 3);
CREATE INDEX users_by_word ON sso.users USING gin (search) WITH (fastupdate=off) WHERE (status <> 'deleted'::text);
alter table sso.audit_log_earlier add constraint audit_log_earlier_pkey PRIMARY KEY (audit_id, occurred_at);
CREATE INDEX audit_log_by_site ON ONLY sso.audit_log USING btree (site_id, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_action ON ONLY sso.audit_log USING btree (site_id, action, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_environment ON ONLY sso.audit_log USING btree (environment, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_subject ON ONLY sso.audit_log USING btree (subject_user_id, occurred_at DESC, audit_id DESC) WHERE (subject_user_id IS NOT NULL);
CREATE INDEX audit_log_by_actor ON ONLY sso.audit_log USING btree (actor_user_id) WHERE (actor_user_id IS NOT NULL);
CREATE INDEX messages_by_recipient ON sso.messages USING btree (lower(recipient), message_id);
CREATE INDEX messages_by_site ON sso.messages USING btree (site_id, message_id);
CREATE INDEX messages_failed ON sso.messages USING btree (message_id) WHERE (status = 'failed'::text);
CREATE INDEX connection_claims_expired ON sso.connection_claims USING btree (expires_at, connection_id);
CREATE INDEX scim_tokens_by_connection ON sso.scim_tokens USING btree (connection_id, created_at, token_id);
CREATE INDEX scim_users_by_user ON sso.scim_users USING btree (user_id);
CREATE INDEX scim_users_in_order ON sso.scim_users USING btree (connection_id, created_at, user_id);
CREATE INDEX scim_members_by_user ON sso.scim_members USING btree (connection_id, user_id, group_id);
CREATE INDEX spent_challenges_by_end ON sso.spent_challenges USING btree (expires_at, challenge_hash);
CREATE INDEX bulk_errors_by_kind ON sso.bulk_errors USING btree (job_id, is_warning, "row", place);

alter table sso.tenants add constraint tenants_production_tenant_id_fkey FOREIGN KEY (production_tenant_id) REFERENCES sso.tenants(tenant_id);
alter table sso.sites add constraint sites_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id);
alter table sso.site_keys add constraint site_keys_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.users add constraint users_registration_site_id_fkey FOREIGN KEY (registration_site_id) REFERENCES sso.sites(site_id);
alter table sso.roles add constraint roles_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.memberships add constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.memberships add constraint memberships_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.memberships add constraint memberships_site_id_role_fkey FOREIGN KEY (site_id, role) REFERENCES sso.roles(site_id, role);
alter table sso.sessions add constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.sessions add constraint sessions_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.refresh_tokens add constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE;
alter table sso.mfa_factors add constraint mfa_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.recovery_codes add constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.mfa_challenges add constraint mfa_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.mfa_challenges add constraint mfa_challenges_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.erasure_sites add constraint erasure_sites_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.erasures(user_id) ON DELETE CASCADE;
alter table sso.messages add constraint messages_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.messages add constraint messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.one_time_tokens add constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.one_time_tokens add constraint one_time_tokens_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.sign_in_codes add constraint sign_in_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE;
alter table sso.webhook_endpoints add constraint webhook_endpoints_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.webhook_events add constraint webhook_events_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.webhook_deliveries add constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES sso.webhook_events(event_id) ON DELETE CASCADE;
alter table sso.webhook_deliveries add constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES sso.webhook_endpoints(webhook_id) ON DELETE CASCADE;
alter table sso.webhook_attempts add constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES sso.webhook_deliveries(delivery_id) ON DELETE CASCADE;
alter table sso.bulk_jobs add constraint bulk_jobs_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.bulk_files add constraint bulk_files_job_id_fkey FOREIGN KEY (job_id) REFERENCES sso.bulk_jobs(job_id) ON DELETE CASCADE;
alter table sso.bulk_errors add constraint bulk_errors_job_id_fkey FOREIGN KEY (job_id) REFERENCES sso.bulk_jobs(job_id) ON DELETE CASCADE;
alter table sso.bulk_erased add constraint bulk_erased_job_id_fkey FOREIGN KEY (job_id) REFERENCES sso.bulk_jobs(job_id) ON DELETE CASCADE;
alter table sso.orders add constraint orders_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id);
alter table sso.billing_ledger add constraint billing_ledger_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id);
alter table sso.payment_events add constraint payment_events_order_id_fkey FOREIGN KEY (order_id) REFERENCES sso.orders(order_id);
alter table sso.connections add constraint connections_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.connection_domains add constraint connection_domains_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.connection_domains add constraint connection_domains_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.connection_documents add constraint connection_documents_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.sign_in_attempts add constraint sign_in_attempts_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.connection_messages add constraint connection_messages_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.identities add constraint identities_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.identities add constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.identity_sign_ins add constraint identity_sign_ins_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES sso.identities(identity_id) ON DELETE CASCADE;
alter table sso.openid_clients add constraint openid_clients_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.openid_codes add constraint openid_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE;
alter table sso.openid_codes add constraint openid_codes_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.mfa_challenges add constraint mfa_challenges_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE;
alter table sso.email_changes add constraint email_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.email_changes add constraint email_changes_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.email_claims add constraint email_claims_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.email_claims add constraint email_claims_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id) ON DELETE CASCADE;
alter table sso.import_quotas add constraint import_quotas_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id) ON DELETE CASCADE;
alter table sso.import_usage add constraint import_usage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id) ON DELETE CASCADE;
alter table sso.connection_keys add constraint connection_keys_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.consents add constraint consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.consents add constraint consents_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.proven_sign_ins add constraint proven_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.proven_sign_ins add constraint proven_sign_ins_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE;
alter table sso.connection_claims add constraint connection_claims_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.scim_tokens add constraint scim_tokens_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.scim_users add constraint scim_users_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.scim_users add constraint scim_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE;
alter table sso.scim_groups add constraint scim_groups_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE;
alter table sso.scim_members add constraint scim_members_connection_id_group_id_fkey FOREIGN KEY (connection_id, group_id) REFERENCES sso.scim_groups(connection_id, group_id) ON DELETE CASCADE;
alter table sso.scim_members add constraint scim_members_connection_id_user_id_fkey FOREIGN KEY (connection_id, user_id) REFERENCES sso.scim_users(connection_id, user_id) ON DELETE CASCADE;

create view sso.audit_months as
 SELECT c.relname AS name,
    ("substring"(bounds.bounds, 'FROM \(''([^'']+)'::text))::timestamp with time zone AS begins,
    ("substring"(bounds.bounds, 'TO \(''([^'']+)'::text))::timestamp with time zone AS ends
   FROM (pg_inherits
     JOIN pg_class c ON ((c.oid = pg_inherits.inhrelid))),
    LATERAL pg_get_expr(c.relpartbound, c.oid) bounds(bounds)
  WHERE (pg_inherits.inhparent = ('sso.audit_log'::regclass)::oid);

CREATE TRIGGER member_joins BEFORE INSERT ON sso.memberships FOR EACH ROW EXECUTE FUNCTION sso.member_joins();
CREATE TRIGGER session_version_rose AFTER UPDATE OF session_version ON sso.users FOR EACH ROW WHEN ((old.session_version < new.session_version)) EXECUTE FUNCTION sso.session_version_rose();
CREATE TRIGGER members_added AFTER INSERT ON sso.memberships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sso.count_members();
CREATE TRIGGER members_removed AFTER DELETE ON sso.memberships REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sso.count_members();
CREATE TRIGGER audit_written AFTER INSERT ON sso.audit_log REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sso.count_audit();
CREATE TRIGGER audit_removed AFTER DELETE ON sso.audit_log REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sso.count_audit();

do $$
declare
  ends timestamptz := (date_trunc('month', now() at time zone 'UTC') + interval '2 months') at time zone 'UTC';
begin
  execute format('alter table sso.audit_log attach partition sso.audit_log_earlier for values from (minvalue) to (%L)', ends);
  execute format('create table sso.%I partition of sso.audit_log for values from (%L) to (maxvalue)',
                 to_char(ends at time zone 'UTC', '"audit_log_"YYYY_MM'), ends);
end $$;
