import { createHash } from 'node:crypto'

export type MetaValue = string | number | boolean | string[]

/** Where a row is to stand, as it was written. `row` names a row of sheet Collections in the same file. */
export type Reference = { row: number; key: string } | { id: string } | { key: string } | { path: string[] }

/** What a row says. An absent field is left as it is, null empties it. */
type Fields = {
  id?: string
  key?: string | null
  name: string
  description?: string | null
  metadata?: Record<string, MetaValue | null>
}
export type StagedCollection = Fields & {
  /** Absent: as it is, or the default. `root`: #CLEAR makes it one. */
  parent?: Reference | 'root'
  type?: string | null
  inherit_members?: boolean | null
}
/** Without targets it belongs into the default one. */
export type StagedItem = Fields & { targets: Reference[] }

export const SHEETS = { collections: 1, items: 2 } as const
export type SheetNumber = (typeof SHEETS)[keyof typeof SHEETS]

/**
 * The id of what a row makes. The same for every attempt at the job, so that a row that landed before a crash is found
 * again, with or without a key. UUIDv7 (RFC 9562): the time of the upload, then sheet and row, so that ids sort as rows do.
 */
export function rowIds(job_id: string, created_at: string): (sheet: SheetNumber, row: number) => string {
  const ms = new Date(created_at).getTime().toString(16).padStart(12, '0')
  const own = createHash('sha256').update(job_id).digest('hex').slice(0, 9)
  return (sheet, row) => {
    const place = (sheet * 2 ** 22 + row).toString(16).padStart(6, '0')
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7${place.slice(0, 3)}-8${place.slice(3)}-${own}${own.slice(0, 3)}`
  }
}

/** A line of COPY in text format. */
export const copyLine = (values: readonly (string | number | null)[]) =>
  `${values
    .map((value) =>
      value === null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (letter) => ESCAPES[letter] ?? letter),
    )
    .join('\t')}\n`

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
