-- The queue serves by priority and age; fairness between endpoints is a matter of webhooks.
drop index foundation.jobs_by_lane;
alter table foundation.jobs drop column lane;
