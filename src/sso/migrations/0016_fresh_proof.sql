-- What a session itself was given as proof, and changes of an e-mail address that wait for the new mailbox.

-- Null: nothing of its own. A session that a code, a cookie or an identity provider opened keeps auth_time for its claims and
-- has proven nothing itself. The methods in the words of `amr`.
alter table sso.sessions
  add column proven_at      timestamptz(3),
  add column proven_methods text[] not null default '{}';

-- A challenge with a session proves to that session once more; one without is a sign-in and opens a session.
alter table sso.mfa_challenges add column session_id uuid references sso.sessions on delete cascade;
create index mfa_challenges_by_session -- what was this session asked for once more?
  on sso.mfa_challenges (session_id) where session_id is not null;

-- A change of address takes effect by the link to the new mailbox (done_at); the link to the old one undoes it until
-- undo_until. Of the links only the SHA-256 is kept. At most one change of a person waits.
create table sso.email_changes (
  change_id   uuid primary key,
  user_id     uuid not null references sso.users on delete cascade,
  session_id  uuid not null,               -- which asked for it and goes on; the others end
  site_id     uuid references sso.sites on delete cascade,
  environment text not null check (environment in ('sandbox', 'production')),
  old_email   text not null,
  old_fold    text not null,
  new_email   text not null,
  token_hash  bytea not null,
  asked_at    timestamptz(3) not null default clock_timestamp(),
  expires_at  timestamptz(3) not null,
  done_at     timestamptz(3),
  undo_hash   bytea,
  undo_until  timestamptz(3),
  constraint email_changes_by_token unique (token_hash),
  constraint email_changes_by_undo unique (undo_hash),
  constraint email_changes_done_has_undo check ((done_at is null) = (undo_hash is null) and (done_at is null) = (undo_until is null))
);
create unique index email_changes_waiting -- which change of this person waits?
  on sso.email_changes (user_id) where done_at is null;
create index email_changes_by_user -- which changes of this person can be undone?
  on sso.email_changes (user_id, asked_at, change_id);
create index email_changes_held -- is this address kept for whoever may still come back to it?
  on sso.email_changes (environment, old_fold) where done_at is not null;
create index email_changes_by_end -- which are old enough to go?
  on sso.email_changes ((coalesce(undo_until, expires_at)), change_id);
