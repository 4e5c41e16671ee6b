-- A claim changes no indexed column. With half of each page free it stays in its page, and no index gets an entry for it.
alter table sso.webhook_deliveries set (fillfactor = 50);
