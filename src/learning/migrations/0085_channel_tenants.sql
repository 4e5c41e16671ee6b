-- no-transaction
-- Every key of learning begins with the tenant, so that its tables can be distributed by tenant (docs/scaling.md). Only
-- the public feed knows a channel without its tenant. Each statement by itself, so that no write waits while all channels
-- are read.
create table if not exists learning.channel_tenants ( -- whose channel is this? A reference table: no foreign key can lead from it
  channel_id uuid primary key,
  tenant_id  text not null
);

-- The release before this one makes channels without this row while nodes are exchanged. The next release drops it.
create or replace function learning.channels_made() returns trigger language plpgsql as $$
begin
  insert into learning.channel_tenants (channel_id, tenant_id) select id, tenant_id from made on conflict do nothing;
  return null;
end $$;
create or replace trigger channels_made after insert on learning.channels
  referencing new table as made for each statement execute function learning.channels_made();

insert into learning.channel_tenants (channel_id, tenant_id) select id, tenant_id from learning.channels
  on conflict do nothing;
