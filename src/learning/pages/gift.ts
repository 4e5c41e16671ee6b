/*
 * Reading and writing GIFT, for the page that builds tests: the modules of the service itself, which know neither server
 * nor browser. Nothing is sent before the author has seen what would be.
 */
export { exportGift } from '../gift/export.ts'
export { type Imported, importGift, type Skipped } from '../gift/import.ts'
