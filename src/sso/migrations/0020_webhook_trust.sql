-- Who agreed to be sent events, who hears of the whole network, and how fast one host may be called.

-- A production site may wait for an operator; until then it hears of its own events only.
alter table sso.sites
  add column if not exists status text not null default 'active' check (status in ('active', 'pending'));

-- An endpoint is sent nothing but pings until its server has answered one with 2xx. Those of before are trusted.
alter table sso.webhook_endpoints
  add column confirmed_at timestamptz(3),
  add column last_error text;                            -- how the last attempt failed; null after a success
update sso.webhook_endpoints set confirmed_at = created_at;

-- The rate of one host, all sites and all processes together: `free_at` is when its next request may leave (GCRA),
-- `granted` how many the last statement let through.
create table sso.webhook_hosts (
  host     text primary key,
  free_at  timestamptz not null,
  granted  int not null
) with (fillfactor = 50);
