import { mergeMetadata, type Metadata, type MetadataChange, type MetadataValue } from '../values.ts'
import { isImprecise } from '../workbook/cell-values.ts'
import { marked } from '../workbook/csv-marks.ts'
import type { RowFault } from './row-error.ts'
import type { StagedItem } from './staged.ts'

export type MergedMetadata = { metadata: Metadata; change: MetadataChange }

/** The stored metadata with a row's changes merged in, and these changes without what only the file has changed. */
export function mergedMetadata(
  stored: Metadata,
  { metadata: sent = {} }: Pick<StagedItem, 'metadata'>,
): MergedMetadata | RowFault {
  const change: MetadataChange = {}
  for (const [key, value] of Object.entries(sent)) {
    const held = Object.hasOwn(stored, key) ? stored[key] : undefined
    if (held !== undefined && value !== null && isSame(held, value)) continue
    if (typeof value === 'number' && Number.isInteger(value) && isImprecise(value))
      return { ...LOST, header: `meta.${key}`, value: String(value) }
    change[key] = value
  }
  let fault: RowFault | undefined
  const metadata = mergeMetadata(stored, change, (_, message) => {
    fault ??= { code: 'invalid_metadata', header: 'name', message: `: the metadata ${message}` }
  })
  return fault ?? { metadata, change }
}

const LOST = {
  code: 'precision_lost',
  message: 'is a number of more than 15 digits, whose last ones were lost: write it as a text',
} as const

/**
 * Whether a cell says what is stored, whatever its type in the file: a .csv has none, programs turn texts into numbers, and a
 * sheet keeps 15 digits of them.
 */
function isSame(stored: MetadataValue, value: MetadataValue): boolean {
  if (Array.isArray(stored) || Array.isArray(value))
    return (
      Array.isArray(stored) &&
      Array.isArray(value) &&
      value.length === stored.length &&
      stored.every((one, place) => isSameText(one, value[place] ?? ''))
    )
  if (typeof stored === 'number' && typeof value === 'number')
    return stored.toPrecision(15) === value.toPrecision(15)
  if (typeof stored === 'boolean' || typeof value === 'boolean')
    return String(stored).toLowerCase() === String(value).toLowerCase()
  return isSameText(String(stored), String(value))
}

/** A spreadsheet program keeps the marks of a .csv. */
export const isSameText = (stored: string, value: string): boolean =>
  stored === value || marked(stored) === value
