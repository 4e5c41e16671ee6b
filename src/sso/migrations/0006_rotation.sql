-- Rotation of the signing keys. A standby is always in store, published before it signs; activates_at is when an operator
-- wants it to. A key that has left keeps its row as a record, but not its private part.
alter table sso.signing_keys
  add column activates_at timestamptz(3),
  add column revoked_at timestamptz(3),
  alter column private_enc drop not null,
  drop constraint signing_keys_active_since;
update sso.signing_keys set revoked_at = clock_timestamp(), private_enc = null where state = 'revoked';
alter table sso.signing_keys
  add constraint signing_keys_active_since check (state in ('standby', 'revoked') or activated_at is not null),
  add constraint signing_keys_retiring_since check (state <> 'retiring' or retiring_at is not null),
  add constraint signing_keys_private_until_revoked check ((state = 'revoked') = (private_enc is null)),
  add constraint signing_keys_revoked_since check ((state = 'revoked') = (revoked_at is not null));
create unique index signing_keys_one_standby -- which key signs next?
  on sso.signing_keys (environment, purpose) where state = 'standby';
