-- Lists of people that stay quick while the tables grow, and what is kept of a person who was erased.

alter table sso.users add column phone_verified boolean not null default false;

-- Words to search by: case and accents folded, then cut where neither letter, digit nor mark stands. Chinese and Japanese
-- write no spaces, so each of their characters counts as a word. A word is cut at 200 characters, because a longer one does
-- not fit into a tsvector. The collation is pinned: the database's own may know only ASCII.
create function sso.words(value text) returns text[]
  language sql immutable strict parallel safe
  return coalesce(
    (select array_agg(distinct left(word, 200))
       from regexp_split_to_table(
              regexp_replace(foundation.fold(value), '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g'),
              '[^[:alnum:]]+' collate "und-x-icu") as word
      where word <> ''),
    '{}');

-- All words must occur, each may be unfinished: "ann schm" finds Anna Schmidt. Words hold only letters and digits, so
-- quoting is enough.
create function sso.search_query(value text) returns tsquery
  language sql immutable strict parallel safe
  return coalesce((select string_agg('''' || word || ''':*', ' & ') from unnest(sso.words(value)) as word), '')::tsquery;

alter table sso.users add column search tsvector not null generated always as
  (array_to_tsvector(sso.words(
     coalesce(email, '') || ' ' || coalesce(username, '') || ' ' || coalesce(display_name, '') || ' ' ||
     coalesce(given_name, '') || ' ' || coalesce(family_name, '')))) stored;

-- Folding a name costs more than all the rest of a list, so it is done when the name is written. The collation is pinned.
alter table sso.users add column display_name_fold text collate "und-x-icu" not null
  generated always as (foundation.fold(coalesce(display_name, ''))) stored;

create index users_by_word -- who has these words in name or address? No list of late entries, which every search reads
  on sso.users using gin (search) with (fastupdate = off) where status <> 'deleted';
create index users_by_name -- the people of an environment by name?
  on sso.users (environment, display_name_fold, user_id) where status <> 'deleted';
create index users_newest -- the people of an environment, newest first?
  on sso.users (environment, created_at desc, user_id desc) where status <> 'deleted';

-- The environment and the age of the person, which never change, stand beside the membership: the list of a site is then
-- read in its order from one index. A trigger fills them, so that no writer can forget or forge them.
alter table sso.memberships
  add column environment text,
  add column user_created_at timestamptz(3);
update sso.memberships m set environment = u.environment, user_created_at = u.created_at
  from sso.users u where u.user_id = m.user_id;
alter table sso.memberships
  alter column environment set not null,
  alter column user_created_at set not null;

create function sso.member_joins() returns trigger language plpgsql as $$
begin
  select environment, created_at into new.environment, new.user_created_at from sso.users where user_id = new.user_id;
  return new;
end $$;
create trigger member_joins before insert on sso.memberships
  for each row execute function sso.member_joins();

create index memberships_newest -- the members of this site, newest person first?
  on sso.memberships (site_id, user_created_at desc, user_id desc);
create index memberships_by_role -- who has this role here? is there another ADMIN?
  on sso.memberships (site_id, role, user_id);
drop index sso.memberships_by_site; -- every question it answered is answered by these two

-- How many members a site and how many people an environment has, spread over 16 rows each so that parallel writers
-- rarely wait for each other. No foreign key: the members of a site that goes are counted down after it.
create table sso.member_counts (
  site_id      uuid not null,
  environment  text not null,
  slot         smallint not null,
  members      int not null,
  primary key (site_id, environment, slot)
) with (fillfactor = 50);
create table sso.user_counts (
  environment  text not null,
  slot         smallint not null,
  people       int not null,
  primary key (environment, slot)
) with (fillfactor = 50);

-- The counts follow in the same transaction, by trigger, because no writer can then forget them; per statement, because a
-- bulk load is one statement with many rows. Only the change of one person's status is counted by row: sign-ins update
-- users all the time and must not pay for it.
create function sso.count_members(site uuid, env text, members_by bigint) returns void
  language sql
  begin atomic
    insert into sso.member_counts (site_id, environment, slot, members)
    select site, env, pg_backend_pid() % 16, members_by
    on conflict (site_id, environment, slot) do update set members = member_counts.members + excluded.members;
  end;
create function sso.count_people(env text, people_by bigint) returns void
  language sql
  begin atomic
    insert into sso.user_counts (environment, slot, people)
    select env, pg_backend_pid() % 16, people_by where people_by <> 0
    on conflict (environment, slot) do update set people = user_counts.people + excluded.people;
  end;

create function sso.members_added() returns trigger language plpgsql as $$
begin
  perform sso.count_members(site_id, environment, members)
     from (select site_id, environment, count(*) as members from added
            group by site_id, environment order by site_id, environment) as joined;
  return null;
end $$;
create function sso.members_removed() returns trigger language plpgsql as $$
begin
  perform sso.count_members(site_id, environment, -members)
     from (select site_id, environment, count(*) as members from removed
            group by site_id, environment order by site_id, environment) as gone;
  return null;
end $$;
create function sso.people_added() returns trigger language plpgsql as $$
begin
  perform sso.count_people(environment, count(*) filter (where status <> 'deleted')) from added group by environment;
  return null;
end $$;
create function sso.people_removed() returns trigger language plpgsql as $$
begin
  perform sso.count_people(environment, -count(*) filter (where status <> 'deleted')) from removed group by environment;
  return null;
end $$;
create function sso.person_erased() returns trigger language plpgsql as $$
begin
  perform sso.count_people(new.environment, (new.status <> 'deleted')::int - (old.status <> 'deleted')::int);
  return null;
end $$;

create trigger members_added after insert on sso.memberships
  referencing new table as added for each statement execute function sso.members_added();
create trigger members_removed after delete on sso.memberships
  referencing old table as removed for each statement execute function sso.members_removed();
create trigger people_added after insert on sso.users
  referencing new table as added for each statement execute function sso.people_added();
create trigger people_removed after delete on sso.users
  referencing old table as removed for each statement execute function sso.people_removed();
create trigger person_erased after update of status on sso.users
  for each row when ((old.status = 'deleted') is distinct from (new.status = 'deleted'))
  execute function sso.person_erased();

insert into sso.member_counts (site_id, environment, slot, members)
  select site_id, environment, 0, count(*) from sso.memberships group by site_id, environment;
insert into sso.user_counts (environment, slot, people)
  select environment, 0, count(*) from sso.users where status <> 'deleted' group by environment;

-- What is kept of an erased person: the bare id, why, and when. No foreign key: it outlives the row of the person.
create table sso.erasures (
  user_id               uuid primary key,
  environment           text not null check (environment in ('sandbox', 'production')),
  reason_code           text not null,
  ccpa_drop_request     boolean not null,
  gdpr_erasure_request  boolean not null,
  erased_at             timestamptz(3) not null default clock_timestamp()
);
-- The sites that knew the person, each of which has to forget them too. The key answers: whom has this site to forget
-- since a moment?
create table sso.erasure_sites (
  site_id    uuid not null,
  erased_at  timestamptz(3) not null,
  user_id    uuid not null references sso.erasures on delete cascade,
  primary key (site_id, erased_at, user_id)
);
create index erasure_sites_by_user -- which sites knew this person?
  on sso.erasure_sites (user_id);

create index audit_log_by_actor -- what did this person do, from which address?
  on sso.audit_log (actor_user_id) where actor_user_id is not null;
