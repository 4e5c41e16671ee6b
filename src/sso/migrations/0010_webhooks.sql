-- What is told to partner sites. A fact is written in the transaction of the change; the fan-out makes of it the exact
-- bytes for each site and one delivery per endpoint; deliveries and their attempts are what partners see.

create table sso.webhook_endpoints (
  webhook_id            uuid primary key,
  site_id               uuid not null references sso.sites on delete cascade,
  url                   text not null,
  events                text[] not null,
  description           text,
  all_sites             boolean not null default false,  -- also the events of the other sites of its tenant
  status                text not null default 'active' check (status in ('active', 'disabled')),
  auto_disable          boolean not null default false,
  consecutive_failures  int not null default 0,
  failing_since         timestamptz(3),                  -- the first failure after the last success
  created_at            timestamptz(3) not null default clock_timestamp(),
  updated_at            timestamptz(3) not null default clock_timestamp(),
  deleted_at            timestamptz(3)
);
create unique index webhook_endpoints_by_url -- which endpoints has this site, and is this address one of them?
  on sso.webhook_endpoints (site_id, url) where deleted_at is null;
create index webhook_endpoints_of_all_sites -- which want the events of a whole tenant?
  on sso.webhook_endpoints (site_id) where all_sites and deleted_at is null;

-- site_ids null: every site of the environment. data_public is for the sites that are not the origin. Both are gone once
-- they have become events.
create table sso.webhook_facts (
  fact_id          uuid primary key,
  event_type       text not null,
  environment      text not null check (environment in ('sandbox', 'production')),
  subject_user_id  uuid,
  site_ids         uuid[],
  origin_site_id   uuid,
  data             json,                                -- json keeps the order of the fields
  data_public      json,
  erased_at        timestamptz(3),
  occurred_at      timestamptz(3) not null default clock_timestamp()
) with (fillfactor = 80);
create index webhook_facts_waiting_by_subject -- what about this person is still to be told?
  on sso.webhook_facts (subject_user_id) where data is not null;
create index webhook_facts_told -- which are old enough to go?
  on sso.webhook_facts (occurred_at, fact_id) where data is null;

-- The bytes that every delivery, retry and replay sends. Erased: the body is blank, or will be when nothing waits for it.
create table sso.webhook_events (
  event_id         uuid primary key,
  fact_id          uuid,
  site_id          uuid not null references sso.sites on delete cascade,
  subject_user_id  uuid,
  event_type       text not null,
  body             bytea,
  erased_at        timestamptz(3),
  created_at       timestamptz(3) not null default clock_timestamp(),
  constraint webhook_events_once_per_site unique (fact_id, site_id),
  constraint webhook_events_blank_is_erased check (body is not null or erased_at is not null)
);
create index webhook_events_by_subject -- which bodies speak of this person?
  on sso.webhook_events (subject_user_id) where erased_at is null;
create index webhook_events_by_time -- which are old enough to go?
  on sso.webhook_events (created_at, event_id);

-- One run of one event to one endpoint. Its job in foundation.jobs has the same id. No index knows the state, so that the
-- end of a delivery touches none.
create table sso.webhook_deliveries (
  delivery_id      uuid primary key,
  event_id         uuid not null references sso.webhook_events on delete cascade,
  webhook_id       uuid not null references sso.webhook_endpoints on delete cascade,
  site_id          uuid not null,
  event_type       text not null,
  run              int not null default 1,
  state            text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'held')),
  attempts         int not null default 0,
  max_attempts     int not null,
  next_attempt_at  timestamptz(3),
  created_at       timestamptz(3) not null default clock_timestamp(),
  delivered_at     timestamptz(3),
  constraint webhook_deliveries_runs unique (event_id, webhook_id, run)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index webhook_deliveries_by_site -- what was sent to this site, newest first?
  on sso.webhook_deliveries (site_id, created_at desc, delivery_id desc);
create index webhook_deliveries_by_endpoint -- what waits for this endpoint, what was sent to it?
  on sso.webhook_deliveries (webhook_id, created_at desc, delivery_id desc);

-- `claim` is the number of the job's claim: a crash leaves a row without an end, and no number is used twice.
create table sso.webhook_attempts (
  delivery_id      uuid not null references sso.webhook_deliveries on delete cascade,
  claim            int not null,
  started_at       timestamptz(3) not null default clock_timestamp(),
  finished_at      timestamptz(3),
  response_status  int,
  error            text,
  retry_after      text,
  duration_ms      int,
  primary key (delivery_id, claim)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
