-- no-transaction
-- which errors, and which warnings, of an import come first? Whoever imports asks every second.
drop index concurrently if exists sso.bulk_errors_by_kind;
create index concurrently bulk_errors_by_kind on sso.bulk_errors (job_id, is_warning, "row", place);
