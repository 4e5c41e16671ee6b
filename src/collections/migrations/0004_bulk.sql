-- Workbooks that are brought in: what the uploader sees of a job, its bytes until it ends, its row errors for 30 days, and
-- the rows as they were read. The work itself is a row of foundation.jobs with the same id.
create table collections.jobs (
  job_id            uuid primary key,
  tenant_id         uuid not null,
  user_id           uuid not null,
  state             text not null default 'queued' check (state in
                      ('queued', 'validating', 'processing', 'completed', 'completed_with_errors', 'failed', 'cancelled')),
  phase             text not null default 'reading' check (phase in ('reading', 'validating', 'collections', 'items', 'done')),
  options           jsonb not null,                   -- all of them, as applied: two that are equal are the same upload
  file_name         text not null,
  file_size         int not null,
  file_sha256       text not null,
  rows_read         int not null default 0,
  rows_total        int,
  rows_done         int not null default 0,
  read_counts       jsonb not null default '{}',      -- what reading found, replaced when it is done once more
  counts            jsonb not null default '{}',      -- what has been applied, grows with each chunk
  error_code        text,
  error_detail      text,
  is_enqueued       boolean not null default false,   -- the jobs of one person run one after the other
  cancel_requested  boolean not null default false,
  starts            smallint not null default 0,      -- attempts, those that a crash ended among them
  lease_token       uuid,                             -- of the attempt whose chunks count
  staging_id        uuid,                             -- where its rows stand; null until they are complete
  staged_rows       int,
  layout            jsonb,                            -- which column is what
  created_at        timestamptz(3) not null default clock_timestamp(),
  started_at        timestamptz(3),
  finished_at       timestamptz(3),
  expires_at        timestamptz(3)
);
create unique index jobs_doubles -- is the same file already under way with the same options?
  on collections.jobs (user_id, file_sha256, options) where state in ('queued', 'validating', 'processing');
create index jobs_by_user -- which jobs are this person's, and what do they have under way?
  on collections.jobs (user_id, created_at desc, job_id desc);
create index jobs_by_tenant -- which jobs may a site admin see?
  on collections.jobs (tenant_id, created_at desc, job_id desc);
create index jobs_by_expiry -- which jobs are over for good?
  on collections.jobs (expires_at) where expires_at is not null;

-- In pieces of 1 MiB, so that any process can run or resume the job. Compressed already.
create table collections.job_files (
  job_id  uuid not null references collections.jobs on delete cascade,
  part    int not null,
  bytes   bytea not null,
  primary key (job_id, part)
);
alter table collections.job_files alter column bytes set storage external;

-- At most 1,000 per job and level. `cells` is the row as it was read, as JSON text: it may hold what jsonb cannot.
create table collections.job_errors (
  job_id   uuid not null references collections.jobs on delete cascade,
  level    text not null check (level in ('error', 'warning')),
  seq      bigint not null generated always as identity,
  origin   text not null check (origin in ('reading', 'applying')),
  sheet    text not null,
  row      int,
  "column" text,
  header   text,
  code     text not null,
  message  text not null,
  value    text,
  cells    text,
  primary key (job_id, level, seq)
);

-- Which rows have been applied, a chunk at a time: written with what the chunk changed, so that each row lands once.
create table collections.job_chunks (
  job_id  uuid not null references collections.jobs on delete cascade,
  seq     bigint not null generated always as identity,
  sheet   smallint not null,
  rows    int[] not null,
  failed  int[] not null,
  primary key (job_id, seq)
);

-- Rows as read. UNLOGGED: a crash of the database empties them, and the bytes of the job are read once more.
-- sheet 1 is Collections, 2 Items; data and cells are JSON text.
create unlogged table collections.staged_rows (
  staging_id  uuid not null,
  sheet       smallint not null,
  row         int not null,
  state       text not null check (state in ('staged', 'failed', 'done')),
  target_id   uuid,                                   -- the collection this row became or was found to be
  data        text,
  cells       text not null,
  primary key (staging_id, sheet, row)
) with (fillfactor = 70);

create index staged_rows_by_target -- which rows have this collection or item already?
  on collections.staged_rows (staging_id, target_id) where target_id is not null;

-- In which order collections can be written: parents, which may stand below their children, before them.
create unlogged table collections.staged_places (
  staging_id  uuid not null,
  level       smallint not null,
  row         int not null,
  parent_row  int,
  primary key (staging_id, level, row)
);
