-- What an import may vouch for: a tenant's word about an address is kept apart from our proof, an account that others made
-- waits for its owner, and each tenant makes so many new people a day.

-- Whoever a tenant said has a proven address: its file, or its identity provider. Counts for that tenant alone, and for
-- everybody while the tenant has proven the domain; void once the person has another address.
create table sso.email_claims (
  user_id     uuid not null references sso.users on delete cascade,
  tenant_id   uuid not null references sso.tenants on delete cascade,
  email_fold  text not null,
  domain      text not null, -- of the address, as connection_domains spells it
  created_at  timestamptz(3) not null default clock_timestamp(),
  primary key (user_id, tenant_id)
);
create index email_claims_by_tenant -- which claims go with this tenant?
  on sso.email_claims (tenant_id);

insert into sso.email_claims (user_id, tenant_id, email_fold, domain)
select u.user_id, i.tenant_id, u.email_fold, lower(substring(u.email_fold from '[^@]*$'))
  from sso.users u join sso.sites i on i.site_id = u.registration_site_id
 where u.email_verified and u.email_proven_at is null and u.status <> 'deleted';
update sso.users set email_verified = false where email_verified and email_proven_at is null;
alter table sso.users
  add constraint users_verified_is_proven check (not email_verified or email_proven_at is not null);

-- The person registered by themselves, or has proven an address. Until then password, factors and identities may be those
-- of whoever made the account, and go with the first proof. The first admin has no site of registration.
alter table sso.users add column is_claimed boolean not null default false;
update sso.users set is_claimed = true
 where registration_source = 'register' or email_proven_at is not null or registration_site_id is null;

alter table sso.one_time_tokens drop constraint one_time_tokens_purpose_check;
alter table sso.one_time_tokens
  add constraint one_time_tokens_purpose_check
  check (purpose in ('email_verification', 'password_reset', 'invitation', 'address_claim'));

-- How many new people a day the imports of a tenant may make, as an operator set it; null is no limit. Without a row a
-- tenant that somebody founded has the limit of the settings, any other none. A sandbox twin follows its production tenant.
create table sso.import_quotas (
  tenant_id       uuid primary key references sso.tenants on delete cascade,
  people_per_day  int check (people_per_day >= 0),
  set_by          uuid,
  set_at          timestamptz(3) not null default clock_timestamp()
);

-- How many they made, by day (UTC). Erasing people gives nothing back.
create table sso.import_usage (
  tenant_id  uuid not null references sso.tenants on delete cascade,
  day        date not null,
  people     int not null check (people >= 0),
  primary key (tenant_id, day)
);

-- new_people: whom the import made, or would make. A warning is a record that was taken, but not as it stood.
alter table sso.bulk_jobs
  add column new_people int not null default 0,
  add column over_quota_count int not null default 0,
  add column warning_count int not null default 0;
alter table sso.bulk_errors add column is_warning boolean not null default false;
