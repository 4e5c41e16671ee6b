-- Homework that is not handed in yet, one row per person and homework.
create table learning.homework_drafts (
  tenant_id    text not null,
  user_id      text not null,
  homework_id  uuid not null,
  -- How many submissions there were when it was begun: a draft of work that is handed in since counts no more.
  submissions  int not null,
  -- {text | url | attachments: {value, at}}; `at` is the ms of the change.
  fields       jsonb not null,
  updated_at   timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, user_id, homework_id),
  foreign key (tenant_id, homework_id) references learning.homework (tenant_id, id) on delete cascade
);
