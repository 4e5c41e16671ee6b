-- What is said to people by e-mail and SMS, and the single-use tokens that stand in the links of those messages.

-- The outbox. A message is written, with its job, in the transaction of what it speaks about; in the sandbox it stays
-- here as `logged` and never leaves. body_enc is the sealed subject and text: links hold tokens. It is gone once the
-- message has left.
create table sso.messages (
  message_id   uuid primary key,
  environment  text not null check (environment in ('sandbox', 'production')),
  site_id      uuid references sso.sites on delete cascade,
  user_id      uuid not null references sso.users on delete cascade,
  channel      text not null check (channel in ('email', 'sms')),
  kind         text not null,
  recipient    text not null,
  body_enc     bytea,
  status       text not null check (status in ('queued', 'sent', 'failed', 'logged')),
  failure      text,                                 -- a word for why it has not left yet, or never will
  job_id       uuid,
  created_at   timestamptz(3) not null default clock_timestamp(),
  finished_at  timestamptz(3),
  constraint messages_sandbox_stays check ((environment = 'sandbox') = (status = 'logged')),
  constraint messages_body_until_it_left check ((body_enc is null) = (status in ('sent', 'failed')))
);
create index messages_logged_by_site -- what would this sandbox site have sent, newest first?
  on sso.messages (site_id, created_at desc, message_id desc) where status = 'logged';
create index messages_by_user -- was this person written to lately? what goes with them?
  on sso.messages (user_id, kind, created_at);
create index messages_queued -- what still waits, the oldest first?
  on sso.messages (created_at, message_id) where status = 'queued';
create index messages_by_time -- which are old enough to go?
  on sso.messages (environment, created_at, message_id) where status <> 'queued';

-- Only the SHA-256 of a token is kept. It is good for the address it was sent to and no other.
create table sso.one_time_tokens (
  token_hash  bytea primary key,
  user_id     uuid not null references sso.users on delete cascade,
  site_id     uuid references sso.sites on delete cascade,
  purpose     text not null check (purpose in ('email_verification', 'password_reset', 'invitation')),
  email_fold  text not null,
  created_at  timestamptz(3) not null default clock_timestamp(),
  expires_at  timestamptz(3) not null,
  spent_at    timestamptz(3)
);
create index one_time_tokens_by_user -- which links of this person still work?
  on sso.one_time_tokens (user_id, purpose) where spent_at is null;
create index one_time_tokens_by_end -- which are old enough to go?
  on sso.one_time_tokens (expires_at);
