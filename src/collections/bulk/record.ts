import type postgres from 'postgres'
import type { Tx } from '#foundation/database.ts'
import type { Attempt } from './attempt.ts'
import type { Chunk } from './apply.ts'
import { KEPT_PER_LEVEL, type RowError } from './row-error.ts'
import type { SheetNumber } from './staged.ts'

/** So many bytes of cells are kept of a job: more could not be put into a workbook of errors at once. */
const KEPT_CELLS = 16 * 2 ** 20

/**
 * Keeps row errors up to 1,000 of a level, with the first one of a row its cells; `kept` is how many there are already. A
 * row may be as large as a workbook and have an error in each cell, so the cells stop before they are too many.
 */
export async function keepErrors(
  tx: Tx,
  { job_id, staging_id }: { job_id: string; staging_id: string | null },
  origin: 'reading' | 'applying',
  errors: readonly RowError[],
  kept: { errors: number; warnings: number },
): Promise<void> {
  const room = { error: KEPT_PER_LEVEL - kept.errors, warning: KEPT_PER_LEVEL - kept.warnings }
  const rows = new Set<string>()
  const some = errors
    .filter(({ level }) => room[level]-- > 0)
    .map((one) => {
      const [place, seen] = [`${one.row} ${one.sheet}`, rows.size]
      return { ...one, has_cells: one.level === 'error' && rows.add(place).size > seen }
    })
  if (some.length === 0) return
  await tx`
    insert into collections.job_errors (job_id, level, origin, sheet, row, "column", header, code, message, value, cells)
    select ${job_id}, level, ${origin}, found.sheet, found.row, "column", header, code, message, value,
           case when ${KEPT_CELLS} >= sum(octet_length(staged.cells)) over (order by found.place)
                     + (select coalesce(sum(octet_length(cells)), 0) from collections.job_errors where job_id = ${job_id})
                then staged.cells end
      from rows from (jsonb_to_recordset(${tx.json(some as unknown as postgres.JSONValue)}) as (
             level text, sheet text, row int, "column" text, header text, code text, message text, value text, has_cells boolean))
             with ordinality as found(level, sheet, row, "column", header, code, message, value, has_cells, place)
      left join collections.jobs as job on job.job_id = ${job_id}
      left join collections.staged_rows as staged
        on found.has_cells and staged.staging_id = ${staging_id} and staged.row = found.row
       and staged.sheet = case when exists (
             select from jsonb_array_elements(job.layout) as layout(one)
              where one ->> 'sheet' = found.sheet and one ->> 'role' = 'collections') then 1 else 2 end
     order by found.place`
}

/** Notes at the staged rows what has become of them. */
export async function markRows(
  tx: Tx,
  staging_id: string,
  sheet: SheetNumber,
  ended: Chunk['ended'],
): Promise<void> {
  await tx`
    update collections.staged_rows as staged
       set state = ended.state, target_id = ended.target_id
      from unnest(${ended.map(({ row }) => row)}::int[], ${ended.map(({ state }) => state)}::text[],
                  ${ended.map(({ target_id }) => target_id)}::uuid[]) as ended(row, state, target_id)
     where staged.staging_id = ${staging_id} and staged.sheet = ${sheet} and staged.row = ended.row`
}

/**
 * Notes at the staged rows what the chunks that are committed did to them: rows of items are not noted one by one, because
 * an attempt that goes on knows where it is. For one that begins.
 */
export async function markLanded(tx: Tx, job_id: string, staging_id: string): Promise<void> {
  await tx`
    update collections.staged_rows as staged set state = landed.state
      from (select sheet, unnest(rows) as row, 'done' as state from collections.job_chunks where job_id = ${job_id}
            union all
            select sheet, unnest(failed), 'failed' from collections.job_chunks where job_id = ${job_id}) as landed
     where staged.staging_id = ${staging_id} and staged.sheet = landed.sheet and staged.row = landed.row
       and staged.state = 'staged'`
}

/** Notes which rows have landed, with what they changed. */
export async function noteChunk(
  tx: Tx,
  { job_id }: Attempt,
  sheet: SheetNumber,
  ended: Chunk['ended'],
): Promise<void> {
  const rowsOf = (state: 'done' | 'failed') =>
    ended.filter((one) => one.state === state).map(({ row }) => row)
  await tx`
    insert into collections.job_chunks (job_id, sheet, rows, failed)
    values (${job_id}, ${sheet}, ${rowsOf('done')}::int[], ${rowsOf('failed')}::int[])`
}
