-- no-transaction
-- Beside running requests: all that lets the audit log become the first part of a table in months (0091) without reading
-- a line under a lock.
drop index concurrently if exists sso.audit_log_key;
create unique index concurrently audit_log_key on sso.audit_log (audit_id, occurred_at);

alter table sso.audit_log drop constraint if exists audit_log_end;
-- To the end of next month, which is more time than 0091 needs to follow.
do $$ begin
  execute format('alter table sso.audit_log add constraint audit_log_end check (occurred_at < %L) not valid',
                 (date_trunc('month', now() at time zone 'UTC') + interval '2 months') at time zone 'UTC');
end $$;
alter table sso.audit_log validate constraint audit_log_end;
