-- no-transaction
-- Operators and ADMINs look through all messages, newest first, and send failed ones again.
alter table sso.messages add column if not exists resent_as uuid; -- the message that took the place of this failed one

drop index concurrently if exists sso.messages_by_recipient;
create index concurrently messages_by_recipient -- did the mail to this address leave?
  on sso.messages (lower(recipient), message_id);
drop index concurrently if exists sso.messages_by_site;
create index concurrently messages_by_site -- what was sent for this site?
  on sso.messages (site_id, message_id);
drop index concurrently if exists sso.messages_failed;
create index concurrently messages_failed -- what never left?
  on sso.messages (message_id) where status = 'failed';
