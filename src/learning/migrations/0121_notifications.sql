-- no-transaction
-- What a person is told: a grade, work that is due, new episodes, an answer. Written with what it tells, kept 90 days.
create table if not exists learning.notifications (
  tenant_id   text not null,
  user_id     text not null,
  id          uuid not null default gen_random_uuid(),
  kind        text not null check (kind in ('graded', 'due', 'episode', 'answer')),
  channel_id  uuid not null,
  episode_id  uuid not null,
  -- The homework, test, episode or question it is about.
  target_id   uuid not null,
  -- How many new episodes it tells of at once.
  count       int not null default 1,
  created_at  timestamptz(3) not null default clock_timestamp(),
  read_at     timestamptz(3),
  -- It is not shown in the page, only mailed.
  is_hidden   boolean not null default false,
  -- A mail shall be sent and was not handed over yet.
  is_to_mail  boolean not null default false,
  primary key (tenant_id, user_id, id),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade
);

-- What is new for this person?
create index if not exists notifications_by_time on learning.notifications (tenant_id, user_id, created_at, id);
-- Was this person reminded of this work, or told of this episode?
create unique index if not exists notifications_once on learning.notifications (tenant_id, user_id, kind, target_id)
  where kind in ('due', 'episode');
-- What was told in this channel?
create index if not exists notifications_by_channel on learning.notifications (tenant_id, channel_id);
-- Which are old? Which mails are not handed over?
create index if not exists notifications_by_age on learning.notifications (tenant_id, created_at);
create index if not exists notifications_to_mail on learning.notifications (tenant_id, created_at, id) where is_to_mail;

-- Only what differs from the default: both.
create table if not exists learning.notification_settings (
  tenant_id  text not null,
  user_id    text not null,
  kind       text not null,
  in_page    boolean not null,
  by_mail    boolean not null,
  primary key (tenant_id, user_id, kind)
);

-- One personal address of a calendar per person; only the hash of its secret is kept.
create table if not exists learning.calendars (
  tenant_id   text not null,
  user_id     text not null,
  token_hash  bytea not null,
  language    text not null,
  created_at  timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, user_id)
);
create unique index if not exists calendars_by_token on learning.calendars (tenant_id, token_hash);

-- When learners were told of this episode. Those that are here already count as told; a new one begins untold.
alter table learning.episodes add column if not exists announced_at timestamptz(3) default now();
alter table learning.episodes alter column announced_at drop default;
-- Which are out and not told of? What is due soon?
drop index concurrently if exists learning.episodes_to_announce;
create index concurrently episodes_to_announce on learning.episodes (tenant_id, id)
  where announced_at is null and deleted_at is null and status = 'published';
drop index concurrently if exists learning.homework_by_due;
create index concurrently homework_by_due on learning.homework (tenant_id, due_at)
  where deleted_at is null and status = 'published';
drop index concurrently if exists learning.tests_by_close;
create index concurrently tests_by_close on learning.tests (tenant_id, closes_at)
  where deleted_at is null and status = 'published';
