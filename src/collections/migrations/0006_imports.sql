-- Workbooks run on the common engine (foundation/imports), whose columns have the same names in each service. Staged rows are
-- only read: what has become of each row stands in job_chunks, which a crash of the database does not empty.
alter table collections.job_files rename column part to place;
alter table collections.job_files rename column bytes to content;
alter table collections.jobs rename column is_enqueued to is_due;
alter table collections.jobs add column cancel_requested_at timestamptz(3);
update collections.jobs set cancel_requested_at = clock_timestamp() where cancel_requested;

-- targets: the collection or item that the row of the same place became or changed; null where it was refused or made an item.
alter table collections.job_chunks add column targets uuid[];
update collections.job_chunks as chunk
   set rows = chunk.rows || chunk.failed,
       targets = array(
         select staged.target_id
           from unnest(chunk.rows || chunk.failed) with ordinality as listed(row, place)
           left join collections.staged_rows as staged
             on staged.staging_id = (select staging_id from collections.jobs as job where job.job_id = chunk.job_id)
            and staged.sheet = chunk.sheet and staged.row = listed.row
          order by listed.place);
alter table collections.job_chunks alter column targets set not null, drop column failed;

update collections.jobs set staged_rows = null where finished_at is null;
alter table collections.jobs drop column cancel_requested, drop column staging_id;

-- sheet 1 is Collections, 2 Items; data, null for a row that was refused, and cells are JSON text.
drop table collections.staged_rows, collections.staged_places;
create unlogged table collections.staged_rows (
  job_id  uuid not null,
  sheet   smallint not null,
  row     int not null,
  data    text,
  cells   text not null,
  primary key (job_id, sheet, row)
);
create unlogged table collections.staged_places (
  job_id      uuid not null,
  level       smallint not null,
  row         int not null,
  parent_row  int,
  primary key (job_id, level, row)
);
