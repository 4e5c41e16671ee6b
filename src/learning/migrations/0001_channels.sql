-- Channels are what the learning service is about. Deleted ones stay for good, so that learners' history holds.
create schema learning;

-- Words to search by: case and accents folded, then cut where neither letter, digit nor mark stands. Chinese and
-- Japanese write no spaces, so each of their characters counts as a word. A word is cut at 200 characters, because
-- a longer one does not fit into a tsvector. The collation is pinned: the database's own may know only ASCII.
create function learning.words(value text) returns text[]
  language sql immutable strict parallel safe
  return coalesce(
    (select array_agg(distinct left(word, 200))
       from regexp_split_to_table(
              regexp_replace(foundation.fold(value), '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g'),
              '[^[:alnum:]]+' collate "und-x-icu") as word
      where word <> ''),
    '{}');

-- All words must occur; the last one may still be unfinished. Words hold only letters and digits, so quoting is enough.
create function learning.search_query(value text) returns tsquery
  language sql immutable strict parallel safe
  return coalesce(
    (select string_agg('''' || word || '''' || case when word = last_word then ':*' else '' end, ' & ')
       from unnest(learning.words(value)) as word,
            (select (regexp_match(foundation.fold(value), '([[:alnum:]]+)[^[:alnum:]]*$' collate "und-x-icu"))[1]) as last(last_word)),
    '')::tsquery;

create table learning.channels (
  tenant_id             text not null,
  id                    uuid not null,
  owner_id              text not null,
  instructor_ids        text[] not null,
  external_id           text,
  title                 text not null,
  description           text not null,
  language              text not null,
  category              text,
  level                 text not null check (level in ('all', 'beginner', 'intermediate', 'advanced')),
  tags                  text[] not null,
  thumbnail_url         text,
  status                text not null check (status in ('draft', 'published', 'archived')),
  enrollment            text not null check (enrollment in ('open', 'closed')),
  visibility            text not null check (visibility in ('public', 'tenant', 'private')),
  sequential            boolean not null,
  completion_threshold  numeric not null check (completion_threshold between 0.5 and 1),
  passing_percent       numeric not null check (passing_percent between 0 and 100),
  grade_weights         jsonb,
  version               int not null default 1,
  -- Sums over the live episodes, made anew from the episodes themselves in every transaction that changes one. Those
  -- of learners hold from last_release_at on; before that moment a reader counts for himself.
  episode_count         int not null default 0,
  duration_seconds      numeric not null default 0,
  published_count       int not null default 0,
  published_seconds     numeric not null default 0,
  last_release_at       timestamptz(3),
  created_at            timestamptz(3) not null default clock_timestamp(),
  updated_at            timestamptz(3) not null default clock_timestamp(),
  published_at          timestamptz(3),
  deleted_at            timestamptz(3),
  -- In the catalogue of the whole tenant. The only place that says what "listed" means.
  is_listed             boolean not null generated always as
                          (deleted_at is null and status = 'published' and visibility <> 'private') stored,
  -- What everybody is shown of it alike, as a JSON object that is still open at its end. Made once per change, because
  -- making it at every read costs more than all the rest of the read.
  shown                 text not null,
  search                tsvector not null generated always as
                          (array_to_tsvector(learning.words(title || ' ' || description))) stored,
  primary key (tenant_id, id)
);

create function learning.show_channel() returns trigger language plpgsql as $$
begin
  select left(row_to_json(shown)::text, -1) into new.shown from (
    select new.id, new.title, new.description, new.language, new.category, new.level, new.tags, new.thumbnail_url,
           new.status, new.enrollment, new.visibility, new.sequential, new.completion_threshold, new.passing_percent,
           new.grade_weights, new.instructor_ids, new.owner_id, new.external_id, new.version,
           foundation.iso(new.published_at) as published_at, foundation.iso(new.created_at) as created_at,
           foundation.iso(new.updated_at) as updated_at) as shown;
  return new;
end $$;

create trigger channels_shown before insert or update on learning.channels
  for each row execute function learning.show_channel();

-- The feed knows no tenant: which channel has this id? Ids are made by the server and never repeat.
create unique index channels_by_id on learning.channels (id);

-- The catalogue of a tenant, newest first?
create index channels_listed on learning.channels (tenant_id, created_at desc, id desc) where is_listed;

-- Everything an ADMIN may see, newest first?
create index channels_live on learning.channels (tenant_id, created_at desc, id desc) where deleted_at is null;

-- Which channels hold these words?
create index channels_by_word on learning.channels using gin (search) where deleted_at is null;

-- Has this owner already brought in this channel from elsewhere?
create unique index channels_by_external_id on learning.channels (tenant_id, owner_id, external_id)
  where deleted_at is null and external_id is not null;

-- Who may change a channel beside the ADMINs: its owner and instructors, one row each. Derived from the channel, so
-- that a person's own channels are read from one index; unlisted ones are those the catalogue does not show.
create table learning.channel_editors (
  tenant_id    text not null,
  user_id      text not null,
  channel_id   uuid not null,
  created_at   timestamptz(3) not null,
  is_unlisted  boolean not null,
  primary key (tenant_id, user_id, channel_id),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade
);

-- All channels this person may change, newest first?
create index channel_editors_own on learning.channel_editors (tenant_id, user_id, created_at desc, channel_id desc);

-- What does this person see beyond the catalogue, newest first?
create index channel_editors_unlisted on learning.channel_editors (tenant_id, user_id, created_at desc, channel_id desc)
  where is_unlisted;

-- Who loses access when this channel changes hands?
create index channel_editors_by_channel on learning.channel_editors (tenant_id, channel_id);

-- How many channels a tenant has, spread over 16 rows so that parallel writers rarely wait for each other.
create table learning.channel_counts (
  tenant_id  text not null,
  slot       smallint not null,
  listed     int not null,
  live       int not null,
  primary key (tenant_id, slot)
) with (fillfactor = 50);

-- Counters and editors follow the channels in the same transaction. Triggers, because no writer, not even an operator
-- at a prompt, can then forget them; per statement, because a bulk load is one statement with many rows.
create function learning.count_channels(tenant text, listed_by bigint, live_by bigint) returns void
  language sql
  begin atomic
    insert into learning.channel_counts (tenant_id, slot, listed, live)
    select tenant, pg_backend_pid() % 16, listed_by, live_by where listed_by <> 0 or live_by <> 0
    on conflict (tenant_id, slot) do update
       set listed = channel_counts.listed + excluded.listed, live = channel_counts.live + excluded.live;
  end;

create function learning.channels_added() returns trigger language plpgsql as $$
begin
  perform learning.count_channels(tenant_id, count(*) filter (where is_listed), count(*) filter (where deleted_at is null))
     from added group by tenant_id;
  insert into learning.channel_editors (tenant_id, user_id, channel_id, created_at, is_unlisted)
  select distinct added.tenant_id, editor, added.id, added.created_at, not added.is_listed
    from added, unnest(added.owner_id || added.instructor_ids) as editor
   where added.deleted_at is null;
  return null;
end $$;

create function learning.channels_changed() returns trigger language plpgsql as $$
begin
  perform learning.count_channels(tenant_id, sum(listed), sum(live))
     from (select tenant_id, is_listed::int as listed, (deleted_at is null)::int as live from after
           union all
           select tenant_id, -is_listed::int, -(deleted_at is null)::int from before) as moved
    group by tenant_id;
  if exists (select from before join after using (tenant_id, id)
              where (before.owner_id, before.instructor_ids, before.is_listed, before.deleted_at)
                 is distinct from (after.owner_id, after.instructor_ids, after.is_listed, after.deleted_at)) then
    delete from learning.channel_editors using before
     where channel_editors.tenant_id = before.tenant_id and channel_editors.channel_id = before.id;
    insert into learning.channel_editors (tenant_id, user_id, channel_id, created_at, is_unlisted)
    select distinct after.tenant_id, editor, after.id, after.created_at, not after.is_listed
      from after, unnest(after.owner_id || after.instructor_ids) as editor
     where after.deleted_at is null;
  end if;
  return null;
end $$;

create function learning.channels_removed() returns trigger language plpgsql as $$
begin
  perform learning.count_channels(tenant_id, -count(*) filter (where is_listed), -count(*) filter (where deleted_at is null))
     from removed group by tenant_id;
  return null;
end $$;

create trigger channels_added after insert on learning.channels
  referencing new table as added for each statement execute function learning.channels_added();
create trigger channels_changed after update on learning.channels
  referencing old table as before new table as after for each statement execute function learning.channels_changed();
create trigger channels_removed after delete on learning.channels
  referencing old table as removed for each statement execute function learning.channels_removed();
