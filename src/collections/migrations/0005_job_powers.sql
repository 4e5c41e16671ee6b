-- An import acts with the power of the token it was uploaded with. Without this column it took the strongest role that its
-- sender had anywhere in the tenant. Imports that are under way go on with the rights of a member.
alter table collections.jobs add column is_site_admin boolean not null default false;
