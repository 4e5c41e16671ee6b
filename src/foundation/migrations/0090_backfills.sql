-- Changes of whole tables run in batches beside requests (docs/decisions/upgrades.md). A migration names a step, which is
-- a function (after text, most int, out last text, out changed bigint): it changes at most so many rows beyond the key
-- `after`, from the first if that is null, and returns the key of the last of them, null when there are no more.
create table foundation.backfills (
  step         text primary key,
  expected     bigint not null,
  after        text,
  changed      bigint not null default 0,
  started_at   timestamptz(3) not null default clock_timestamp(),
  finished_at  timestamptz(3)
);

-- One batch of the oldest step that nobody works on, or of this one. No row: there is none. The lock ends with the
-- transaction, as do the rows that were changed, so a process that dies leaves nothing half done.
create function foundation.backfill(most int, only_step text default null)
  returns table (step text, is_done boolean) language plpgsql as $$
declare
  one foundation.backfills;
  last text;
  more bigint;
begin
  select * into one from foundation.backfills b
   where b.finished_at is null and (only_step is null or b.step = only_step)
   order by b.started_at, b.step limit 1 for update skip locked;
  if not found then return; end if;
  execute format('select last, changed from %s($1, $2)', one.step) into last, more using one.after, most;
  update foundation.backfills b
     set after = coalesce(last, b.after), changed = b.changed + more,
         finished_at = case when last is null then clock_timestamp() end
   where b.step = one.step;
  return query select one.step, last is null;
end $$;
