-- Filters of the list of channels are read in list order, and counted from the index alone.
create index channels_by_category
  on learning.channels (tenant_id, category, created_at desc, id desc) include (is_listed) where deleted_at is null;
create index channels_by_language
  on learning.channels (tenant_id, language, created_at desc, id desc) include (is_listed) where deleted_at is null;
create index channels_by_level
  on learning.channels (tenant_id, level, created_at desc, id desc) include (is_listed) where deleted_at is null;
create index channels_by_status
  on learning.channels (tenant_id, status, created_at desc, id desc) include (is_listed) where deleted_at is null;
create index channels_by_tag on learning.channels using gin (tags) where deleted_at is null;
create index channels_deleted -- which suggestions are about a channel that is gone?
  on learning.channels (tenant_id, id) where deleted_at is not null;

create index suggestions_by_status
  on learning.suggestions (tenant_id, status, created_at desc, id desc) include (agent_type, channel_id);
create index suggestions_by_kind on learning.suggestions (tenant_id, kind, created_at desc, id desc) include (channel_id);
