-- Second factors: what a person can prove besides the password, and the sign-ins that wait for that proof.

-- A factor counts once activated_at is set, by a right code. Until then it is an enrolment of ten minutes: the seed
-- that was shown, the challenge a key has to sign, or the code that was mailed.
create table sso.mfa_factors (
  factor_id           uuid primary key,
  user_id             uuid not null references sso.users on delete cascade,
  type                text not null check (type in ('totp', 'webauthn', 'email')),
  name                text,
  secret_enc          bytea,
  last_used_step      bigint,
  credential_id       text,
  public_key          bytea,
  sign_count          bigint,
  transports          text[],
  email               text,
  enrol_challenge     text,
  enrol_code_hmac     bytea,
  enrol_attempts      int not null default 0,
  created_at          timestamptz(3) not null default clock_timestamp(),
  activated_at        timestamptz(3),
  last_used_at        timestamptz(3),
  constraint mfa_factors_totp_has_seed check (type <> 'totp' or secret_enc is not null),
  constraint mfa_factors_email_has_address check (type <> 'email' or email is not null),
  constraint mfa_factors_webauthn_has_key check (
    type <> 'webauthn' or activated_at is null
    or (credential_id is not null and public_key is not null and sign_count is not null))
);
create index mfa_factors_by_user -- which factors does this person have?
  on sso.mfa_factors (user_id, created_at, factor_id);
create unique index mfa_factors_one_email -- where does this person get codes?
  on sso.mfa_factors (user_id) where type = 'email' and activated_at is not null;
create unique index mfa_factors_by_credential -- whose key is this?
  on sso.mfa_factors (credential_id) where credential_id is not null;

-- Only an HMAC is kept, under a key that the database does not hold.
create table sso.recovery_codes (
  user_id     uuid not null references sso.users on delete cascade,
  code_hmac   bytea not null,
  created_at  timestamptz(3) not null default clock_timestamp(),
  used_at     timestamptz(3),
  primary key (user_id, code_hmac)
);

-- A sign-in whose password was right and whose second factor is asked for. It ends by success, by five guesses or by
-- time; a change of password, account or factors deletes it under the lock of the users row.
create table sso.mfa_challenges (
  token_hash          bytea primary key,
  user_id             uuid not null references sso.users on delete cascade,
  site_id             uuid not null references sso.sites on delete cascade,
  methods             text[] not null,
  login_id            uuid not null,
  auth_methods        text[] not null,
  device_name         text,
  attempts            int not null default 0,
  email_code_hmac     bytea,
  email_sent_at       timestamptz(3),
  webauthn_challenge  text,
  created_at          timestamptz(3) not null default clock_timestamp(),
  expires_at          timestamptz(3) not null,
  consumed_at         timestamptz(3)
);
create index mfa_challenges_by_user -- which sign-ins of this person wait for a code?
  on sso.mfa_challenges (user_id);
create index mfa_challenges_by_end -- which are over and can be swept?
  on sso.mfa_challenges (expires_at, token_hash);
