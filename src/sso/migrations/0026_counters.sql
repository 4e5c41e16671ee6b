-- People of an environment are counted when an operator asks, which is rare; no writer pays for it any more.
drop trigger people_added on sso.users;
drop trigger people_removed on sso.users;
drop trigger person_erased on sso.users;
drop function sso.people_added, sso.people_removed, sso.person_erased, sso.count_people;
drop table sso.user_counts;

-- Members of a site and lines of the audit log keep their counters (docs/decisions/counters-of-lists.md), each by one
-- function for rows that come and rows that go.
drop trigger members_added on sso.memberships;
drop trigger members_removed on sso.memberships;
drop trigger audit_written on sso.audit_log;
drop trigger audit_removed on sso.audit_log;
drop function sso.members_added, sso.members_removed, sso.count_members, sso.audit_written, sso.audit_removed, sso.count_audit;

create function sso.count_members() returns trigger language plpgsql as $$
begin
  insert into sso.member_counts (site_id, environment, slot, members)
  select site_id, environment, pg_backend_pid() % 16, count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed group by site_id, environment order by site_id, environment
      on conflict (site_id, environment, slot) do update set members = member_counts.members + excluded.members;
  return null;
end $$;
create trigger members_added after insert on sso.memberships
  referencing new table as changed for each statement execute function sso.count_members();
create trigger members_removed after delete on sso.memberships
  referencing old table as changed for each statement execute function sso.count_members();

create function sso.count_audit() returns trigger language plpgsql as $$
begin
  insert into sso.audit_counts (environment, site_id, action, slot, lines)
  select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, pg_backend_pid() % 16,
         count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed group by 1, 2, 3 order by 2, 1, 3
      on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines;
  return null;
end $$;
create trigger audit_written after insert on sso.audit_log
  referencing new table as changed for each statement execute function sso.count_audit();
create trigger audit_removed after delete on sso.audit_log
  referencing old table as changed for each statement execute function sso.count_audit();
