-- Certificates that learners asked for. Name, title and issuer stand as they were at that moment.
create table if not exists learning.certificates (
  tenant_id       text not null,
  user_id         text not null,
  channel_id      uuid not null,
  certificate_id  uuid not null,
  person_name     text not null,
  channel_title   text not null,
  issuer          text not null,
  issued_at       timestamptz(3) not null default clock_timestamp(),
  -- A person has one for each channel.
  primary key (tenant_id, user_id, channel_id),
  foreign key (tenant_id, channel_id) references learning.channels (tenant_id, id) on delete cascade
);

-- Which certificate does a code name?
create unique index if not exists certificates_by_id on learning.certificates (tenant_id, channel_id, certificate_id);
