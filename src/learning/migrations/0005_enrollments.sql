-- Who learns in which channel, and how far. Rows are never deleted, so that history outlives episodes and channels.
create table learning.enrollments (
  tenant_id         text not null,
  user_id           text not null,
  channel_id        uuid not null,
  id                uuid not null default gen_random_uuid(),
  user_email        text not null,
  -- Roles are known to tokens only; statistics of a channel leave out its editors.
  as_admin          boolean not null default false,
  status            text not null check (status in ('active', 'completed')),
  source            text not null check (source in ('self', 'auto')),
  -- Equal until the person does something: the same moment, hence not the clock, which moves on between two columns.
  enrolled_at       timestamptz(3) not null default statement_timestamp(),
  last_activity_at  timestamptz(3) not null default statement_timestamp(),
  completed_at      timestamptz(3),
  primary key (tenant_id, user_id, channel_id),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade,
  check ((status = 'completed') = (completed_at is not null))
-- last_activity_at moves with every beat of a player: a free place on the page saves the indexes from moving too.
) with (fillfactor = 70);

-- Who learns in this channel?
create index enrollments_by_channel on learning.enrollments (tenant_id, channel_id, user_id);

-- How many learners a channel has: who is enrolled, without ADMINs and editors. Kept by triggers, so that a list shows it
-- without counting. Enrollments and changes of editors meet at the lock of the channel, so it stays exact.
create table learning.enrollment_counts (
  tenant_id   text not null,
  channel_id  uuid not null,
  learners    int not null,
  primary key (tenant_id, channel_id),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade
) with (fillfactor = 50);

create function learning.is_editor(tenant text, person text, channel uuid) returns boolean
  language sql stable parallel safe
  return exists (select from learning.channel_editors
                  where tenant_id = tenant and user_id = person and channel_id = channel);

create function learning.enrollments_added() returns trigger language plpgsql as $$
begin
  insert into learning.enrollment_counts (tenant_id, channel_id, learners)
  select tenant_id, channel_id, count(*) filter (where not as_admin and not learning.is_editor(tenant_id, user_id, channel_id))
    from added group by tenant_id, channel_id order by tenant_id, channel_id
  on conflict (tenant_id, channel_id) do update set learners = enrollment_counts.learners + excluded.learners;
  return null;
end $$;

create function learning.enrollments_removed() returns trigger language plpgsql as $$
begin
  update learning.enrollment_counts c set learners = c.learners - r.learners
    from (select tenant_id, channel_id, count(*) as learners from removed
           where not as_admin and not learning.is_editor(tenant_id, user_id, channel_id)
           group by tenant_id, channel_id) as r
   where c.tenant_id = r.tenant_id and c.channel_id = r.channel_id;
  return null;
end $$;

create trigger enrollments_added after insert on learning.enrollments
  referencing new table as added for each statement execute function learning.enrollments_added();
create trigger enrollments_removed after delete on learning.enrollments
  referencing old table as removed for each statement execute function learning.enrollments_removed();

-- Whoever becomes an editor is a learner no more, and the other way round.
create function learning.editors_changed() returns trigger language plpgsql as $$
begin
  update learning.enrollment_counts c set learners = c.learners + moved.learners
    from (select n.tenant_id, n.channel_id, case when tg_op = 'INSERT' then -count(*) else count(*) end as learners
            from changed join learning.enrollments n using (tenant_id, user_id, channel_id)
           where not n.as_admin group by n.tenant_id, n.channel_id) as moved
   where c.tenant_id = moved.tenant_id and c.channel_id = moved.channel_id;
  return null;
end $$;

create trigger editors_added after insert on learning.channel_editors
  referencing new table as changed for each statement execute function learning.editors_changed();
create trigger editors_removed after delete on learning.channel_editors
  referencing old table as changed for each statement execute function learning.editors_changed();

-- What a person has watched of an episode. Ranges are whole milliseconds of the video, half open.
create table learning.progress (
  tenant_id      text not null,
  user_id        text not null,
  episode_id     uuid not null,
  position_ms    int not null,
  watched        int4multirange not null,
  -- Watched again, for statistics only; `last_beat` tells a repeated request from a second look.
  rewatched      int4multirange not null default '{}',
  last_beat      int4multirange not null default '{}',
  -- The longest duration this learner's player named; it counts only where the asset has none.
  claimed_ms     int,
  progress       numeric(4, 3) not null check (progress between 0 and 1),
  first_beat_at  timestamptz(3) not null default clock_timestamp(),
  completed_at   timestamptz(3),
  updated_at     timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, user_id, episode_id),
  foreign key (tenant_id, episode_id) references learning.episodes (tenant_id, id) on delete cascade
) with (fillfactor = 70);

-- Who watched this episode?
create index progress_by_episode on learning.progress (tenant_id, episode_id, user_id);

-- How long a person watched in a channel on one UTC day.
create table learning.activity_days (
  tenant_id   text not null,
  user_id     text not null,
  day         date not null,
  channel_id  uuid not null,
  watched_ms  bigint not null,
  primary key (tenant_id, user_id, day, channel_id),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade
) with (fillfactor = 70);

-- How much was watched in this channel week by week?
create index activity_days_by_channel on learning.activity_days (tenant_id, channel_id, day);

-- How far a person is in a channel, over its live, published, released episodes. A function rather than a subquery,
-- because most rows of a list are not enrolled in and PostgreSQL prepares a subquery at every execution, needed or not.
-- `percent` is below 100 until all are completed; `next_episode_id` is the first one not completed, which is never locked.
create function learning.progress_in(tenant text, person text, channel uuid)
  returns table (percent numeric, completed int, total int, next_episode_id uuid)
  language sql stable parallel safe
  begin atomic
    select case when count(*) = 0 then 0
                when count(w.completed_at) = count(*) then 100
                else least(99.99, round(100 * avg(case when w.completed_at is not null then 1
                                                       else coalesce(w.progress, 0) end), 2)) end,
           count(w.completed_at)::int, count(*)::int,
           (array_agg(e.id order by e.position, e.id) filter (where w.completed_at is null))[1]
      from learning.episodes e
      left join learning.progress w
        on w.tenant_id = tenant and w.user_id = person and w.episode_id = e.id
     where e.tenant_id = tenant and e.channel_id = channel and e.deleted_at is null
       and learning.is_released(e.status, e.release_at);
  end;

-- The same as JSON members, for channels that are shown as text.
create function learning.show_progress_in(tenant text, person text, channel uuid) returns text
  language sql stable parallel safe
  begin atomic
    select '"progress_percent":' || trim_scale(percent) || ',"next_episode_id":' || coalesce('"' || next_episode_id || '"', 'null')
      from learning.progress_in(tenant, person, channel);
  end;

-- How much work lies in an episode, all of it and what learners see; kept by triggers, so that a channel of 500 episodes
-- is shown without counting.
alter table learning.episodes
  add column homework_count int not null default 0,
  add column published_homework int not null default 0,
  add column test_count int not null default 0,
  add column published_tests int not null default 0;

-- What a channel shows of an episode is kept open at its end from now on: counts and the reader's own progress follow.
update learning.episodes set shown = left(shown, -1) where shown <> '';

create function learning.count_work(kind text, tenant text, episode uuid, status text, by int) returns void
  language sql
  begin atomic
    update learning.episodes
       set homework_count = homework_count + case when kind = 'homework' then by else 0 end,
           published_homework = published_homework + case when kind = 'homework' and count_work.status = 'published' then by else 0 end,
           test_count = test_count + case when kind = 'tests' then by else 0 end,
           published_tests = published_tests + case when kind = 'tests' and count_work.status = 'published' then by else 0 end
     where tenant_id = tenant and id = episode;
  end;

create function learning.work_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.deleted_at is null then
    perform learning.count_work(tg_table_name, old.tenant_id, old.episode_id, old.status, -1);
  end if;
  if tg_op <> 'DELETE' and new.deleted_at is null then
    perform learning.count_work(tg_table_name, new.tenant_id, new.episode_id, new.status, 1);
  end if;
  return null;
end $$;

create trigger homework_counted after insert or delete or update of episode_id, status, deleted_at on learning.homework
  for each row execute function learning.work_changed();
create trigger tests_counted after insert or delete or update of episode_id, status, deleted_at on learning.tests
  for each row execute function learning.work_changed();
