-- A delivery is claimed, leased and retried in its own row; there is no job beside it any more.
alter table sso.webhook_deliveries
  add column priority     smallint not null default 1,   -- 0, the back channel and pings, goes first
  add column claims       int not null default 0,        -- started attempts, also those that never ended
  add column lease_token  uuid,
  add column lease_until  timestamptz(3),
  add constraint webhook_deliveries_lease check ((lease_token is null) = (lease_until is null));

update sso.webhook_deliveries d
   set priority = j.priority, claims = j.claims, next_attempt_at = case when d.state = 'pending' then j.run_at end
  from foundation.jobs j where j.job_id = d.delivery_id;
delete from foundation.jobs where kind = 'webhook.delivery';

create index webhook_deliveries_due -- which deliveries are next?
  on sso.webhook_deliveries (priority, next_attempt_at, delivery_id) where state = 'pending';
create index webhook_deliveries_due_by_endpoint -- which are next at this endpoint?
  on sso.webhook_deliveries (webhook_id, priority, next_attempt_at, delivery_id) where state = 'pending';
create index webhook_deliveries_failed -- how many were given up?
  on sso.webhook_deliveries (delivery_id) where state = 'failed';
create index webhook_endpoints_failing -- which endpoints fail again and again?
  on sso.webhook_endpoints (webhook_id) where consecutive_failures >= 3;
