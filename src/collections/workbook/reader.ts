/**
 * The door to reading .xlsx, .ods and .csv files; whoever imports rows knows this file only.
 *
 * `precheck(path or bytes, isData?, isWhole?, csv?)` answers before the 202, in a thread (bulk/planning.ts): it walks the central directory, reads content types,
 *   relationships, the workbook part and the first rows of each sheet. It throws ApiErrors with the codes of a file
 *   that is refused (415 legacy_xls, not_xlsx; 413 file_too_large; 422 encrypted, unreadable_workbook, unsafe_archive,
 *   doctype_refused, workbook_too_large, invalid_encoding, malformed_csv, sheet_name_too_long, bad_row_numbers, too_many_columns). What the headers must be called is not its
 *   matter (missing_sheets, header_not_found, missing_header, header_too_long, duplicate_header, unknown_header).
 *
 * `parseInWorker(bytes, { sheets, onRows, mapper?, signal?, limits? })` reads the sheets named (as precheck spelled
 *   them), one after the other in the order named, in a worker thread, and hands over batches of some hundred rows. The
 *   next batch but one is read after the promise of `onRows` is kept. It resolves with the facts, or rejects with an
 *   ApiError of a file (also merged_header, too_many_rows, parse_timeout, parser_failed), with what `onRows` threw, or
 *   with `signal.reason`. When it settles, the thread has ended.
 *
 * `mapper: { module: import.meta.resolve('./mapper.ts'), options }` does work in that thread, where it costs the server
 *   nothing: the module exports `createMapper(options): Mapper` (below). What its `rows` and `end` answer goes to
 *   `onRows` instead of the rows, buffers in `transfer` without a copy. An ApiError it throws is the rejection.
 *
 * `readWorkbook` (read-workbook.ts) is what the thread runs, for tests and the bench: it would hold up the server.
 */
export { precheck } from './precheck.ts'
export { holdsSomething } from './cell-values.ts'
export type { Parse } from './parse-sheets.ts'
export { type Mapper, parseInWorker, parserFailed, parseTimeout, type Posted } from './parse-in-worker.ts'
export {
  type Cell,
  columnName,
  EXCEL_ERRORS,
  type Facts,
  fileFault,
  LIMITS,
  type HeaderCell,
  type Precheck,
  type Row,
  type RowBatch,
  type SheetFacts,
  type SheetHead,
} from './workbook.ts'
