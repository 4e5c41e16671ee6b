import type { Database, Tx } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Actor } from '../access.ts'
import { fitsIntoCell, openWriter, type Value, type Writer } from '../workbook/writer.ts'
import { type Plan, planExport } from './plan.ts'
import { columnsOf, readRows } from './rows.ts'
import type { Scope } from './scope.ts'
import { inSnapshot } from './snapshot.ts'

/** The most rows of both sheets, and columns of each, that the import can read again. */
const MAX_ROWS = 50_000
const MAX_COLUMNS = 256

const ROLES = ['collections', 'items'] as const

/**
 * A workbook in the layout of the import. Importing it unchanged changes nothing. 404, 422 `export_too_large`, 503
 * `busy`.
 */
export async function exportWorkbook(
  db: Database,
  actor: Actor,
  scope: Scope,
  maxRows = MAX_ROWS,
): Promise<{ name: string; bytes: Buffer }> {
  const { plan, writer } = await inSnapshot(db, actor, (tx) => fillWorkbook(tx, actor, scope, maxRows))
  return { name: plan.name, bytes: await writer.finish() }
}

async function fillWorkbook(
  tx: Tx,
  actor: Actor,
  scope: Scope,
  maxRows: number,
): Promise<{ plan: Plan; writer: Writer }> {
  const plan = await planExport(tx, actor, scope)
  const designs = ROLES.map((role) => ({
    name: role === 'collections' ? 'Collections' : 'Items',
    columns: columnsOf(role, plan),
    empty_rows: 0,
  }))
  if (plan.rows.collections + plan.rows.items > maxRows) throw tooLarge(`${maxRows} rows`)
  if (designs.some(({ columns }) => columns.length > MAX_COLUMNS)) throw tooLarge(`${MAX_COLUMNS} columns`)
  const writer = await openWriter(designs)
  try {
    for (const [sheet, role] of ROLES.entries())
      for await (const rows of readRows(tx, role, { actor, scope, plan }))
        writer.add(
          sheet,
          rows.map((row) => row.map(asCell)),
        )
    return { plan, writer }
  } catch (error) {
    await writer.drop()
    throw error
  }
}

const tooLarge = (what: string) =>
  new ApiError(
    422,
    'export_too_large',
    `A workbook can hold ${what}: use format=csv, which has no such limit`,
  )

/**
 * A text that would not read back the same becomes an empty cell, which the import leaves as it is. A literal
 * `#CLEAR` is escaped the way the import expects.
 */
function asCell(value: Value): Value {
  if (typeof value !== 'string') return value
  if (value === '' || !fitsIntoCell(value)) return null
  return /^\\*#CLEAR$/.test(value) ? `\\${value}` : value
}
