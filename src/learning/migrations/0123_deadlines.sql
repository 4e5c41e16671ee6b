-- Deadlines that one learner has in place of everybody's. They only extend: the later of the two counts.
create table learning.deadlines (
  tenant_id  text not null,
  -- A homework or a test: they stand in two tables, so nothing is referenced.
  work_id    uuid not null,
  user_id    text not null,
  until      timestamptz(3) not null,
  set_by     text not null,
  set_at     timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, work_id, user_id)
);

-- Which deadlines of this person end soon?
create index deadlines_by_end on learning.deadlines (tenant_id, until);
-- Which deadlines has this person?
create index deadlines_by_person on learning.deadlines (tenant_id, user_id, work_id);
