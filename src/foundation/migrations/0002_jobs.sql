-- One queue for everything that happens after a request: webhooks, mail, imports, sweeps. A job is written in the
-- transaction of the fact it speaks about; what callers may see of it is a row of its service.
create table foundation.jobs (
  job_id         uuid primary key,
  kind           text not null,
  lane           text not null,                       -- fairness key: few jobs of one lane run at the same time
  priority       smallint not null default 1,         -- 0 goes first
  payload        jsonb not null default '{}',
  state          text not null default 'pending' check (state in ('pending', 'done', 'failed', 'held')),
  delays         int[] not null default '{}',         -- seconds after the first, second, … failed attempt
  is_endless     boolean not null default false,      -- the last delay repeats until the job succeeds
  lease_seconds  int not null default 10 check (lease_seconds > 0),
  attempts       int not null default 0,              -- finished ones: a crash spends none
  claims         int not null default 0,              -- started ones
  next_delay     int generated always as              -- seconds to wait should this attempt fail; null: it is the last
                 (delays[case when is_endless then least(attempts + 1, cardinality(delays)) else attempts + 1 end]) stored,
  run_at         timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  lease_token    uuid,
  lease_until    timestamptz(3),
  last_error     text,
  created_at     timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  finished_at    timestamptz(3),
  check ((lease_token is null) = (lease_until is null)),
  check (not is_endless or cardinality(delays) > 0)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

create index jobs_due -- which job is next?
  on foundation.jobs (priority, run_at, job_id) where state = 'pending';

create index jobs_done_by_time -- which finished jobs are old enough to go?
  on foundation.jobs (finished_at, job_id) where state = 'done';
