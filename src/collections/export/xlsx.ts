import type { Readable } from 'node:stream'
import type { Database } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Actor } from '../access.ts'
import { MARKS } from '../values.ts'
import { fitsIntoCell, openWriter, type SheetDesign, type Value } from '../workbook/writer.ts'
import { type Plan, planExport } from './plan.ts'
import { columnsOf, readRows } from './rows.ts'
import type { Scope } from './scope.ts'
import { inSnapshot, requireWhole } from './snapshot.ts'

/** The most rows of both sheets, and columns of each, that the import can read again. */
const MAX_ROWS = 50_000
const MAX_COLUMNS = 256

const ROLES = ['collections', 'items'] as const

type Export = { name: string; stream: Readable }

/**
 * A workbook in the layout of the import. Importing it unchanged changes nothing. Resolves when the first rows can be
 * read; 404, 422 `export_too_large` and 503 `busy` come before. A later error aborts the stream.
 */
export function exportWorkbook(
  db: Database,
  actor: Actor,
  scope: Scope,
  maxRows = MAX_ROWS,
): Promise<Export> {
  const { promise, resolve, reject } = Promise.withResolvers<Export>()
  inSnapshot(db, actor, async (tx) => {
    const plan = await planExport(tx, actor, scope)
    const writer = await openWriter(designsOf(plan, maxRows))
    const { stream } = writer
    resolve({ name: plan.name, stream })
    try {
      for (const [sheet, role] of ROLES.entries())
        for await (const rows of readRows(tx, role, { actor, scope, plan })) {
          if (stream.destroyed) return
          const cells = rows.map((row) => row.map(asCell))
          writer.add(sheet, cells)
        }
      await requireWhole(tx)
      writer.finish()
    } catch (error) {
      stream.destroy(error as Error)
    }
  }).catch(reject)
  return promise
}

function designsOf(plan: Plan, maxRows: number): SheetDesign[] {
  const designs = ROLES.map((role) => ({
    name: role === 'collections' ? 'Collections' : 'Items',
    columns: columnsOf(role, plan),
    empty_rows: 0,
  }))
  if (plan.rows.collections + plan.rows.items > maxRows) throw tooLarge(`${maxRows} rows`)
  if (designs.some(({ columns }) => columns.length > MAX_COLUMNS)) throw tooLarge(`${MAX_COLUMNS} columns`)
  return designs
}

const tooLarge = (what: string) =>
  new ApiError(
    422,
    'export_too_large',
    `A workbook can hold ${what}: use format=csv, which has no such limit`,
  )

/** What no cell can hold is a mark that leaves the field as it stands. */
function asCell(value: Value): Value {
  if (typeof value !== 'string') return value
  return fitsIntoCell(value) ? value : MARKS.keep
}
