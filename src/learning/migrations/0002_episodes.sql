-- Episodes and their video assets. Deleted episodes stay, so that progress and grades keep their meaning.
create table learning.episodes (
  tenant_id      text not null,
  id             uuid not null,
  channel_id     uuid not null,
  position       int not null,
  title          text not null,
  description    text not null,
  status         text not null check (status in ('draft', 'published')),
  release_at     timestamptz(3),
  thumbnail_url  text,
  season         int not null check (season between 1 and 1000),
  authors        text[] not null,
  language       text,
  recorded_on    date,
  created_at     timestamptz(3) not null default clock_timestamp(),
  updated_at     timestamptz(3) not null default clock_timestamp(),
  deleted_at     timestamptz(3),
  -- The episode with the summary of its video as its channel shows it: a JSON object, made at the end of every change.
  shown          text not null default '',
  primary key (tenant_id, id),
  -- A client may choose an episode's id; one that another tenant already uses must stay unknown to it.
  constraint episodes_id_once unique (id),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade
);

-- The live episodes of a channel in their order?
create index episodes_live_in_order on learning.episodes (tenant_id, channel_id, position, id) where deleted_at is null;

-- Whether learners may see an episode by now. Simple enough that PostgreSQL writes it out where it is used.
create function learning.is_released(status text, release_at timestamptz) returns boolean
  language sql stable parallel safe
  return status = 'published' and (release_at is null or release_at <= statement_timestamp());

create table learning.videos (
  tenant_id             text not null,
  episode_id            uuid not null,
  id                    uuid not null,
  url                   text not null,
  poster_url            text,
  kind                  text not null check (kind in ('file', 'hls', 'embed')),
  mime_type             text not null,
  embed_url             text,
  duration_seconds      numeric check (duration_seconds > 0 and duration_seconds <= 86400),
  width                 int,
  height                int,
  size_bytes            bigint,
  sha256                text,
  sources               jsonb not null,
  chapters              jsonb not null,
  captions              jsonb not null,
  transcript            text not null,
  completion_threshold  numeric check (completion_threshold between 0.5 and 1),
  strict_watch          boolean not null,
  asset_version         int not null default 1,
  created_at            timestamptz(3) not null default clock_timestamp(),
  updated_at            timestamptz(3) not null default clock_timestamp(),
  -- An embed plays in a stranger's frame: nobody can measure how much of it was watched.
  trackable             boolean not null generated always as (kind <> 'embed') stored,
  -- Stored, so that a channel's page does not unpack every transcript to know that there is one.
  has_captions          boolean not null generated always as (jsonb_array_length(captions) > 0) stored,
  has_transcript        boolean not null generated always as (transcript <> '') stored,
  primary key (tenant_id, episode_id),
  foreign key (tenant_id, episode_id) references learning.episodes (tenant_id, id) on delete cascade
);

-- What a learner sees of a channel while a release is still ahead. Functions rather than subqueries, because nearly no
-- read needs them and PostgreSQL prepares a subquery at every execution, needed or not.
create function learning.count_released(tenant text, channel uuid) returns int
  language sql stable parallel safe
  begin atomic
    select count(*)::int from learning.episodes e
     where e.tenant_id = tenant and e.channel_id = channel and e.deleted_at is null
       and learning.is_released(e.status, e.release_at);
  end;

create function learning.sum_released(tenant text, channel uuid) returns numeric
  language sql stable parallel safe
  begin atomic
    select coalesce(sum(v.duration_seconds), 0)
      from learning.episodes e join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
     where e.tenant_id = tenant and e.channel_id = channel and e.deleted_at is null
       and learning.is_released(e.status, e.release_at);
  end;
