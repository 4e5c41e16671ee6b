-- Mail from learning to one person. A row is written in the transaction of what it tells of; a job hands it to the sso,
-- and the words go. The rest stays for a week, for the bound per sender.
create table learning.letters (
  tenant_id        text not null,
  letter_id        uuid not null,
  kind             text not null,
  user_id          text not null,
  sender_id        text,                                   -- a person who wrote it; null for what learning itself tells
  bodies           jsonb,                                  -- subject and text by language; null once handed over
  unsubscribe_url  text,
  created_at       timestamptz(3) not null default clock_timestamp(),
  done_at          timestamptz(3),
  primary key (tenant_id, letter_id)
);
create index letters_by_sender -- how many did this teacher write today?
  on learning.letters (tenant_id, sender_id, created_at);
create index letters_by_user -- which go with this person?
  on learning.letters (tenant_id, user_id);
create index letters_done -- which are old enough to go?
  on learning.letters (tenant_id, done_at);
