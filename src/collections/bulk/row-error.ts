import { type Static, Type } from 'typebox'
import { Nullable, OneOf } from '#foundation/http/schemas.ts'

/** Shared by the reader, the writer and the API schema. */
export const ERROR_CODES = [
  'required',
  'too_long',
  'invalid_type',
  'invalid_value',
  'invalid_metadata',
  'ambiguous_metadata',
  'cell_error',
  'invalid_date',
  'precision_lost',
  'unreadable_text',
  'malformed_quotes',
  'not_found',
  'ambiguous_key',
  'ambiguous_path',
  'duplicate_key',
  'duplicate_key_in_file',
  'path_not_found',
  'cycle',
  'too_deep',
  'too_many_children',
  'too_large',
  'last_admin',
  'parent_failed',
  'collection_failed',
  'forbidden',
  'delete_not_allowed',
  'has_children',
  'not_applied',
] as const
export const WARNING_CODES = [
  'no_key',
  'example_skipped',
  'unknown_header',
  'no_header',
  'formula_without_value',
  'hidden_sheet',
  'hidden_rows',
  'merged_cells',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]
export type WarningCode = (typeof WARNING_CODES)[number]

export type RowError = Static<typeof RowError>
export const RowError = Type.Object({
  level: OneOf(['error', 'warning']),
  sheet: Type.String(),
  row: Nullable(Type.Integer(), { description: 'The number a spreadsheet program shows' }),
  column: Nullable(Type.String(), { description: 'Its letters' }),
  header: Nullable(Type.String()),
  code: OneOf([...ERROR_CODES, ...WARNING_CODES]),
  message: Type.String(),
  value: Nullable(Type.String(), { description: 'The first 100 characters of the cell' }),
})

/**
 * The number of row errors kept per level and job; the job's counters stay exact. Errors: as many as a workbook holds
 * rows (export), because each refused row is handed back to be corrected.
 */
export const KEPT = { error: 50_000, warning: 1_000 } as const
const SHOWN = 100

/** Replaces what PostgreSQL cannot store: NUL and unpaired surrogates. */
export const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** The part of a cell's text that an error shows. */
export const shownValue = (text: string | undefined): string | null =>
  text === undefined || text === '' ? null : storable(text.slice(0, SHOWN))

/** Why a row cannot be applied, and which of its cells says so. */
export type RowFault = { code: ErrorCode; header: string; message: string; value?: string }

export const isRowFault = (plan: object): plan is RowFault => 'code' in plan && 'header' in plan
