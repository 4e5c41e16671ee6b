import type postgres from 'postgres'
import type { Tx } from '#foundation/database/database.ts'
import { KEPT_PER_LEVEL, type RowError } from './row-error.ts'

/** So many bytes of cells are kept of a job: more could not be put into a workbook of errors at once. */
const KEPT_CELLS = 16 * 2 ** 20

/**
 * Keeps row errors up to 1,000 of a level, with the first one of a row its cells; `kept` is how many there are already. A
 * row may be as large as a workbook and have an error in each cell, so the cells stop before they are too many.
 */
export async function keepErrors(
  tx: Tx,
  job_id: string,
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
        on found.has_cells and staged.job_id = ${job_id} and staged.row = found.row
       and staged.sheet = case when exists (
             select from jsonb_array_elements(job.layout) as layout(one)
              where one ->> 'sheet' = found.sheet and one ->> 'role' = 'collections') then 1 else 2 end
     order by found.place`
}
