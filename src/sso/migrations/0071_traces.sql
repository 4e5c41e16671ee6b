-- The trace (W3C Trace Context) of the change that a delivery tells; null while traces are off.
alter table sso.webhook_deliveries add column trace text;
