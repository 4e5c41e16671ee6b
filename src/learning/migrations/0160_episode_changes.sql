-- What authors have typed into a lesson and not published yet: one row per episode and field, so that saving a title
-- does not rewrite a transcript, and two teachers who type into different fields never meet.
create table learning.episode_changes (
  tenant_id   text not null,
  episode_id  uuid not null,
  -- title, video.url, homework.<id>.title or test.<id>.status (src/learning/lessons/fields.ts).
  name        text not null,
  -- Counts the writes of the whole lesson; the largest one is the version of its changes.
  version     int not null,
  -- Null: published or discarded. The row stays, because its version tells other editors that it has changed.
  value       jsonb,
  -- What was published when the change was begun.
  base        jsonb,
  changed_by  text not null,
  changed_at  timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, episode_id, name),
  foreign key (tenant_id, episode_id) references learning.episodes (tenant_id, id) on delete cascade
);

-- What has this person changed? For their erasure.
create index episode_changes_by_person on learning.episode_changes (tenant_id, changed_by);
