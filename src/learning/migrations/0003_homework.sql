-- Homework of episodes, what learners hand in, and every grade that a later one replaced. Nothing is ever overwritten or
-- removed: a resubmission is a new row, and deleted homework stays for the learners' history.
create table learning.homework (
  tenant_id                     text not null,
  id                            uuid not null,
  episode_id                    uuid not null,
  title                         text not null,
  instructions                  text not null,
  status                        text not null check (status in ('draft', 'published')),
  submission_types              text[] not null check (submission_types <@ array['text', 'url', 'file']
                                                       and cardinality(submission_types) > 0),
  max_score                     numeric not null check (max_score > 0 and max_score <= 1000),
  due_at                        timestamptz(3),
  lock_at                       timestamptz(3) constraint homework_locks_after_due check (lock_at >= due_at),
  late_policy                   text not null check (late_policy in ('accept', 'penalize', 'reject')),
  late_penalty_percent_per_day  numeric not null check (late_penalty_percent_per_day between 0 and 100),
  late_penalty_max_percent      numeric not null check (late_penalty_max_percent between 0 and 100),
  max_submissions               int not null check (max_submissions between 0 and 50),
  rubric                        jsonb not null,
  created_at                    timestamptz(3) not null default clock_timestamp(),
  updated_at                    timestamptz(3) not null default clock_timestamp(),
  deleted_at                    timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, episode_id) references learning.episodes (tenant_id, id) on delete cascade
);

-- The live homework of an episode in the order it was made?
create index homework_live_in_order on learning.homework (tenant_id, episode_id, created_at, id) where deleted_at is null;

create table learning.submissions (
  tenant_id      text not null,
  id             uuid not null,
  homework_id    uuid not null,
  user_id        text not null,
  user_email     text not null,
  attempt_number int not null,
  client_id      text,
  text           text,
  url            text,
  attachments    jsonb not null,
  submitted_at   timestamptz(3) not null,
  -- The deadline as it stood then: one that is moved forward later makes nobody late.
  due_at_then    timestamptz(3),
  -- Handed in by an editor of the channel, to see how it goes: outside all statistics.
  is_preview     boolean not null,
  -- The latest of this learner.
  is_current     boolean not null,
  status         text not null check (status in ('submitted', 'graded', 'returned')),
  score          numeric check (score >= 0),
  feedback       text not null default '',
  rubric_scores  jsonb not null default '[]',
  graded_by      text,
  graded_at      timestamptz(3),
  updated_at     timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, id),
  check (status <> 'graded' or score is not null),
  -- A learner's submissions are numbered 1 to n.
  constraint submissions_numbered unique (tenant_id, homework_id, user_id, attempt_number),
  -- A client that was cut off may send again what it sent.
  constraint submissions_by_client_id unique (tenant_id, homework_id, user_id, client_id),
  foreign key (tenant_id, homework_id) references learning.homework (tenant_id, id) on delete cascade
);

-- Which one is a learner's latest? Exactly one.
create unique index submissions_current on learning.submissions (tenant_id, homework_id, user_id) where is_current;

-- What waits for a grade, and then what was handed in last?
create index submissions_queue on learning.submissions
  (tenant_id, homework_id, (status = 'submitted') desc, submitted_at desc, id desc) where is_current;

-- Grades that a regrade replaced: the old value, whose it was and since when, and who replaced it.
create table learning.replaced_grades (
  tenant_id      text not null,
  submission_id  uuid not null,
  number         int not null,
  status         text not null,
  score          numeric,
  feedback       text not null,
  rubric_scores  jsonb not null,
  graded_by      text not null,
  graded_at      timestamptz(3) not null,
  replaced_by    text not null,
  replaced_at    timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, submission_id, number),
  foreign key (tenant_id, submission_id) references learning.submissions (tenant_id, id) on delete cascade
);

-- Seconds after the later of the deadline then and the deadline now, begun ones counted whole; without either not late.
create function learning.seconds_late(submitted_at timestamptz, due_then timestamptz, due_now timestamptz) returns bigint
  language sql immutable parallel safe
  return case when due_then is null or due_now is null then 0
              else greatest(0, ceil(extract(epoch from submitted_at - greatest(due_then, due_now))))::bigint end;

-- Percent taken off for lateness: for each begun 24 hours, up to a maximum.
create function learning.late_penalty(late_policy text, seconds_late bigint, per_day numeric, max_percent numeric)
  returns numeric language sql immutable parallel safe
  return case when late_policy = 'penalize' and seconds_late > 0
              then least(max_percent, per_day * ceil(seconds_late / 86400.0)) else 0 end;

-- What a grade counts, exact. A maximum that was lowered later caps it.
create function learning.final_score(score numeric, max_score numeric, penalty_percent numeric) returns numeric
  language sql immutable parallel safe
  return least(score, max_score) * (100 - penalty_percent) / 100;
