export type MetaValue = string | number | boolean | string[]

/** A reference to a collection as written. `row` is the row of sheet Collections in the same file. */
export type Reference = { row: number; key: string } | { id: string } | { key: string } | { path: string[] }

/** The fields of a row. An absent field stays as it is; null clears it. */
type Fields = {
  id?: string
  key?: string | null
  name: string
  description?: string | null
  metadata?: Record<string, MetaValue | null>
}
/** What `_action` asks for: `unlink` takes an item out of the collections that its row names. */
export const ACTIONS = { collections: ['delete'], items: ['delete', 'unlink'] } as const
type Action<Sheet extends keyof typeof ACTIONS> = (typeof ACTIONS)[Sheet][number]

export type StagedCollection = Fields & {
  action?: Action<'collections'>
  /** Absent: unchanged, or the default for a new collection. `root`: `#CLEAR` makes it a root. */
  parent?: Reference | 'root'
  type?: string | null
  inherit_members?: boolean | null
}
/** Without targets, the item goes into the default collection. */
export type StagedItem = Fields & { targets: Reference[]; keeps_links?: true; action?: Action<'items'> }

export const SHEETS = { collections: 1, items: 2 } as const
export type SheetNumber = (typeof SHEETS)[keyof typeof SHEETS]
