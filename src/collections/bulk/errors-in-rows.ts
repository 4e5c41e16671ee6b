import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { Nullable } from '#foundation/http/schemas.ts'
import type { CursorPage } from '#foundation/http/paging.ts'
import type { Actor } from '../access.ts'
import { columnName } from '../workbook/reader.ts'
import { isMine } from './job.ts'
import type { Layout } from './layout.ts'
import type { RawCell } from './refused-again.ts'
import { RowError, shownValue } from './row-error.ts'

const RowCell = Type.Object({ column: Type.String(), header: Type.String(), text: Type.String() })

/** A row error, with `include=row` beside the row as it was sent. */
export type ErrorInRow = Static<typeof ErrorInRow>
export const ErrorInRow = Type.Object({
  ...RowError.properties,
  cells: Type.Optional(
    Nullable(Type.Array(RowCell), {
      description:
        'With include=row, at the first error of each row of a page: its cells that are not blank, the first 100 characters of each. null where they were too much to keep',
    }),
  ),
})

type Kept = { sheet: string; row: number; cells: string; layout: Layout[] | null }

/** Adds each refused row once, to its first error of the page. Warnings keep no cells. */
export async function withRows(
  db: Database,
  actor: Actor,
  job_id: string,
  found: CursorPage<RowError>,
): Promise<CursorPage<ErrorInRow>> {
  const sql = db.pool
  const errors = found.items.filter(({ level, row }) => level === 'error' && row !== null)
  const kept = await sql<Kept[]>`
    select distinct on (kept.sheet, kept.row) kept.sheet, kept.row, kept.cells, job.layout
      from unnest(${errors.map(({ sheet }) => sheet)}::text[], ${errors.map(({ row }) => row)}::int[]) as shown(sheet, row)
      join collections.job_errors as kept
        on kept.job_id = ${job_id} and kept.level = 'error' and kept.sheet = shown.sheet and kept.row = shown.row
       and kept.cells is not null and kept.cells <> '[]'
      join collections.jobs as job on job.job_id = kept.job_id and ${isMine(sql, actor)}
     order by kept.sheet, kept.row, kept.seq`
  const rows = new Map(kept.map((one) => [placeOf(one), one]))
  const seen = new Set<string>()
  const items = found.items.map((one): ErrorInRow => {
    const place = placeOf(one)
    if (one.level !== 'error' || one.row === null || seen.has(place)) return one
    seen.add(place)
    return { ...one, cells: cellsOf(rows.get(place), one.sheet) }
  })
  return { ...found, items }
}

const placeOf = ({ sheet, row }: { sheet: string; row: number | null }) => `${row} ${sheet}`

function cellsOf(kept: Kept | undefined, sheet: string): Static<typeof RowCell>[] | null {
  if (!kept) return null
  const headers = kept.layout?.find((one) => one.sheet === sheet)?.headers ?? []
  return (JSON.parse(kept.cells) as RawCell[]).flatMap((cell, index) => {
    const text = shownValue(textOf(cell))
    return text === null ? [] : { column: columnName(index + 1), header: headers[index] ?? '', text }
  })
}

function textOf(cell: RawCell): string {
  if (typeof cell !== 'object' || cell === null) return String(cell ?? '')
  return 'error' in cell ? cell.error : String(cell.date)
}
