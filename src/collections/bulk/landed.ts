import type { Pool, Tx } from '#foundation/database/database.ts'
import type { RowFault } from './row-error.ts'
import type { SheetNumber } from './staged.ts'

/** The collection or item that a row became or changed; null where it was refused, or nobody else can mean it. */
export type Ended = { row: number; target_id: string | null }

/** What has become of the rows that were applied. In memory, because every chunk asks for most of it. */
export type Landed = Awaited<ReturnType<typeof createLanded>>

/** Leave `job_id` out for a run that always starts from the beginning. */
export async function createLanded(pool: Pool, job_id?: string) {
  const targets: Record<SheetNumber, Map<number, string | null>> = { 1: new Map(), 2: new Map() }
  const rows: Record<SheetNumber, Map<string, number>> = { 1: new Map(), 2: new Map() }
  const add = (sheet: SheetNumber, ended: Ended[]) => {
    for (const { row, target_id } of ended) {
      targets[sheet].set(row, target_id)
      if (target_id !== null) rows[sheet].set(target_id, row)
    }
  }
  if (job_id !== undefined)
    for (const chunk of await pool<{ sheet: SheetNumber; rows: number[]; targets: (string | null)[] }[]>`
      select sheet, rows, targets from collections.job_chunks where job_id = ${job_id} order by seq`)
      add(
        chunk.sheet,
        chunk.rows.map((row, place) => ({ row, target_id: chunk.targets[place] ?? null })),
      )
  return {
    add,
    has: (sheet: SheetNumber, row: number) => targets[sheet].has(row),
    /** The collection that a row of sheet Collections became. */
    collectionOf: (row: number) => targets[1].get(row) ?? undefined,
    /** The row that became this collection or item. */
    rowOf: (sheet: SheetNumber, id: string) => rows[sheet].get(id),
  }
}

/** Notes which rows have landed, with what they changed. */
export async function noteChunk(tx: Tx, job_id: string, sheet: SheetNumber, ended: Ended[]) {
  await tx`
    insert into collections.job_chunks (job_id, sheet, rows, targets)
    values (${job_id}, ${sheet}, ${ended.map(({ row }) => row)}::int[],
            ${ended.map(({ target_id }) => target_id)}::uuid[])`
}

/** Refuses a row that has the same target as an earlier row of the file, for example one by id and one by key. */
export function refuseDoubles<Row extends { row: number; data: { id?: string; key?: string | null } }>(
  landed: Landed,
  sheet: SheetNumber,
  rows: readonly Row[],
  {
    targetOf,
    refuse,
  }: { targetOf: (row: number) => string | undefined; refuse: (row: number, fault: RowFault) => void },
) {
  const what = sheet === 1 ? 'collection' : 'item'
  const taken = new Map<string, number>()
  for (const { row, data } of rows) {
    const id = targetOf(row)
    if (id === undefined) continue
    const other = landed.rowOf(sheet, id) ?? taken.get(id)
    if (other === undefined) taken.set(id, row)
    else
      refuse(row, {
        code: 'duplicate_key_in_file',
        header: data.id === undefined ? `${what}_key` : `${what}_id`,
        message: `means the same ${what} as row ${other}`,
        ...((data.id ?? data.key) && { value: data.id ?? data.key ?? '' }),
      })
  }
}
