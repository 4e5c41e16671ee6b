-- What the two innovation agents found, what became of it, and who runs which agent at this moment.

-- One thing an agent would change, for an ADMIN to decide on. Nothing here changes a channel by itself.
create table learning.suggestions (
  tenant_id      text not null,
  id             uuid not null,
  agent_type     text not null check (agent_type in ('content', 'engagement')),
  kind           text not null,
  status         text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'applied', 'expired')),
  severity       text not null check (severity in ('info', 'warning', 'critical')),
  title          text not null,
  body           text not null,
  evidence       jsonb not null,
  channel_id     uuid not null,
  target_type    text not null check (target_type in ('channel', 'episode', 'video', 'homework', 'test', 'question')),
  -- A video is named by its episode.
  target_id      uuid not null,
  target_title   text not null,
  -- What the target said when the evidence was taken: learning.target_stamp. A patch is for that and nothing else.
  target_stamp   text not null,
  patch          jsonb,
  confidence     numeric not null check (confidence between 0 and 1),
  source         text not null check (source in ('heuristic', 'llm')),
  model          text,
  run_id         uuid not null,
  -- Agent, kind, target and item: the same thing found again is the same suggestion.
  fingerprint    text not null,
  -- How bad it is, where that has a measure: more is worse.
  metric         numeric,
  created_at     timestamptz(3) not null default clock_timestamp(),
  updated_at     timestamptz(3) not null default clock_timestamp(),
  reviewed_by    text,
  reviewed_at    timestamptz(3),
  review_note    text not null default '',
  primary key (tenant_id, id),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade
);

-- Is this thing already on somebody's desk? At most once.
create unique index suggestions_open on learning.suggestions (tenant_id, fingerprint) where status in ('pending', 'approved');

-- All suggestions of a tenant, newest first?
create index suggestions_in_order on learning.suggestions (tenant_id, created_at desc, id desc);

-- Those of a channel, newest first?
create index suggestions_by_channel on learning.suggestions (tenant_id, channel_id, created_at desc, id desc);

-- Was this thing turned down lately?
create index suggestions_rejected on learning.suggestions (tenant_id, fingerprint, reviewed_at) where status = 'rejected';

-- The last run of each agent in a tenant. A run that began more than a minute ago and never ended has died with its process.
create table learning.agent_runs (
  tenant_id    text not null,
  agent_type   text not null check (agent_type in ('content', 'engagement')),
  run_id       uuid not null,
  started_at   timestamptz(3) not null default clock_timestamp(),
  finished_at  timestamptz(3),
  -- The last run that came to its end.
  last_run_at  timestamptz(3),
  -- Where a run over more channels than it may look at stopped: the next one goes on there.
  next_before  timestamptz(3),
  next_id      uuid,
  primary key (tenant_id, agent_type)
);

-- Which channels of a tenant changed last?
create index channels_by_change on learning.channels (tenant_id, updated_at desc, id desc) where deleted_at is null;

-- What a target says now, as a short text that is another one after every change of it. Null when it is gone. In plpgsql,
-- because it is asked for thousands of targets in one statement, and only one of its branches is run for each.
create function learning.target_stamp(tenant text, kind text, target uuid) returns text
  language plpgsql stable parallel safe as $$
begin
  case kind
    when 'channel' then
      return (select md5(row(c.title, c.description, c.language, c.category, c.level, c.tags, c.thumbnail_url, c.status,
                             c.enrollment, c.visibility, c.sequential, c.completion_threshold, c.passing_percent)::text)
                from learning.channels c where c.tenant_id = tenant and c.id = target and c.deleted_at is null);
    when 'episode' then
      return (select md5(row(e.title, e.description, e.status, e.release_at, e.thumbnail_url, e.season, e.authors, e.language,
                             e.recorded_on, e.published_tests, e.published_homework)::text)
                from learning.episodes e where e.tenant_id = tenant and e.id = target and e.deleted_at is null);
    when 'video' then
      return (select v.updated_at::text from learning.videos v
                join learning.episodes e on e.tenant_id = v.tenant_id and e.id = v.episode_id and e.deleted_at is null
               where v.tenant_id = tenant and v.episode_id = target);
    when 'homework' then
      return (select h.updated_at::text from learning.homework h
                join learning.episodes e on e.tenant_id = h.tenant_id and e.id = h.episode_id and e.deleted_at is null
               where h.tenant_id = tenant and h.id = target and h.deleted_at is null);
    when 'test' then
      return (select t.updated_at || ' ' || t.key_version from learning.tests t
                join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id and e.deleted_at is null
               where t.tenant_id = tenant and t.id = target and t.deleted_at is null);
    when 'question' then
      return (select q.version::text from learning.questions q
                join learning.tests t on t.tenant_id = q.tenant_id and t.id = q.test_id and t.deleted_at is null
                join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id and e.deleted_at is null
               where q.tenant_id = tenant and q.id = target and q.deleted_at is null);
  end case;
end $$;
