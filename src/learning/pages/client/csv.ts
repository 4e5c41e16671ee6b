import { type CsvCell, csvLine } from '#foundation/web/client/csv.ts'

/**
 * Rows as a CSV file for spreadsheets. Has a byte order mark, because Excel detects UTF-8 only by it.
 */
export const toCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  `\uFEFF${rows.map((row) => csvLine(row)).join('')}`
