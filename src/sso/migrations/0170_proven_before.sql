-- Whether the old mailbox had proven the account before the change. If not, the undo removes every way in, because
-- whoever registered the address need not be its reader.
alter table sso.email_changes add column was_clean boolean not null default false;
