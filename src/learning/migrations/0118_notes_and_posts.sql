-- What learners write beside a video: notes for themselves, and questions and answers for everybody who may open the episode.
create table learning.notes (
  tenant_id   text not null,
  user_id     text not null,
  id          uuid not null,
  episode_id  uuid not null,
  at_ms       int not null check (at_ms >= 0),
  text        text not null, -- empty: a bookmark
  client_id   text,
  created_at  timestamptz(3) not null default clock_timestamp(),
  updated_at  timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, user_id, id),
  foreign key (tenant_id, episode_id) references learning.episodes (tenant_id, id) on delete cascade
);

-- What have I noted, and how much in this episode?
create index notes_by_time on learning.notes (tenant_id, user_id, created_at, id);
create index notes_by_episode on learning.notes (tenant_id, episode_id, user_id);
-- Was this one sent before?
create unique index notes_by_client on learning.notes (tenant_id, user_id, client_id) where client_id is not null;

create table learning.posts (
  tenant_id    text not null,
  id           uuid not null,
  episode_id   uuid not null,
  question_id  uuid, -- null for a question
  user_id      text not null,
  -- Roles are known to tokens only: whether an ADMIN, the owner or an instructor wrote it, then.
  as_editor    boolean not null,
  text         text not null,
  at_ms        int check (at_ms >= 0),
  client_id    text,
  created_at   timestamptz(3) not null default clock_timestamp(),
  edited_at    timestamptz(3),
  hidden_at    timestamptz(3),
  hidden_by    text,
  deleted_at   timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, episode_id) references learning.episodes (tenant_id, id) on delete cascade,
  foreign key (tenant_id, question_id) references learning.posts (tenant_id, id) on delete cascade
);

-- What is asked about this episode?
create index questions_of_episode on learning.posts (tenant_id, episode_id, created_at, id) where question_id is null;
-- What is answered?
create index answers_of_question on learning.posts (tenant_id, question_id, created_at, id);
-- How much has this person written lately?
create index posts_by_person on learning.posts (tenant_id, user_id, created_at);
create unique index posts_by_client on learning.posts (tenant_id, user_id, client_id) where client_id is not null;
