-- What decides who comes to what besides the catalogue. Functions rather than subqueries, because most reads need neither
-- and PostgreSQL prepares a subquery at every execution, needed or not.
create function learning.is_enrolled(tenant text, person text, channel uuid) returns boolean
  language sql stable parallel safe
  begin atomic
    select exists (select from learning.enrollments e
                    where e.tenant_id = tenant and e.user_id = person and e.channel_id = channel);
  end;

-- The title of the episode before this one, as learners see the channel, if this person has not completed it.
create function learning.uncompleted_before(tenant text, person text, channel uuid, place int, episode uuid) returns text
  language sql stable parallel safe
  begin atomic
    select case when w.completed_at is null then previous.title end
      from (select e.id, e.title from learning.episodes e
             where e.tenant_id = tenant and e.channel_id = channel and e.deleted_at is null
               and learning.is_released(e.status, e.release_at) and (e.position, e.id) < (place, episode)
             order by e.position desc, e.id desc limit 1) as previous
      left join learning.progress w on w.tenant_id = tenant and w.user_id = person and w.episode_id = previous.id;
  end;
