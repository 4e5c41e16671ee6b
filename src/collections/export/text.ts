import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Database, Tx } from '#foundation/database/database.ts'
import type { Actor } from '../access.ts'
import { recordOf } from '#foundation/web/client/csv.ts'
import { marked } from '../workbook/csv-marks.ts'
import type { Value } from '../workbook/writer.ts'
import { type Plan, planExport, type SheetRole } from './plan.ts'
import { readObjects } from './objects.ts'
import { columnsOf, readRows, type RowsOptions } from './rows.ts'
import type { Scope } from './scope.ts'
import { inSnapshot, requireWhole } from './snapshot.ts'

/**
 * Slow readers are cut off, because an export holds a database connection: after 30 s without progress or 10 min in
 * all.
 */
const STALL_MS = 30_000
const WHOLE_MS = 10 * 60_000

/** The byte order mark: without it, spreadsheet programs read UTF-8 as the computer's local code page. */
const MARK = '\uFEFF'

export type TextFormat = 'csv' | 'jsonl'
export type TextExport = { actor: Actor; scope: Scope; sheet: SheetRole; format: TextFormat }

/**
 * One sheet as CSV (RFC 4180) or as JSON Lines, of any length. Resolves when the first rows can be read; 404 and 503 come before. A
 * later error aborts the stream.
 */
export function exportText(db: Database, options: TextExport): Promise<{ name: string; stream: Readable }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ name: string; stream: Readable }>()
  const stream = new PassThrough()
  // Before the stream is sent it has no listener, and an unhandled stream error would end the process.
  stream.on('error', reject)
  const deadline = setTimeout(() => stream.destroy(new Error('the reader is too slow')), WHOLE_MS)
  inSnapshot(db, options.actor, async (tx) => {
    const plan = await planExport(tx, options.actor, options.scope)
    resolve({ name: plan.name, stream })
    await pipeline(Readable.from(lines(tx, plan, options, stream)), stream)
  })
    .catch((error: unknown) => stream.destroy(error as Error))
    .finally(() => clearTimeout(deadline))
  return promise
}

async function* lines(tx: Tx, plan: Plan, { actor, scope, sheet, format }: TextExport, stream: PassThrough) {
  const options = { actor, scope, plan, targets: ALL }
  if (format === 'csv') yield MARK + lineOf(columnsOf(sheet, plan).map(({ header }) => header))
  const batches = format === 'csv' ? csvBatches(tx, sheet, options) : jsonBatches(tx, sheet, options)
  for await (const batch of batches) {
    const stalled = setTimeout(() => stream.destroy(new Error('the reader takes nothing')), STALL_MS)
    try {
      yield batch
    } finally {
      clearTimeout(stalled)
    }
  }
  await requireWhole(tx)
}

async function* csvBatches(tx: Tx, sheet: SheetRole, options: RowsOptions) {
  for await (const rows of readRows(tx, sheet, options)) yield rows.map(lineOf).join('')
}

async function* jsonBatches(tx: Tx, sheet: SheetRole, options: RowsOptions) {
  for await (const rows of readObjects(tx, sheet, options))
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** A text is for reading elsewhere too, so the limits of the import do not apply. */
const ALL = 2 ** 31 - 1

const lineOf = (values: readonly Value[]) =>
  recordOf(values.map((value) => (typeof value === 'string' ? marked(value) : value)))
