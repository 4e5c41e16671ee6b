-- no-transaction
-- The list of channels by title, and by how many learn in them. A channel that nobody joined has no row of counts.
drop index concurrently if exists learning.channels_by_title;
create index concurrently channels_by_title
  on learning.channels (tenant_id, foundation.fold(title), id) include (is_listed) where deleted_at is null;
drop index concurrently if exists learning.channels_by_learners;
create index concurrently channels_by_learners
  on learning.enrollment_counts (tenant_id, learners desc, channel_id desc) where learners > 0;
