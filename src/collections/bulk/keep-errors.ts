import type postgres from 'postgres'
import type { Tx } from '#foundation/database/database.ts'
import { KEPT, type RowError } from './row-error.ts'

/** The most bytes of cells kept per job. More could not be written into one errors workbook at once. */
const KEPT_CELLS = 16 * 2 ** 20

/**
 * Keeps the first row errors of each level; `kept` counts those already stored. The first error of a row keeps its
 * cells. A row may be as large as a workbook with an error in each cell, so cells have a byte limit of their own.
 */
export async function keepErrors(
  tx: Tx,
  job_id: string,
  origin: 'reading' | 'applying',
  errors: readonly RowError[],
  kept: { errors: number; warnings: number },
): Promise<void> {
  const room = { error: KEPT.error - kept.errors, warning: KEPT.warning - kept.warnings }
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
