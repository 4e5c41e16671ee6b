-- Files that people upload: pictures and captions of a channel, and attachments of homework. The bytes are kept in
-- pieces, so that neither the program nor the database holds a file whole.
create table learning.files (
  tenant_id      text not null,
  id             uuid not null,
  channel_id     uuid not null,
  -- Null for what belongs to the channel itself.
  homework_id    uuid,
  -- Null until the work is handed in: before, only its uploader may read it.
  submission_id  uuid,
  user_id        text not null,
  purpose        text not null check (purpose in ('picture', 'captions', 'attachment')),
  name           text not null,
  mime_type      text not null,
  size_bytes     bigint not null check (size_bytes > 0),
  sha256         text not null,
  created_at     timestamptz(3) not null default clock_timestamp(),
  -- The last time a sweep looked whether anything still names the file.
  checked_at     timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, id),
  check ((purpose = 'attachment') = (homework_id is not null)),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade
);

-- How many files does a channel have, and which of them has nobody handed in?
create index files_by_channel on learning.files (tenant_id, channel_id, user_id);

-- Which files did this person upload?
create index files_by_person on learning.files (tenant_id, user_id);

-- Which files has no sweep looked at for the longest time?
create index files_by_check on learning.files (tenant_id, checked_at, id);

create table learning.file_pieces (
  tenant_id  text not null,
  file_id    uuid not null,
  place      int not null,
  content    bytea not null,
  primary key (tenant_id, file_id, place),
  foreign key (tenant_id, file_id) references learning.files (tenant_id, id) on delete cascade
);
-- Pictures and archives are packed already.
alter table learning.file_pieces alter column content set storage external;

-- How many bytes do the files of a tenant take? One row a tenant, written last in a transaction.
create table learning.file_totals (
  tenant_id  text primary key,
  bytes      bigint not null check (bytes >= 0)
);
