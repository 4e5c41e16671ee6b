-- When a backup was written whole, so that operators see whether there are any.
create table foundation.backups (
  created_at  timestamptz(3) primary key
);
