-- The audit log is kept in months (docs/scaling.md). What was written so far becomes its first part; no line is read.
-- contract: no statement and no foreign key of any release names the key (audit_id), which now needs the time beside it

alter table sso.audit_log rename to audit_log_earlier;
alter table sso.audit_log_earlier drop constraint audit_log_pkey;
alter table sso.audit_log_earlier add constraint audit_log_earlier_pkey primary key using index audit_log_key;
-- As PostgreSQL names the indexes of a part.
alter index sso.audit_log_by_site rename to audit_log_earlier_site_id_occurred_at_audit_id_idx;
alter index sso.audit_log_by_action rename to audit_log_earlier_site_id_action_occurred_at_audit_id_idx;
alter index sso.audit_log_by_environment rename to audit_log_earlier_environment_occurred_at_audit_id_idx;
alter index sso.audit_log_by_subject rename to audit_log_earlier_subject_user_id_occurred_at_audit_id_idx;
alter index sso.audit_log_by_actor rename to audit_log_earlier_actor_user_id_idx;
drop trigger audit_written on sso.audit_log_earlier;
drop trigger audit_removed on sso.audit_log_earlier;

create table sso.audit_log (
  audit_id         uuid not null,
  occurred_at      timestamptz(3) not null default clock_timestamp(),
  action           text not null,
  environment      text not null,
  site_id          uuid,
  actor_user_id    uuid,
  subject_user_id  uuid,
  ip_address       text,
  user_agent       text,
  details          jsonb not null default '{}',
  constraint audit_log_pkey primary key (audit_id, occurred_at),
  constraint audit_log_environment_check check (environment in ('sandbox', 'production'))
) partition by range (occurred_at);
create index audit_log_by_site -- what happened at this site, newest first?
  on sso.audit_log (site_id, occurred_at desc, audit_id desc);
create index audit_log_by_action -- when was this done at this site?
  on sso.audit_log (site_id, action, occurred_at desc, audit_id desc);
create index audit_log_by_environment -- what happened in this environment, newest first?
  on sso.audit_log (environment, occurred_at desc, audit_id desc);
create index audit_log_by_subject -- what was done to this person?
  on sso.audit_log (subject_user_id, occurred_at desc, audit_id desc) where subject_user_id is not null;
create index audit_log_by_actor -- what did this person do, from which address?
  on sso.audit_log (actor_user_id) where actor_user_id is not null;
create trigger audit_written after insert on sso.audit_log
  referencing new table as changed for each statement execute function sso.count_audit();
create trigger audit_removed after delete on sso.audit_log
  referencing old table as changed for each statement execute function sso.count_audit();

-- The first part has no beginning and the last no end, so every time has its part. A default partition would do that
-- too, but PostgreSQL could then no longer read the parts one after the other: it would ask all of them for each page.
do $$
declare
  ends timestamptz := (date_trunc('month', now() at time zone 'UTC') + interval '2 months') at time zone 'UTC';
begin
  execute format('alter table sso.audit_log attach partition sso.audit_log_earlier for values from (minvalue) to (%L)', ends);
  execute format('create table sso.%I partition of sso.audit_log for values from (%L) to (maxvalue)',
                 to_char(ends at time zone 'UTC', '"audit_log_"YYYY_MM'), ends);
end $$;
alter table sso.audit_log_earlier drop constraint audit_log_end;

-- The parts of the audit log; the first has no beginning, the last no end.
create view sso.audit_months as
select c.relname as name,
       substring(bounds from 'FROM \(''([^'']+)')::timestamptz as begins,
       substring(bounds from 'TO \(''([^'']+)')::timestamptz as ends
  from pg_inherits join pg_class c on c.oid = inhrelid, lateral pg_get_expr(relpartbound, c.oid) as bounds
 where inhparent = 'sso.audit_log'::regclass;

-- Makes the months ahead, drops those whose last line is older than it may get, and returns how many lines went. Safe
-- to call at any time from any number of processes; if a part is in use for longer than requests may wait, it fails.
create function sso.turn_audit_months(as_of timestamptz, kept_days int) returns bigint
  language plpgsql set timezone = 'UTC' set lock_timeout = '300ms' as $$
declare
  border timestamptz := as_of - make_interval(days => greatest(kept_days, (select max(retention_days) from sso.sites)));
  month record;
  newest timestamptz;
  lines bigint;
  gone bigint := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('sso.audit_months', 0)) then return 0; end if;

  -- The last part gets an end before its month begins. It has lines by then only if nobody turned in time; they stay
  -- where they are, and it ends with the month of the newest.
  loop
    select name, begins into strict month from sso.audit_months where ends is null;
    exit when month.begins >= date_trunc('month', as_of) + interval '2 months';
    execute format('alter table sso.audit_log detach partition sso.%I', month.name);
    execute format('select max(occurred_at) from sso.%I', month.name) into newest;
    newest := date_trunc('month', greatest(month.begins, newest)) + interval '1 month';
    execute format('alter table sso.audit_log attach partition sso.%I for values from (%L) to (%L)',
                   month.name, month.begins, newest);
    execute format('create table sso.%I partition of sso.audit_log for values from (%L) to (maxvalue)',
                   to_char(newest, '"audit_log_"YYYY_MM'), newest);
  end loop;

  select max(ends) into border from sso.audit_months where begins is not null and ends <= border;
  if border is null then return 0; end if;
  for month in select name from sso.audit_months where ends <= border loop
    -- Meanwhile only those wait who write to these old lines. No trigger counts in slot 16, so nobody waits for that.
    execute format('lock table sso.%I in share row exclusive mode', month.name);
    execute format($count$
      with old as (select environment, site_id, action, count(*) as lines from sso.%I group by 1, 2, 3),
           counted as (
             insert into sso.audit_counts (environment, site_id, action, slot, lines)
             select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, 16, -lines from old
                 on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines)
      select coalesce(sum(lines), 0) from old $count$, month.name) into lines;
    gone := gone + lines;
  end loop;
  for month in select name from sso.audit_months where ends <= border loop
    execute format('drop table sso.%I', month.name);
  end loop;
  execute format('create table sso.audit_log_earlier partition of sso.audit_log for values from (minvalue) to (%L)', border);
  return gone;
end $$;
