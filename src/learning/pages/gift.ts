/*
 * Reads and writes GIFT for the test editor. Reuses the service's own modules, which depend on neither server nor
 * browser, so the author can preview an import before anything is sent.
 */
export { exportGift } from '../gift/export.ts'
export { type Imported, importGift, type Skipped } from '../gift/import.ts'
