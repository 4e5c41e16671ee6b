-- A production site may wait for an operator's approval, and proves its domain before anybody is told that it is its own.
-- created_by counts the sites a person registered, over all tenants.
alter table sso.sites add column if not exists status text not null default 'active' check (status in ('active', 'pending'));
alter table sso.sites add column if not exists domain_verified_at timestamptz(3);
alter table sso.sites add column created_by uuid;

update sso.sites i set created_by = coalesce(
  (select m.user_id from sso.memberships m
    where m.site_id = i.site_id and m.role = 'ADMIN' and m.assigned_by = m.user_id
    order by m.joined_at, m.user_id limit 1),
  (select t.created_by from sso.tenants t where t.tenant_id = i.tenant_id))
 where not i.is_first_party;

create index sites_by_founder -- how many sites did this person register?
  on sso.sites (created_by) where created_by is not null and deleted_at is null;
create index sites_pending -- which sites wait for an operator?
  on sso.sites (created_at, site_id) where status = 'pending' and deleted_at is null;
