-- Imports of people run on the common engine (foundation/imports): an attempt has a lease of its own, and the records of a
-- file are staged once instead of read again by each attempt.
alter table sso.bulk_jobs
  add column lease_token uuid,                    -- of the attempt whose chunks count
  add column starts smallint not null default 0,  -- attempts, those that a crash ended among them
  add column staged_rows int;                     -- null until all records are staged

-- The records of a file as they were judged; faults is null for a good one. UNLOGGED: a crash of the database empties it, and
-- the file is read again. Gone with the end of its import, as the file is.
create unlogged table sso.bulk_rows (
  job_id               uuid not null,
  row                  int not null,
  line                 int not null,
  faults               jsonb,
  user_id              uuid,                      -- of the account, if it is a new one
  email                text,
  email_fold           text,
  email_verified       boolean,
  username             text,
  username_fold        text,
  phone                text,
  display_name         text,
  given_name           text,
  family_name          text,
  locale               text,
  time_zone            text,
  external_id          text,
  role                 text,
  password_hash        text,
  must_reset_password  boolean,                   -- the hash takes too long to check and was left out
  primary key (job_id, row)
);
