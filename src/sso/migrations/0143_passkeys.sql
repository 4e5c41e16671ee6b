-- A passkey whose maker proved themselves to the device (PIN, fingerprint, face) may sign in without a password. Keys
-- from before were not asked to; they say so with their first sign-in.
alter table sso.mfa_factors add column is_user_verified boolean not null default false;

-- Challenges of passkeys that have signed somebody in. They are sealed for a browser and stored only here, so that the
-- same answer opens no second session. No row outlives its challenge.
create table sso.spent_challenges (
  challenge_hash bytea primary key,
  expires_at     timestamptz(3) not null
);
create index spent_challenges_by_end -- which challenges are too old to come back?
  on sso.spent_challenges (expires_at, challenge_hash);
