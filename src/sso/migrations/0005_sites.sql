-- Sites can be managed: the turn of a site's HS256 key, keys told apart by their hint, the audit log as its readers ask
-- for it, and whose access tokens died lately.

-- Until 31 minutes after this the tokens of the generation before are still good. Null: they are not.
alter table sso.sites add column hs_rotated_at timestamptz(3);

create unique index site_keys_by_hint -- which live key does this hint mean?
  on sso.site_keys (site_id, hint) where revoked_at is null;

create index audit_log_by_site -- what happened at this site, newest first?
  on sso.audit_log (site_id, occurred_at desc, audit_id desc);
create index audit_log_by_action -- when was this done at this site?
  on sso.audit_log (site_id, action, occurred_at desc, audit_id desc);
create index audit_log_by_environment -- what happened in this environment, newest first?
  on sso.audit_log (environment, occurred_at desc, audit_id desc);
create index audit_log_by_subject -- what was done to this person?
  on sso.audit_log (subject_user_id, occurred_at desc, audit_id desc) where subject_user_id is not null;

-- How many lines a site has, of each action, spread over 16 rows so that parallel writers rarely wait for each other.
-- Lines of no site count under the zero id. The key answers for a site, the index for a whole environment.
create table sso.audit_counts (
  site_id      uuid not null,
  environment  text not null,
  action       text not null,
  slot         smallint not null,
  lines        bigint not null,
  primary key (site_id, environment, action, slot)
) with (fillfactor = 50);
create index audit_counts_by_environment -- how many lines has this environment?
  on sso.audit_counts (environment, action);

-- Triggers, because no writer, not even an operator at a prompt, can then forget the count; per statement, because
-- retention removes many lines at once.
create function sso.count_audit(of_environment text, of_site uuid, of_action text, by bigint) returns void
  language sql
  begin atomic
    insert into sso.audit_counts (environment, site_id, action, slot, lines)
    values (of_environment, coalesce(of_site, '00000000-0000-0000-0000-000000000000'), of_action,
            pg_backend_pid() % 16, by)
    on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines;
  end;

-- In its own statement, because every sign-in writes a line: a call of count_audit per group was a sixth of what
-- PostgreSQL does for one.
create function sso.audit_written() returns trigger language plpgsql as $$
begin
  insert into sso.audit_counts (environment, site_id, action, slot, lines)
  select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, pg_backend_pid() % 16, count(*)
    from added group by 1, 2, 3
      on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines;
  return null;
end $$;

create function sso.audit_removed() returns trigger language plpgsql as $$
begin
  perform sso.count_audit(environment, site_id, action, -count(*)) from removed group by environment, site_id, action;
  return null;
end $$;

create trigger audit_written after insert on sso.audit_log
  referencing new table as added for each statement execute function sso.audit_written();
create trigger audit_removed after delete on sso.audit_log
  referencing old table as removed for each statement execute function sso.audit_removed();

insert into sso.audit_counts (environment, site_id, action, slot, lines)
select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, 0, count(*)
  from sso.audit_log group by 1, 2, 3;

-- Each rise of a session_version, for partners that verify tokens themselves. The transaction's number orders them so
-- that a reader can tell what may still be on its way. Kept for half an hour.
create table sso.session_bumps (
  xid              xid8 not null default pg_current_xact_id(),
  user_id          uuid not null,
  session_version  int not null,
  revoked_at       timestamptz(3) not null default clock_timestamp(),
  primary key (xid, user_id)
);
create index session_bumps_by_time -- which of them are over half an hour old?
  on sso.session_bumps (revoked_at);

create function sso.session_version_rose() returns trigger language plpgsql as $$
begin
  insert into sso.session_bumps (user_id, session_version) values (new.user_id, new.session_version)
  on conflict (xid, user_id) do update set session_version = excluded.session_version;
  return null;
end $$;

create trigger session_version_rose after update of session_version on sso.users
  for each row when (old.session_version < new.session_version) execute function sso.session_version_rose();
