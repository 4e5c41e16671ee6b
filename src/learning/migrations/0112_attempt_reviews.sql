-- Attempts that can be opened again, what a teacher changes about those of one learner, and answers before they are
-- handed in.

-- Whether learners see the right answers once no attempt can profit from them.
alter table learning.tests add column show_right_answers boolean not null default false;

-- {question_id: {answer, is_flagged, at}} of an open attempt; `at` is the ms of the change. Null once it is handed in.
alter table learning.attempts add column draft jsonb;

-- Attempts that one learner has beyond max_attempts of the test.
create table learning.extra_attempts (
  tenant_id       text not null,
  test_id         uuid not null,
  user_id         text not null,
  extra_attempts  int not null check (extra_attempts between 0 and 100),
  granted_by      text not null,
  granted_at      timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, test_id, user_id),
  foreign key (tenant_id, test_id) references learning.tests (tenant_id, id) on delete cascade
);

-- Attempts that an editor took back: they count nowhere, and who did it is kept.
create table learning.reset_attempts (
  tenant_id  text not null,
  id         uuid not null,
  test_id    uuid not null,
  user_id    text not null,
  -- The row of learning.attempts as it was.
  attempt    jsonb not null,
  reset_by   text not null,
  reset_at   timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, test_id) references learning.tests (tenant_id, id) on delete cascade
);

-- Which attempts of this person were taken back?
create index reset_attempts_by_person on learning.reset_attempts (tenant_id, user_id, id);
create index extra_attempts_by_person on learning.extra_attempts (tenant_id, user_id, test_id);
