-- Tests that grade themselves: the test, its questions with every version of their keys, and what learners answered.
create table learning.tests (
  tenant_id            text not null,
  id                   uuid not null,
  episode_id           uuid not null,
  title                text not null,
  description          text not null,
  status               text not null check (status in ('draft', 'published')),
  max_attempts         int not null check (max_attempts between 0 and 100),
  retry_delay_seconds  int not null check (retry_delay_seconds between 0 and 2592000),
  time_limit_seconds   int check (time_limit_seconds between 30 and 86400),
  opens_at             timestamptz(3),
  closes_at            timestamptz(3),
  passing_percent      numeric check (passing_percent between 0 and 100),
  score_policy         text not null check (score_policy in ('best', 'latest', 'average', 'first')),
  shuffle_questions    boolean not null,
  shuffle_options      boolean not null,
  feedback_policy      text not null check (feedback_policy in ('score', 'after_final', 'per_question')),
  show_explanations    boolean not null,
  -- Sums over the live questions, made anew in every transaction that changes one.
  question_count       int not null default 0,
  max_score            numeric not null default 0,
  -- +1 with each change of a question. An attempt keeps the number it was opened at: that, with the two below, says by
  -- which version of each question it is graded.
  key_version          int not null default 0,
  -- The last change that concerns attempts opened before it. Those whose graded_version is less wait for a regrade.
  regrade_version      int not null default 0,
  created_at           timestamptz(3) not null default clock_timestamp(),
  updated_at           timestamptz(3) not null default clock_timestamp(),
  deleted_at           timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, episode_id) references learning.episodes (tenant_id, id) on delete cascade,
  constraint tests_close_after_opening check (closes_at > opens_at)
);

-- The live tests of an episode in the order of their creation?
create index tests_live_in_order on learning.tests (tenant_id, episode_id, created_at, id) where deleted_at is null;

create table learning.questions (
  tenant_id    text not null,
  id           uuid not null,
  test_id      uuid not null,
  type         text not null check (type in (
                 'single_choice', 'multiple_choice', 'true_false', 'short_answer', 'numeric', 'matching', 'ordering')),
  position     int not null check (position > 0),
  -- The version that is shown now.
  version      int not null,
  -- The key_version of the test that brought the question: attempts opened before do not know it.
  since        int not null,
  created_at   timestamptz(3) not null default clock_timestamp(),
  updated_at   timestamptz(3) not null default clock_timestamp(),
  deleted_at   timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, test_id) references learning.tests (tenant_id, id) on delete cascade
);

-- The questions of a test in their order? Deleted ones too: an answer to them is passed over, one to a stranger refused.
create index questions_in_order on learning.questions (tenant_id, test_id, position, id);

-- What a question said and how it was graded, each version for good. `body` holds what its type has beside the common
-- fields, with the ids that answers name. `regrade` says what the version means for attempts opened before it.
create table learning.question_versions (
  tenant_id    text not null,
  question_id  uuid not null,
  version      int not null,
  key_version  int not null,
  regrade      text not null check (regrade in ('recalculate', 'full_credit', 'none')),
  prompt       text not null,
  points       numeric not null check (points > 0 and points <= 1000),
  scoring      text not null check (scoring in ('partial', 'all_or_nothing')),
  explanation  text not null,
  body         jsonb not null,
  written_by   text not null,
  created_at   timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, question_id, version),
  foreign key (tenant_id, question_id) references learning.questions (tenant_id, id) on delete cascade
);

-- One learner's attempt, from opening to verdict. Answers stay as they were sent, so that it can be graded again.
create table learning.attempts (
  tenant_id             text not null,
  id                    uuid not null,
  test_id               uuid not null,
  user_id               text not null,
  number                int not null check (number > 0),
  status                text not null check (status in ('open', 'graded', 'expired')),
  -- By an editor of the channel: outside all statistics.
  is_preview            boolean not null,
  client_id             text,
  opened_at             timestamptz(3) not null default clock_timestamp(),
  expires_at            timestamptz(3),
  submitted_at          timestamptz(3),
  key_version           int not null,
  graded_version        int not null,
  -- {question_id: answer}
  answers               jsonb not null default '{}',
  -- [{question_id, version, points_awarded, points, outcome}] in the order of the questions; [] until submitted.
  results               jsonb not null default '[]',
  score                 numeric not null default 0,
  max_score             numeric not null,
  score_before_regrade  numeric,
  regraded_at           timestamptz(3),
  primary key (tenant_id, id),
  constraint attempts_by_number unique (tenant_id, test_id, user_id, number),
  foreign key (tenant_id, test_id) references learning.tests (tenant_id, id) on delete cascade,
  check ((status = 'open') = (submitted_at is null))
);

-- Has this learner already sent this attempt?
create unique index attempts_by_client_id on learning.attempts (tenant_id, test_id, user_id, client_id)
  where client_id is not null;

-- Which attempt of this learner is open? At most one.
create unique index attempts_open_once on learning.attempts (tenant_id, test_id, user_id) where status = 'open';

-- Which attempts of this test wait for a regrade?
create index attempts_to_regrade on learning.attempts (tenant_id, test_id, graded_version, id);

-- What an attempt counts as at this moment: an open one whose time and grace (60 s) are over has expired, whether or
-- not anything was ever sent. Simple enough that PostgreSQL writes it out where it is used.
create function learning.attempt_status(status text, expires_at timestamptz) returns text
  language sql stable parallel safe
  return case when status = 'open' and expires_at < statement_timestamp() - interval '60 seconds' then 'expired'
              else status end;
