import type { Tx } from '#foundation/database.ts'
import type { CollectionRow } from './collections-match.ts'
import type { ItemRow } from './items-match.ts'
import { SHEETS, type StagedCollection, type StagedItem } from './staged.ts'

export const CHUNK = 1_000

/** Where reading on begins: after this level and row. */
export type Cursor = { level: number; row: number }
export const START: Cursor = { level: -1, row: 0 }

type Line = { level: number; row: number; parent_row: number | null; data: string | null }

/**
 * The next rows of sheet Collections in this state, all of one level: those of the level above have ended. There may be
 * none although more follow; undefined when none do.
 */
export async function nextCollections(
  tx: Tx,
  staging_id: string,
  after: Cursor,
  state: 'staged' | 'done' = 'staged',
): Promise<{ rows: CollectionRow[]; cursor: Cursor } | undefined> {
  const lines = await tx<Line[]>`
    select place.level, place.row, place.parent_row, staged.data
      from (select level, row, parent_row from collections.staged_places
             where staging_id = ${staging_id} and (level, row) > (${after.level}::smallint, ${after.row}::int)
             order by level, row limit ${CHUNK}) as place
      left join lateral (
        select data from collections.staged_rows
         where staging_id = ${staging_id} and sheet = ${SHEETS.collections} and row = place.row and state = ${state}) as staged
        on true
     order by place.level, place.row`
  const [first] = lines
  if (!first) return undefined
  const some = lines.filter(({ level }) => level === first.level)
  return {
    rows: some.flatMap(({ row, parent_row, data }) =>
      data === null ? [] : { row, parent_row, data: JSON.parse(data) as StagedCollection },
    ),
    cursor: { level: first.level, row: some.at(-1)?.row ?? after.row },
  }
}

/** The next rows of sheet Items. */
export async function nextItems(
  tx: Tx,
  staging_id: string,
  after: Cursor,
): Promise<{ rows: ItemRow[]; cursor: Cursor } | undefined> {
  const lines = await tx<{ row: number; data: string }[]>`
    select row, data from collections.staged_rows
     where staging_id = ${staging_id} and sheet = ${SHEETS.items} and row > ${after.row} and state = 'staged'
     order by row limit ${CHUNK}`
  if (lines.length === 0) return undefined
  return {
    rows: lines.map(({ row, data }) => ({ row, data: JSON.parse(data) as StagedItem })),
    cursor: { level: 0, row: lines.at(-1)?.row ?? after.row },
  }
}
