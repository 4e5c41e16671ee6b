-- A site can require a second factor of its ADMINs or of everybody who signs in there.

alter table sso.sites
  add column require_mfa text not null default 'none' check (require_mfa in ('none', 'admins', 'all'));

-- A site's own back end acts without a person (RFC 6749, 4.4): with the scopes its ADMIN gave its client.

-- A client may be for the back end alone. client_session is what its tokens are bound to; a new one ends them all.
alter table sso.openid_clients
  drop constraint openid_clients_redirect_uris_check,
  add column scopes text[] not null default '{}',
  add column client_session uuid not null default gen_random_uuid(),
  add constraint openid_clients_redirect_uris_check check (cardinality(redirect_uris) <= 20),
  add constraint openid_clients_of_some_use check (cardinality(redirect_uris) > 0 or cardinality(scopes) > 0);
create unique index openid_clients_by_session -- whose back end holds this token?
  on sso.openid_clients (client_session);
