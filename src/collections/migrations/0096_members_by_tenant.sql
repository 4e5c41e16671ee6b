-- no-transaction
-- after backfill: collections.fill_members
-- The key of the next release beside that of the release before; what was no key is replaced, so that the tenant stands
-- in each index that answers alone.
alter table collections.members drop constraint if exists members_have_tenant;
alter table collections.members add constraint members_have_tenant check (tenant_id is not null) not valid;
alter table collections.members validate constraint members_have_tenant;
drop index concurrently if exists collections.members_tenant_key;
create unique index concurrently members_tenant_key on collections.members (tenant_id, collection_id, user_id);
-- what is this person a member of?
drop index concurrently if exists collections.members_by_person;
create index concurrently members_by_person on collections.members (user_id, tenant_id, collection_id) include (role);
drop index concurrently if exists collections.members_by_user;
-- who administers this one?
drop index concurrently if exists collections.members_leading;
create index concurrently members_leading on collections.members (collection_id, tenant_id) where role = 'admin';
drop index concurrently if exists collections.members_admins;
