import type { Tx } from '#foundation/database/database.ts'
import { MAX_COVERED } from '../tree/refusal.ts'
import type { CollectionRow } from './collections-match.ts'
import type { ItemRow } from './items-match.ts'
import { SHEETS, type StagedCollection, type StagedItem } from './staged.ts'
import type { Task } from './task.ts'

const CHUNK = 1_000

/** The position after which reading continues. */
export type Cursor = { level: number; row: number }
export const START: Cursor = { level: -1, row: 0 }

type Reading = Pick<Task, 'job_id' | 'landed'>

/**
 * The next rows of sheet Collections, all of one level, after the level above is complete. May return no rows
 * although more follow; undefined means none follow.
 */
export async function nextCollections(
  tx: Tx,
  { job_id, landed }: Reading,
  after: Cursor,
): Promise<{ rows: CollectionRow[]; cursor: Cursor } | undefined> {
  type Line = { level: number; row: number; parent_row: number | null; data: string | null }
  const lines = await tx<Line[]>`
    select place.level, place.row, place.parent_row, staged.data
      from (select level, row, parent_row from collections.staged_places
             where job_id = ${job_id} and (level, row) > (${after.level}::smallint, ${after.row}::int)
             order by level, row limit ${CHUNK}) as place
      left join collections.staged_rows as staged
        on staged.job_id = ${job_id} and staged.sheet = ${SHEETS.collections} and staged.row = place.row
     order by place.level, place.row`
  const [first] = lines
  if (!first) return undefined
  const some = lines.filter(({ level }) => level === first.level)
  const rows = some.flatMap(({ row, parent_row, data }) =>
    data === null || landed.has(SHEETS.collections, row)
      ? []
      : { row, parent_row, data: JSON.parse(data) as StagedCollection },
  )
  return { rows, cursor: { level: first.level, row: some.at(-1)?.row ?? after.row } }
}

/** The next rows of sheet Collections that delete one: as many as one deletion may cover. They have no place. */
export async function nextDeletions(
  tx: Tx,
  { job_id, landed }: Reading,
  after: Cursor,
): Promise<{ rows: CollectionRow[]; cursor: Cursor } | undefined> {
  const lines = await tx<{ row: number; data: string }[]>`
    select row, data from collections.staged_rows
     where job_id = ${job_id} and sheet = ${SHEETS.collections} and row > ${after.row}
       and data::jsonb ->> 'action' = 'delete'
     order by row limit ${MAX_COVERED}`
  const last = lines.at(-1)
  if (!last) return undefined
  const rows = lines
    .filter(({ row }) => !landed.has(SHEETS.collections, row))
    .map(({ row, data }) => ({ row, parent_row: null, data: JSON.parse(data) as StagedCollection }))
  return { rows, cursor: { level: 0, row: last.row } }
}

/** The next rows of sheet Items, like nextCollections. */
export async function nextItems(
  tx: Tx,
  { job_id, landed }: Reading,
  after: Cursor,
): Promise<{ rows: ItemRow[]; cursor: Cursor } | undefined> {
  const lines = await tx<{ row: number; data: string }[]>`
    select row, data from collections.staged_rows
     where job_id = ${job_id} and sheet = ${SHEETS.items} and row > ${after.row} and data is not null
     order by row limit ${CHUNK}`
  const last = lines.at(-1)
  if (!last) return undefined
  const rows = lines.filter(({ row }) => !landed.has(SHEETS.items, row))
  return {
    rows: rows.map(({ row, data }) => ({ row, data: JSON.parse(data) as StagedItem })),
    cursor: { level: 0, row: last.row },
  }
}
