-- Codes by SMS as a second factor: to the number that the factor was set up with.

alter table sso.mfa_factors
  add column phone text,
  drop constraint mfa_factors_type_check,
  add constraint mfa_factors_type_check check (type in ('totp', 'webauthn', 'email', 'sms')),
  add constraint mfa_factors_sms_has_number check (type <> 'sms' or phone is not null);
create unique index mfa_factors_one_sms -- to which number does this person get codes?
  on sso.mfa_factors (user_id) where type = 'sms' and activated_at is not null;

alter table sso.mfa_challenges add column sms_code_hmac bytea;

-- When the last SMS went to a person, or to a number that was nobody's factor yet; the newest first. Only an HMAC says to
-- whom, so that an erasure leaves no number behind and does not lift the limit on it.
create table sso.sms_sent (
  counted_hmac  bytea primary key,
  sent_at       timestamptz(3)[] not null
);
create index sms_sent_by_time -- which are old enough to go?
  on sso.sms_sent ((sent_at[1]), counted_hmac);
