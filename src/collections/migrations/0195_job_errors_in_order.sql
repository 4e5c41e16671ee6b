-- no-transaction
-- which errors of an import come first? Whoever imports asks every second.
drop index concurrently if exists collections.job_errors_in_order;
create index concurrently job_errors_in_order on collections.job_errors
  (job_id, level, coalesce(array_position(array['Collections', 'Items'], initcap(sheet)), 3), sheet, coalesce("row", -1), seq);
