-- Bulk registration: the imports of a site, the file while it is being read, and which fields of it were wrong. Nothing a
-- file says of a person is kept here after its end.

-- created_by is the ADMIN in whose name it runs; acts_at the site they acted from as operator, null for an ADMIN of the
-- site. is_due: its turn has come and a job of foundation.jobs with the same id does it.
create table sso.bulk_jobs (
  job_id               uuid primary key,
  site_id              uuid not null references sso.sites on delete cascade,
  created_by           uuid not null,
  acts_at              uuid,
  status               text not null default 'queued'
                       check (status in ('queued', 'processing', 'completed', 'completed_with_errors', 'failed', 'canceled')),
  failure              text,
  is_due               boolean not null default false,
  on_conflict          text not null check (on_conflict in ('skip', 'update', 'error')),
  dry_run              boolean not null,
  emit_events          boolean not null,
  delimiter            text not null check (delimiter in (',', ';', E'\t')),
  columns              text[] not null,
  total_rows           int not null check (total_rows >= 0),
  processed_rows       int not null default 0,
  success_count        int not null default 0,
  skipped_count        int not null default 0,
  error_count          int not null default 0,
  created_at           timestamptz(3) not null default clock_timestamp(),
  started_at           timestamptz(3),
  cancel_requested_at  timestamptz(3),
  finished_at          timestamptz(3),
  constraint bulk_jobs_add_up check (success_count + skipped_count + error_count = processed_rows),
  constraint bulk_jobs_not_beyond check (processed_rows <= total_rows),
  constraint bulk_jobs_end check ((finished_at is null) = (status in ('queued', 'processing'))),
  constraint bulk_jobs_failure check ((failure is null) = (status <> 'failed')),
  constraint bulk_jobs_complete check (status not in ('completed', 'completed_with_errors') or processed_rows = total_rows)
) with (fillfactor = 80);
create index bulk_jobs_newest -- the imports of this site, newest first?
  on sso.bulk_jobs (site_id, created_at desc, job_id desc);
create unique index bulk_jobs_one_at_a_time -- whose turn is it at this site? Of one at most
  on sso.bulk_jobs (site_id) where is_due and finished_at is null;
create index bulk_jobs_unfinished -- which one of this site is next?
  on sso.bulk_jobs (site_id, created_at, job_id) where finished_at is null;
create index bulk_jobs_by_end -- which ended long ago?
  on sso.bulk_jobs (finished_at, job_id) where finished_at is not null;

-- In pieces, so that neither program nor database holds a file whole. Gone with the end of its job.
create table sso.bulk_files (
  job_id   uuid not null references sso.bulk_jobs on delete cascade,
  place    int not null,
  content  bytea not null,
  primary key (job_id, place)
);

-- Numbers and words of ours only, never what stood in the file. row counts records from 1, line is where the record starts.
create table sso.bulk_errors (
  job_id  uuid not null references sso.bulk_jobs on delete cascade,
  row     int not null,
  place   smallint not null,
  line    int not null,
  field   text,
  code    text not null,
  primary key (job_id, row, place)
);

-- Who was erased while an import waited or ran, for it not to make them anew. A digest of the address under the id of the
-- import, which by then holds the address itself in its file; gone soon after its end.
create table sso.bulk_erased (
  job_id        uuid not null references sso.bulk_jobs on delete cascade,
  email_digest  bytea not null,
  primary key (job_id, email_digest)
);
