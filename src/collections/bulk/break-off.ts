import { one, type Tx } from '#foundation/database/database.ts'
import { writeEnd } from './imports.ts'
import { addTally, noTally } from './job.ts'
import { keepErrors } from './keep-errors.ts'
import type { Layout } from './layout.ts'
import type { Options } from './options.ts'
import type { RowError } from './row-error.ts'
import { SHEETS, type SheetNumber } from './staged.ts'
import { countsOf } from './task.ts'

const INTERRUPTED = {
  code: 'interrupted',
  detail: 'The import broke off three times; send the file again to bring in the rest',
}

/** Ends a job after its last failed attempt. Applied rows stay; the rest are counted as failed. */
export async function breakOff(tx: Tx, job_id: string): Promise<void> {
  type Row = { options: Options; layout: Layout[] | null; has_landed: boolean }
  const { options, layout, has_landed } = one(
    await tx<Row[]>`
      select options, layout, exists (select from collections.job_chunks where job_id = ${job_id}) as has_landed
        from collections.jobs where job_id = ${job_id}`,
  )
  if (options.dry_run || options.mode === 'atomic' || !has_landed)
    return writeEnd(tx, job_id, 'failed', INTERRUPTED)
  const left = await tx<{ sheet: SheetNumber; row: number }[]>`
    select sheet, row from collections.staged_rows where job_id = ${job_id} and data is not null
    except
    select sheet, unnest(rows) from collections.job_chunks where job_id = ${job_id}
     order by sheet, row`
  const tally = { ...noTally(), errors: left.length }
  const errors = left.map(({ sheet, row }): RowError => {
    tally[sheet === SHEETS.collections ? 'collections_failed' : 'items_failed']++
    return {
      level: 'error',
      sheet: layout?.find(({ role }) => SHEETS[role] === sheet)?.sheet ?? '',
      row,
      column: null,
      header: null,
      code: 'not_applied',
      message: 'The import broke off before this row',
      value: null,
    }
  })
  const { counts, kept } = await countsOf(tx, job_id)
  await keepErrors(tx, job_id, 'applying', errors, kept)
  await tx`
    update collections.jobs set counts = ${tx.json(addTally(counts, tally))} where job_id = ${job_id}`
  return writeEnd(tx, job_id, 'completed_with_errors', INTERRUPTED)
}
