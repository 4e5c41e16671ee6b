-- Workers that know a lane has more ask for it alone, and how many jobs failed or are held is watched.
create index jobs_by_lane -- what is next in this lane?
  on foundation.jobs (lane, priority, run_at, job_id) where state = 'pending';
create index jobs_failed -- which jobs of this kind failed, or wait for a person to see them?
  on foundation.jobs (kind, state, finished_at, job_id) where state in ('failed', 'held');
