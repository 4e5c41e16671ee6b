import { mergeMetadata, type Metadata } from '../values.ts'
import type { StagedItem } from './staged.ts'
import type { RowFault } from './row-error.ts'

/** The stored metadata with a row's changes merged in. */
export function mergedMetadata(stored: Metadata, change: StagedItem['metadata']): Metadata | RowFault {
  let fault: RowFault | undefined
  const metadata = mergeMetadata(stored, change ?? {}, (_, message) => {
    fault ??= { code: 'invalid_metadata', header: 'name', message: `: the metadata ${message}` }
  })
  return fault ?? metadata
}
