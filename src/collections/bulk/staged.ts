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
